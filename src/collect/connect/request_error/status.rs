//! An answer of the API that is no success.

use std::time::Duration;

use crate::collect::masking::cut;

/// An answer of the API that is no success.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusError {
    pub(crate) code: u16,
    pub(crate) reason: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) retry_after: Option<Duration>,
}

impl StatusError {
    pub(super) fn shown(&self) -> String {
        let reason = self.reason.clone().unwrap_or_else(|| {
            let known = http::StatusCode::from_u16(self.code)
                .ok()
                .and_then(|code| code.canonical_reason());
            known.unwrap_or("an unknown status").to_owned()
        });
        match &self.message {
            Some(message) => format!(
                "the server answered {} {}: {}",
                self.code,
                cut(&reason),
                cut(message)
            ),
            None => format!("the server answered {} {}", self.code, cut(&reason)),
        }
    }

    /// The user that the server's message names.
    pub(crate) fn user(&self) -> Option<String> {
        let message = self.message.as_deref()?;
        let rest = &message[message.find("User \"")? + "User ".len()..];
        // Go's quoting escapes as JSON does, for every name that is likely.
        serde_json::Deserializer::from_str(rest)
            .into_iter::<String>()
            .next()?
            .ok()
    }
}

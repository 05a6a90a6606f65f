//! What a plugin prints: an `ExecCredential`.

use jiff::Timestamp;
use serde::Deserialize;

use super::{V1, V1BETA1};
use crate::collect::masking::SecretString;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ExecCredential {
    /// A bearer token.
    pub(crate) token: Option<SecretString>,
    /// Certificate and key, PEM.
    pub(crate) identity: Option<(String, SecretString)>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Answer {
    kind: String,
    api_version: String,
    status: Option<Status>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    token: Option<SecretString>,
    client_certificate_data: Option<String>,
    client_key_data: Option<SecretString>,
    expiration_timestamp: Option<String>,
}

/// Reads a plugin's answer; the error never quotes it.
pub(super) fn credential(answer: &[u8], version: &str) -> Result<ExecCredential, String> {
    let text = str::from_utf8(answer).map_err(|_| "printed something that is not text")?;
    let answer: Answer = serde_json::from_str(text)
        .ok()
        .or_else(|| serde_saphyr::from_str(text).ok())
        .ok_or("printed something that is not an ExecCredential")?;
    // client-go takes an answer that names its version and no kind.
    let is_one = answer.kind == "ExecCredential" || answer.kind.is_empty() && !answer.api_version.is_empty();
    if !is_one {
        return Err("printed something that is not an ExecCredential".to_owned());
    }
    if answer.api_version != version {
        let known = [V1, V1BETA1].contains(&answer.api_version.as_str());
        let other = if known {
            &answer.api_version
        } else {
            "another API version"
        };
        return Err(format!(
            "answered in {other}, and the kubeconfig asks for {version}"
        ));
    }
    let status = answer.status.ok_or("answered without a status")?;
    // When it ends does not matter to a run that is over before; that it is a time does, as in client-go.
    if status
        .expiration_timestamp
        .is_some_and(|time| time.parse::<Timestamp>().is_err())
    {
        return Err("answered with an expirationTimestamp that is not a time".to_owned());
    }
    let filled = |text: Option<SecretString>| text.filter(|text| !text.expose().is_empty());
    let token = filled(status.token);
    let certificate = status.client_certificate_data.filter(|it| !it.is_empty());
    let identity = match (certificate, filled(status.client_key_data)) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        _ => return Err("answered with a certificate or a key alone, not both".to_owned()),
    };
    if token.is_none() && identity.is_none() {
        return Err("answered without a token and without a certificate".to_owned());
    }
    Ok(ExecCredential { token, identity })
}

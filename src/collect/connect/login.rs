//! A user name and a password: of a kubeconfig, or in front of the `@` of an address.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::percent::decoded;
use crate::collect::masking::SecretString;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) user: String,
    pub(crate) password: SecretString,
    /// As it is written in an address, escapes and all.
    written: Option<SecretString>,
}

impl Login {
    pub(crate) fn new(user: &str, password: SecretString) -> Self {
        Self {
            user: user.to_owned(),
            password,
            written: None,
        }
    }

    /// Takes the login off the authority of a URL; `None` where its escapes cannot be read.
    pub(crate) fn split(authority: &str) -> Option<(Option<Self>, &str)> {
        let Some((written, host)) = authority.rsplit_once('@') else {
            return Some((None, authority));
        };
        let text = |part| Some(String::from_utf8_lossy(&decoded(part)?).into_owned());
        let (user, password) = written.split_once(':').unwrap_or((written, ""));
        let login = Self {
            user: text(user)?,
            password: SecretString::new(text(password)?),
            written: Some(SecretString::new(written)),
        };
        Some((Some(login), host))
    }

    /// The value of an `Authorization` header.
    pub(crate) fn basic(&self) -> SecretString {
        SecretString::new(format!("Basic {}", self.pair()))
    }

    fn pair(&self) -> String {
        STANDARD.encode(format!("{}:{}", self.user, self.password.expose()))
    }

    /// What must not be shown.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = SecretString> {
        let written = self.written.clone();
        let password = written.as_ref().and_then(|it| it.expose().split_once(':'));
        let password = password.map(|(_, password)| SecretString::new(password));
        [self.password.clone(), SecretString::new(self.pair())]
            .into_iter()
            .chain(password)
            .chain(written)
    }
}

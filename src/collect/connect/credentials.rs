//! Who we are to the server: a token, a token file, a name and a password, a client certificate, an OIDC
//! token or what an exec plugin gives; client-go's order, and nothing over plain HTTP.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::exec::{ClusterInfo, ExecError, Plugin};
use super::login::Login;
use super::tls::{self, Identity, TlsError};
use crate::collect::kubeconfig::{AuthProvider, User};
use crate::collect::masking::SecretString;

/// Why there are no usable credentials.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    #[error("the token file {} cannot be read", .path.display())]
    TokenFile { path: PathBuf, source: io::Error },
    #[error("the token file {} is empty", .0.display())]
    EmptyTokenFile(PathBuf),
    #[error("the token of {0} holds a line break or another character that no token has")]
    BadToken(String),
    #[error("user \"{}\" logs in through the auth-provider \"{}\", which kubectl no longer has", .user.escape_debug(), .name.escape_debug())]
    RemovedProvider { user: String, name: String },
    #[error("the OIDC auth-provider of user \"{}\" has no id-token", .0.escape_debug())]
    OidcMissing(String),
    #[error(transparent)]
    Exec(#[from] ExecError),
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl CredentialError {
    /// What to type next.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::RemovedProvider { name, .. } => match name.as_str() {
                "gcp" => "install gke-gcloud-auth-plugin and run \"gcloud container clusters get-credentials NAME\"",
                "azure" => "install kubelogin and run \"kubelogin convert-kubeconfig\"",
                _ => "use an exec plugin or a token instead",
            },
            Self::OidcMissing(_) => {
                "run \"kubectl get nodes\" once: kubectl refreshes the token and keeps it"
            }
            Self::TokenFile { .. } | Self::EmptyTokenFile(_) | Self::BadToken(_) => {
                "give another with --token TOKEN, for example \"$(kubectl create token NAME)\""
            }
            Self::Exec(error) => return error.hint(),
            Self::Tls(error) => error.hint(),
        }
        .to_owned()
    }
}

/// Credentials, ready to be sent.
#[derive(Debug, Default)]
pub(crate) struct Credentials {
    /// The value of the `Authorization` header.
    pub(crate) authorization: Option<SecretString>,
    pub(crate) identity: Option<Identity>,
    /// Everything that must not be shown.
    pub(crate) secrets: Vec<SecretString>,
}

impl Credentials {
    fn login(&mut self, login: &Login) {
        self.authorization = Some(login.basic());
        self.secrets.extend(login.secrets());
    }

    fn bearer(&mut self, token: SecretString, whose: &str) -> Result<(), CredentialError> {
        let sendable = |byte: u8| byte == b'\t' || (byte >= 0x20 && byte != 0x7f);
        if !token.expose().bytes().all(sendable) {
            return Err(CredentialError::BadToken(whose.to_owned()));
        }
        self.authorization = Some(SecretString::new(format!("Bearer {}", token.expose())));
        self.secrets.push(token);
        Ok(())
    }
}

/// Gathers the credentials of a user for a server that is reached over TLS.
pub(crate) async fn gather(
    user: &User,
    user_name: &str,
    login: Option<&Login>,
    stdin_taken: bool,
    cluster: impl FnOnce() -> ClusterInfo,
) -> Result<Credentials, CredentialError> {
    let mut found = Credentials::default();
    static_credentials(user, user_name, &mut found)?;
    // A login in the address goes before everything else that is sent in the same header, and no plugin is run.
    if let Some(login) = login {
        found.login(login);
    }
    if found.authorization.is_some() {
        return Ok(found);
    }
    if let Some(provider) = &user.auth_provider {
        let token = provider_token(provider, user_name)?;
        found.bearer(token, "the auth-provider")?;
        return Ok(found);
    }
    // A certificate in the kubeconfig means that no plugin is wanted.
    if let Some(exec) = user.exec.as_ref().filter(|_| found.identity.is_none()) {
        let plugin = Plugin::new(exec, user_name, stdin_taken)?;
        let given = plugin.run(cluster()).await?;
        if let Some((certificate, key)) = given.identity {
            found.identity = Some(Identity::new(certificate.as_bytes(), &key)?);
            found.secrets.push(key);
        }
        if let Some(token) = given.token {
            found.bearer(token, "the exec plugin")?;
        }
        found
            .secrets
            .extend(exec.env.iter().map(|variable| variable.value.clone()));
    }
    Ok(found)
}

fn static_credentials(user: &User, user_name: &str, found: &mut Credentials) -> Result<(), CredentialError> {
    if let Some(certificate) = tls::load(
        "the client certificate",
        user.client_certificate.as_deref(),
        user.client_certificate_data.as_deref(),
    )? {
        let key = tls::load(
            "the client key",
            user.client_key.as_deref(),
            user.client_key_data.as_ref().map(SecretString::expose),
        )?
        .ok_or(TlsError::NoKey)?;
        let key = SecretString::new(String::from_utf8(key).map_err(|_| TlsError::NoKey)?);
        found.identity = Some(Identity::new(&certificate, &key)?);
        found.secrets.push(key);
        found.secrets.extend(user.client_key_data.clone());
    }
    // A readable token file wins over a token beside it: it is the one that is kept fresh.
    match (&user.token_file, &user.token) {
        (Some(path), token) => match (read_token(Path::new(path)), token) {
            (Ok(token), _) => found.bearer(token, &format!("the file {path}"))?,
            (Err(_), Some(token)) => found.bearer(token.clone(), &format!("user \"{user_name}\""))?,
            (Err(error), None) => return Err(error),
        },
        (None, Some(token)) => found.bearer(token.clone(), &format!("user \"{user_name}\""))?,
        (None, None) => {}
    }
    if found.authorization.is_none() && (user.username.is_some() || user.password.is_some()) {
        let name = user.username.as_deref().unwrap_or_default();
        found.login(&Login::new(name, user.password.clone().unwrap_or_default()));
    }
    Ok(())
}

/// Reads a token and leaves the line break at its end behind.
pub(crate) fn read_token(path: &Path) -> Result<SecretString, CredentialError> {
    let text = fs::read_to_string(path).map_err(|source| CredentialError::TokenFile {
        path: path.to_owned(),
        source,
    })?;
    let token = text.trim();
    if token.is_empty() {
        return Err(CredentialError::EmptyTokenFile(path.to_owned()));
    }
    Ok(SecretString::new(token))
}

/// The token of an auth provider: only OIDC's is left in kubectl, and it is not refreshed here.
fn provider_token(provider: &AuthProvider, user: &str) -> Result<SecretString, CredentialError> {
    if provider.name != "oidc" {
        return Err(CredentialError::RemovedProvider {
            user: user.to_owned(),
            name: provider.name.clone(),
        });
    }
    // A refresh token may be good for one use, and nothing is ever written to the kubeconfig here: a token that has
    // expired is the server's to refuse.
    let token = provider
        .config
        .get("id-token")
        .filter(|token| !token.expose().is_empty());
    token
        .cloned()
        .ok_or_else(|| CredentialError::OidcMissing(user.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_no_header_can_hold_is_named_and_not_shown() {
        let error = Credentials::default()
            .bearer(SecretString::new("s3c\nret"), "user \"ann\"")
            .unwrap_err();
        assert!(!format!("{error} {error:?}").contains("ret\""), "{error:?}");
        assert!(
            error.to_string().starts_with("the token of user \"ann\""),
            "{error}"
        );
    }
}

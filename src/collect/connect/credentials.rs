//! Who we are to the server: a token, a token file, a name and a password, a client certificate, an OIDC
//! token or what an exec plugin gives; client-go's order, and nothing over plain HTTP.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::Timestamp;

use super::exec::{ClusterInfo, ExecError, Plugin};
use super::kubeconfig::{AuthProvider, User};
use super::masking::SecretString;
use super::tls::{self, Identity, TlsError};

/// Why there are no usable credentials.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    /// A token file cannot be read.
    #[error("the token file {} cannot be read", .path.display())]
    TokenFile {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A token file holds nothing.
    #[error("the token file {} is empty", .0.display())]
    EmptyTokenFile(PathBuf),
    /// A token that no header can bear.
    #[error("the token of {0} holds a line break or another character that no token has")]
    BadToken(String),
    /// The mechanism was removed from kubectl.
    #[error("user \"{}\" logs in through the auth-provider \"{}\", which kubectl no longer has", .user.escape_debug(), .name.escape_debug())]
    RemovedProvider {
        /// Whose.
        user: String,
        /// Its name.
        name: String,
    },
    /// The OIDC token has run out.
    #[error("the OIDC token of user \"{}\" has expired", .0.escape_debug())]
    OidcExpired(String),
    /// There is no OIDC token.
    #[error("the OIDC auth-provider of user \"{}\" has no id-token", .0.escape_debug())]
    OidcMissing(String),
    /// A plugin gave none.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// A certificate or a key is of no use.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl CredentialError {
    /// What to type next.
    pub(crate) fn hint(&self) -> String {
        match self {
            Self::RemovedProvider { name, .. } => match name.as_str() {
                "gcp" => "install gke-gcloud-auth-plugin and run \"gcloud container clusters get-credentials NAME\"".to_owned(),
                "azure" => "install kubelogin and run \"kubelogin convert-kubeconfig\"".to_owned(),
                _ => "use an exec plugin or a token instead".to_owned(),
            },
            Self::OidcExpired(_) | Self::OidcMissing(_) => {
                // A refresh token may be good for one use, and nothing is ever written to the kubeconfig here.
                "run \"kubectl get nodes\" once: kubectl refreshes the token and keeps it".to_owned()
            }
            Self::Exec(ExecError::NotFound { hint, .. }) => match hint {
                Some(hint) => format!("install it or put it on PATH: {hint}"),
                None => "install it or put it on PATH".to_owned(),
            },
            Self::Exec(ExecError::Failed { .. }) => "log in again, then see that \"kubectl get nodes\" works".to_owned(),
            Self::Exec(ExecError::Start { .. }) => {
                "see that it is a program that may be run here: chmod +x FILE, or install it anew".to_owned()
            }
            Self::Exec(ExecError::NotInteractive { .. }) => {
                "run it from a terminal, or log in first and set interactiveMode: IfAvailable".to_owned()
            }
            Self::Exec(ExecError::Version { .. }) => {
                "bring the plugin up to date and have it write the kubeconfig anew".to_owned()
            }
            Self::Exec(ExecError::TimedOut { .. } | ExecError::Answer { .. }) => {
                "run it by hand, and see that \"kubectl get nodes\" works".to_owned()
            }
            Self::Tls(error) => error.hint().to_owned(),
            Self::TokenFile { .. } | Self::EmptyTokenFile(_) | Self::BadToken(_) => {
                "give another by --token TOKEN, for one \"$(kubectl create token NAME)\"".to_owned()
            }
            Self::Exec(ExecError::Incomplete { .. }) => {
                "\"kubectl config view --minify\" shows what the kubeconfig says".to_owned()
            }
        }
    }
}

/// Credentials, ready to be sent.
#[derive(Debug, Default)]
pub(crate) struct Credentials {
    /// The value of the `Authorization` header.
    pub(crate) authorization: Option<SecretString>,
    /// Client certificate and key.
    pub(crate) identity: Option<Identity>,
    /// Everything that must not be shown.
    pub(crate) secrets: Vec<SecretString>,
}

impl Credentials {
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
    stdin_taken: bool,
    cluster: impl FnOnce() -> ClusterInfo,
) -> Result<Credentials, CredentialError> {
    let mut found = Credentials::default();
    static_credentials(user, user_name, &mut found)?;
    if found.authorization.is_some() {
        return Ok(found);
    }
    if let Some(provider) = &user.auth_provider {
        let token = provider_token(provider, user_name, Timestamp::now())?;
        found.bearer(token, "the auth-provider")?;
        return Ok(found);
    }
    // A certificate in the kubeconfig means that no plugin is wanted.
    if let Some(exec) = user.exec.as_ref().filter(|_| found.identity.is_none()) {
        let plugin = Plugin::new(exec, user_name, stdin_taken)?;
        let given = plugin.run(Some(cluster())).await?;
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
        let password = user.password.clone().unwrap_or_default();
        let pair = STANDARD.encode(format!("{name}:{}", password.expose()));
        found.authorization = Some(SecretString::new(format!("Basic {pair}")));
        found.secrets.extend([password, SecretString::new(pair)]);
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
fn provider_token(
    provider: &AuthProvider,
    user: &str,
    now: Timestamp,
) -> Result<SecretString, CredentialError> {
    if provider.name != "oidc" {
        return Err(CredentialError::RemovedProvider {
            user: user.to_owned(),
            name: provider.name.clone(),
        });
    }
    let token = provider
        .config
        .get("id-token")
        .filter(|token| !token.expose().is_empty())
        .ok_or_else(|| CredentialError::OidcMissing(user.to_owned()))?;
    match expiry(token.expose()) {
        Some(seconds) if seconds > now.as_second() + 10 => Ok(token.clone()),
        _ => Err(CredentialError::OidcExpired(user.to_owned())),
    }
}

/// The `exp` of a JSON Web Token.
fn expiry(token: &str) -> Option<i64> {
    #[derive(serde::Deserialize)]
    struct Claims {
        exp: f64,
    }
    let payload = token.split('.').nth(1)?;
    let payload = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    let claims: Claims = serde_json::from_slice(&payload).ok()?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "seconds since 1970; `as` saturates"
    )]
    Some(claims.exp as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(user: &User) -> Result<Credentials, CredentialError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(gather(user, "ann", false, ClusterInfo::default))
    }

    fn authorization(user: &User) -> Option<String> {
        gathered(user)
            .unwrap()
            .authorization
            .map(|it| it.expose().to_owned())
    }

    #[test]
    fn a_token_file_is_trimmed_and_wins_over_the_token_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, "  from-file\n").unwrap();
        let mut user = User {
            token: Some(SecretString::new("from-text")),
            token_file: path.to_str().map(str::to_owned),
            ..User::default()
        };
        assert_eq!(authorization(&user).as_deref(), Some("Bearer from-file"));
        fs::remove_file(&path).unwrap();
        assert_eq!(authorization(&user).as_deref(), Some("Bearer from-text"));
        user.token = None;
        assert!(matches!(gathered(&user), Err(CredentialError::TokenFile { .. })));
        fs::write(&path, "\n").unwrap();
        assert!(matches!(gathered(&user), Err(CredentialError::EmptyTokenFile(_))));
    }

    #[test]
    fn a_token_that_no_header_bears_is_named_and_not_shown() {
        let user = User {
            token: Some(SecretString::new("s3c\nret")),
            ..User::default()
        };
        let error = gathered(&user).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("ret\""), "{error:?}");
        assert!(
            error.to_string().starts_with("the token of user \"ann\""),
            "{error}"
        );
    }

    #[test]
    fn name_and_password_are_basic_authentication() {
        let user = User {
            username: Some("ann".to_owned()),
            password: Some(SecretString::new("pw")),
            ..User::default()
        };
        assert_eq!(authorization(&user).as_deref(), Some("Basic YW5uOnB3"));
    }

    #[test]
    fn an_oidc_token_is_used_while_it_is_good_and_never_refreshed() {
        let token = |exp: i64| format!("h.{}.s", URL_SAFE_NO_PAD.encode(format!("{{\"exp\":{exp}}}")));
        let now = Timestamp::from_second(1_000).unwrap();
        let provider = |name: &str, token: &str| AuthProvider {
            name: name.to_owned(),
            config: [("id-token".to_owned(), SecretString::new(token))].into(),
        };
        let good = provider_token(&provider("oidc", &token(2_000)), "ann", now).unwrap();
        assert_eq!(good.expose(), token(2_000));
        for bad in [token(1_005), "no.token".to_owned(), "h.!.s".to_owned()] {
            let error = provider_token(&provider("oidc", &bad), "ann", now).unwrap_err();
            assert!(matches!(error, CredentialError::OidcExpired(_)), "{bad}");
            assert!(error.hint().contains("kubectl get nodes"));
        }
        let missing = provider_token(&provider("oidc", ""), "ann", now).unwrap_err();
        assert!(matches!(missing, CredentialError::OidcMissing(_)));
        let gcp = provider_token(&provider("gcp", ""), "ann", now).unwrap_err();
        assert!(gcp.hint().contains("gke-gcloud-auth-plugin"));
    }
}

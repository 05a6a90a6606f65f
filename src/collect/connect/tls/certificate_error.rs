//! What can be wrong with a certificate, and whether kubectl accepts it all the same.

/// Why a certificate is refused, to follow the words that name it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    #[error("cannot be parsed: {0}")]
    Malformed(String),
    #[error("has a negative serial number")]
    NegativeSerial,
    #[error("has an IP address of {0} bytes as a name")]
    AddressLength(usize),
    #[error("has a URI as a name that this program cannot parse")]
    Uri,
    #[error("has expired")]
    Expired,
    #[error("is not valid yet")]
    NotYetValid,
    #[error("has a critical extension that is unknown")]
    UnknownCritical,
    #[error("has a critical extension that this program does not check")]
    OtherCritical,
    #[error("is not for servers (extended key usage)")]
    NotForServers,
    #[error("is not a certificate authority (basic constraints)")]
    NotAnAuthority,
    #[error("may not sign certificates (key usage)")]
    MayNotSign,
    #[error("allows fewer authorities below it than there are (path length)")]
    PathLength,
    #[error("may not sign for this name or address (name constraints)")]
    NameConstraints,
    #[error("has name constraints of a kind that this program does not check")]
    OtherNameConstraints,
    #[error("has names that this program does not check against name constraints")]
    UnconstrainableNames,
    #[error("has policy rules, which this program does not check")]
    PolicyRules,
    #[error("has the name and the key of a certificate that it signed")]
    Loop,
    #[error("has more than six authorities between it and the trusted one")]
    ChainTooLong,
    #[error("is marked as a certificate authority")]
    AuthorityAsServer,
    #[error("is of X.509 version 1 or 2, which has no field for the server's name")]
    OldVersion,
    #[error("is signed with {0}")]
    Signature(&'static str),
    #[error("has a key of {0}")]
    Key(&'static str),
}

/// What kubectl does with what is refused here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kubectl {
    Accepts,
    Refuses,
    /// It looks at more than this program does.
    Decides,
}

impl CertificateError {
    pub(super) fn malformed(what: &str) -> Self {
        Self::Malformed(what.to_owned())
    }

    pub(crate) fn kubectl(&self) -> Kubectl {
        match self {
            Self::ChainTooLong | Self::Key(_) => Kubectl::Accepts,
            Self::Signature(algorithm) if *algorithm == super::certificate::ECDSA_SHA_512 => Kubectl::Accepts,
            Self::OtherCritical
            | Self::Uri
            | Self::OtherNameConstraints
            | Self::UnconstrainableNames
            | Self::PolicyRules
            | Self::AuthorityAsServer => Kubectl::Decides,
            _ => Kubectl::Refuses,
        }
    }
}

impl From<x509_cert::der::Error> for CertificateError {
    fn from(error: x509_cert::der::Error) -> Self {
        Self::Malformed(error.to_string())
    }
}

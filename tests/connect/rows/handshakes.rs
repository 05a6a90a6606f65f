//! Rows about TLS handshakes: what kubectl 1.37 does with each kind of server, and what we do. There is no row where
//! we accept what kubectl refuses.

use Outcome::{Either, OnlyKubectl, Refused, Taken};

/// What comes of a kind.
#[derive(Clone, Copy)]
pub(crate) enum Outcome {
    /// Both take it.
    Taken,
    /// Neither takes it, and we say these words.
    Refused(&'static str),
    /// kubectl takes it and we say these words.
    OnlyKubectl(&'static str),
    /// Neither takes it, and we say these words, which leave open whether kubectl would.
    Either(&'static str),
}

/// A kind of server, by the name that the servers' program gives it.
pub(crate) struct Row {
    pub(crate) kind: &'static str,
    pub(crate) outcome: Outcome,
}

const fn row(kind: &'static str, outcome: Outcome) -> Row {
    Row { kind, outcome }
}

const UNKNOWN: Outcome = Refused("signed by an unknown authority");
const NAME: Outcome = Refused("not valid for the name or address in use");
const CONSTRAINED: Outcome =
    Refused("an authority above the server's certificate may not sign for this name or address");
const NO_AUTHORITY: Outcome =
    Refused("an authority above the server's certificate is not a certificate authority");
const MAY_NOT_SIGN: Outcome =
    Refused("an authority above the server's certificate may not sign certificates");
const PATH: Outcome = Refused("allows fewer authorities below it than there are");
const ABOVE_EXPIRED: Outcome = Refused("an authority above the server's certificate has expired");
const ABOVE_FOR_CLIENTS: Outcome = Refused("an authority above the server's certificate is not for servers");
const UNPARSED: Outcome = Refused("the server's certificate cannot be parsed");
const NEGATIVE: &str = "has a negative serial number";
const NOTHING_IN_COMMON: &str = "no key, cipher or key exchange that this program supports";

/// All kinds.
pub(crate) const ROWS: &[Row] = &[
    row("a server key of ECDSA P-256", Taken),
    row("a server key of ECDSA P-384", Taken),
    row("a server key of ECDSA P-521", OnlyKubectl(NOTHING_IN_COMMON)),
    row("a server key of ECDSA P-224", Either(NOTHING_IN_COMMON)),
    row("a server key of Ed25519", Taken),
    row("a server key of RSA 2048", Taken),
    row(
        "a server key of RSA 1024",
        OnlyKubectl("has a key of RSA with fewer than 2048 bits"),
    ),
    row("an authority's key of ECDSA P-256", Taken),
    row("an authority's key of ECDSA P-384", Taken),
    row(
        "an authority's key of ECDSA P-521",
        OnlyKubectl("has a key of ECDSA P-521"),
    ),
    row(
        "an authority's key of ECDSA P-224",
        OnlyKubectl("has a key of ECDSA P-224"),
    ),
    row("an authority's key of Ed25519", Taken),
    row("an authority's key of RSA 2048", Taken),
    row(
        "an authority's key of RSA 1024",
        OnlyKubectl("has a key of RSA with fewer than 2048 bits"),
    ),
    row("a signature of ECDSA P-256 with SHA-384", Taken),
    row(
        "a signature of ECDSA P-256 with SHA-512",
        OnlyKubectl("is signed with ECDSA and SHA-512"),
    ),
    row("a signature of RSA PSS with SHA-256", Taken),
    row("a signature of RSA with SHA-512", Taken),
    row("a signature of RSA with SHA-1", Refused("is signed with SHA-1")),
    row("a signature of ECDSA with SHA-1", Refused("is signed with SHA-1")),
    row("an authority signed with SHA-1", Taken),
    row("a signature that is not its authority's", UNKNOWN),
    row(
        "a server certificate of version 1",
        Refused("is of X.509 version 1"),
    ),
    row("an authority of version 1", Taken),
    row("an authority of version 1 that has expired", ABOVE_EXPIRED),
    row(
        "an authority of version 1 that is not valid yet",
        Refused("an authority above the server's certificate is not valid yet"),
    ),
    row("another address", Refused("it is for localhost, 127.9.9.9")),
    row("no name but the subject", Refused("it has no names")),
    row(
        "the address as a DNS name",
        Refused("it is for 127.0.0.1 as a host name"),
    ),
    row("DNS names that are none beside the address", Taken),
    row("an e-mail address beside the address", Taken),
    row("no subject", Taken),
    row("an authority that permits the address", Taken),
    row("an authority that permits other addresses", CONSTRAINED),
    row("an authority that excludes the address", CONSTRAINED),
    row("an authority without basic constraints", NO_AUTHORITY),
    row("an authority that says it is none", NO_AUTHORITY),
    row("an authority that may not sign certificates", MAY_NOT_SIGN),
    row("an authority that has expired", ABOVE_EXPIRED),
    row("an authority without a subject", Taken),
    row("an authority for clients only", ABOVE_FOR_CLIENTS),
    row("an authority for any use", Taken),
    row(
        "an authority for clients only, with the identifier of servers elsewhere",
        ABOVE_FOR_CLIENTS,
    ),
    row(
        "an authority with a critical extension that nobody knows",
        Refused("an authority above the server's certificate has a critical extension that is unknown"),
    ),
    row("a self-signed certificate that is its own authority", Taken),
    row("a self-signed authority that is the server's certificate", Taken),
    row(
        "a self-signed authority for clients that is the server's certificate",
        Refused("the server's certificate is not for servers"),
    ),
    row(
        "a self-signed authority for clients, with the identifier of servers elsewhere, that is the server's certificate",
        Refused("the server's certificate is not for servers"),
    ),
    row("the server's certificate as its authority", Taken),
    row(
        "the server's expired certificate as its authority",
        Refused("the server's certificate has expired"),
    ),
    row(
        "the server's certificate of another address as its authority",
        NAME,
    ),
    row(
        "the server's certificate for clients as its authority",
        Refused("is not for servers"),
    ),
    row("another certificate of the same name as authority", UNKNOWN),
    row(
        "a server certificate that is marked as an authority",
        OnlyKubectl("is marked as a certificate authority"),
    ),
    row("an authority between", Taken),
    row("an authority between that is not sent", UNKNOWN),
    row("an authority between that is trusted alone", Taken),
    row("a chain out of order with a stranger in it", Taken),
    row("an authority that allows none between", PATH),
    row("an authority that allows one between", Taken),
    row(
        "an authority between that allows none below it, and has one",
        PATH,
    ),
    row("an authority between that says it is none", NO_AUTHORITY),
    row(
        "an authority between that may not sign certificates",
        MAY_NOT_SIGN,
    ),
    row("an authority between for clients only", ABOVE_FOR_CLIENTS),
    row("an authority between for any use", Taken),
    row(
        "an authority between with a critical extension that nobody knows",
        Refused("an authority above the server's certificate has a critical extension that is unknown"),
    ),
    row("an authority between that has expired", ABOVE_EXPIRED),
    row("an authority between that permits other addresses", CONSTRAINED),
    row(
        "seven authorities between",
        OnlyKubectl("has more than six authorities between"),
    ),
    row("an authority among others in a bundle with text", Taken),
    row(
        "a certificate that has expired",
        Refused("the server's certificate has expired"),
    ),
    row(
        "a certificate that is not valid yet",
        Refused("the server's certificate is not valid yet"),
    ),
    row("a certificate that never expires", Taken),
    row("a serial number of nought", Taken),
    row("a serial number of twenty octets and one", Taken),
    row("a serial number of thirty octets", Taken),
    row(
        "a critical extension that nobody knows",
        Refused("has a critical extension that is unknown"),
    ),
    row("an extension that nobody knows", Taken),
    row(
        "a certificate for clients only",
        Refused("the server's certificate is not for servers"),
    ),
    row("a certificate for any use", Taken),
    row("a certificate that names no use", Taken),
    row("a certificate whose key may only be agreed on", Taken),
    // What Go cannot parse.
    row("a serial number below nought", Refused(NEGATIVE)),
    row(
        "an authority with a serial number below nought",
        Refused(NEGATIVE),
    ),
    row(
        "an authority between with a serial number below nought",
        Refused(NEGATIVE),
    ),
    row(
        "a stranger in the chain that is no certificate",
        Refused("an authority above the server's certificate cannot be parsed"),
    ),
    row(
        "a stranger in the chain with a key of 8,201 bits",
        Refused("an RSA key of more than 8192 bits"),
    ),
    row("a URI beside the address", Taken),
    row("a URI of no host beside the address", Taken),
    row(
        "a URI that is none beside the address",
        Either("has a URI as a name that this program cannot parse"),
    ),
    row(
        "a URI of letters beyond ASCII in its escapes beside the address",
        Either("has a URI as a name that this program cannot parse"),
    ),
    row(
        "an IP address of 17 bytes beside the address",
        Refused("has an IP address of 17 bytes as a name"),
    ),
    row("a DNS name beyond ASCII beside the address", UNPARSED),
    row("a subject of characters that its type does not have", UNPARSED),
    row("a subject with an asterisk", Taken),
    row("an extension twice", UNPARSED),
    row("an authority's key identifier that is critical", UNPARSED),
    row("a subject's key identifier that is critical", UNPARSED),
    row("an authority's address that is critical", UNPARSED),
    row("places of revocation lists that do not read", UNPARSED),
    row("a policy twice", UNPARSED),
    row("two policies", Taken),
    // What binds those below an authority.
    row("an authority with a key usage of no bit", Taken),
    row("an authority with name constraints for directories", CONSTRAINED),
    row(
        "an authority with name constraints for e-mail addresses",
        OnlyKubectl("has name constraints of a kind that this program does not check"),
    ),
    row(
        "an authority with name constraints for an address of three bytes",
        Refused("the certificate authority cannot be parsed"),
    ),
    row(
        "an authority with name constraints for a mask with a hole",
        Refused("the certificate authority cannot be parsed"),
    ),
    row("an authority with name constraints for a host", Taken),
    row("an authority that requires a policy", Taken),
    row(
        "an authority between that requires a policy",
        Either("has policy rules, which this program does not check"),
    ),
    row("an authority between that forbids any policy", Taken),
    row(
        "an authority between that forbids any policy, which is critical",
        OnlyKubectl("has a critical extension that this program does not check"),
    ),
    row(
        "an authority with the name, the key and the names of the server",
        Refused("has the name and the key of a certificate that it signed"),
    ),
    row("an authority with the name and the key of the server", Taken),
    // Trust that is not a kubeconfig's authority.
    row("an unknown authority, not verified", Taken),
    row("a certificate of another address, not verified", Taken),
    row("a server key of ECDSA P-521, not verified", Taken),
    row("a serial number below nought, not verified", Refused(NEGATIVE)),
    row("an authority of the system", Taken),
    row(
        "an authority of version 1 that has expired of the system",
        ABOVE_EXPIRED,
    ),
    row(
        "an authority that may not sign certificates of the system",
        MAY_NOT_SIGN,
    ),
    row("no TLS", Refused("the server does not speak TLS")),
    row(
        "TLS 1.1 and no newer",
        Refused("supports no TLS of version 1.2 or newer"),
    ),
    row("TLS 1.2 and no newer", Taken),
    row("TLS 1.3 and no older", Taken),
    row("a cipher of CBC", OnlyKubectl(NOTHING_IN_COMMON)),
    row("a cipher without forward secrecy", Either(NOTHING_IN_COMMON)),
    row("an exchange of keys by P-521", OnlyKubectl(NOTHING_IN_COMMON)),
    row("a client's key of ECDSA P-256", Taken),
    row("a client's key of ECDSA P-384", Taken),
    row(
        "a client's key of ECDSA P-521",
        OnlyKubectl("cannot use, although kubectl may: ECDSA P-521"),
    ),
    row("a client's key of Ed25519", Taken),
    row("a client's key of RSA 2048", Taken),
    row(
        "a client's key of RSA 1024",
        OnlyKubectl("cannot use, although kubectl may: RSA with fewer than 2048 bits"),
    ),
    row("a client's certificate of version 1", Taken),
    row(
        "a client's certificate signed with SHA-1",
        Refused("refused the client certificate: its authority is unknown there"),
    ),
    row(
        "a client's certificate that has expired",
        Refused("refused the client certificate: it has expired"),
    ),
    row(
        "a client's certificate of another authority",
        Refused("refused the client certificate: its authority is unknown there"),
    ),
    row(
        "a client's certificate with a serial number below nought",
        Refused("the client certificate has a negative"),
    ),
    row(
        "no client's certificate",
        Refused("requires a client certificate"),
    ),
];

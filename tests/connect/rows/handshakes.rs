//! Rows about TLS handshakes: what kubectl 1.37 does with each kind of server, and what we do.

use Outcome::{Either, OnlyKubectl, OnlyOurs, Refused, Taken};

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
    /// We take it and kubectl does not, for this reason.
    OnlyOurs(&'static str),
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
const NAME: Outcome = Refused("not valid for the name or address that it is reached by");
const CONSTRAINED: Outcome = Refused("of an authority that may not sign for this name or address");
const NOTHING_IN_COMMON: &str = "no key, cipher or key exchange that this program takes";
const ANCHOR: Outcome =
    OnlyOurs("an authority that a kubeconfig names is trusted for its key; rustls reads no other word in it");

/// All kinds.
pub(crate) const ROWS: [Row; 90] = [
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
        OnlyKubectl("is signed by a key of ECDSA P-521"),
    ),
    row(
        "an authority's key of ECDSA P-224",
        OnlyKubectl("is signed by a key of ECDSA P-224"),
    ),
    row("an authority's key of Ed25519", Taken),
    row("an authority's key of RSA 2048", Taken),
    row(
        "an authority's key of RSA 1024",
        OnlyKubectl("is signed by a key of RSA with fewer than 2048 bits"),
    ),
    row("a signature of ECDSA P-256 with SHA-384", Taken),
    row(
        "a signature of ECDSA P-256 with SHA-512",
        OnlyKubectl("is signed by ECDSA with SHA-512"),
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
    row("another address", Refused("it is for localhost, 127.9.9.9")),
    row("no name but the subject", Refused("it names none")),
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
    row("an authority without basic constraints", UNKNOWN),
    row("an authority that says it is none", UNKNOWN),
    row("an authority that may not sign certificates", ANCHOR),
    row(
        "an authority that has expired",
        Refused("no certificate that can be an authority: it has expired"),
    ),
    row("an authority without a subject", Taken),
    row("an authority for clients only", UNKNOWN),
    row(
        "an authority with a critical extension that nobody knows",
        Refused("it has a critical extension that is unknown"),
    ),
    row("a self-signed certificate that is its own authority", Taken),
    row("a self-signed authority that is the server's certificate", Taken),
    row(
        "a self-signed authority for clients that is the server's certificate",
        Either("is marked as an authority"),
    ),
    row("the server's certificate as its authority", Taken),
    row(
        "the server's expired certificate as its authority",
        Refused("it has expired"),
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
        OnlyKubectl("is marked as an authority"),
    ),
    row("an authority between", Taken),
    row("an authority between that is not sent", UNKNOWN),
    row("an authority between that is trusted alone", Taken),
    row("a chain out of order with a stranger in it", Taken),
    row("an authority that allows none between", ANCHOR),
    row(
        "an authority between that allows none below it, and has one",
        Refused("more authorities above it than one of them allows"),
    ),
    row(
        "an authority between that says it is none",
        Refused("signed by a certificate that is not marked as an authority"),
    ),
    row(
        "an authority between that has expired",
        Refused("or that of an authority above it, has expired"),
    ),
    row("an authority between that permits other addresses", CONSTRAINED),
    row(
        "seven authorities between",
        OnlyKubectl("has more than six authorities between"),
    ),
    row("an authority among others in a bundle with text", Taken),
    row("a certificate that has expired", Refused("has expired")),
    row("a certificate that is not valid yet", Refused("is not valid yet")),
    row("a certificate that never expires", Taken),
    row("a serial number of nought", Taken),
    row(
        "a serial number below nought",
        OnlyOurs("rustls does not read the serial number, which plays no part in trust"),
    ),
    row("a serial number of twenty octets and one", Taken),
    row(
        "a critical extension that nobody knows",
        Refused("has a critical extension that is unknown"),
    ),
    row("an extension that nobody knows", Taken),
    row("a certificate for clients only", Refused("is not for servers")),
    row(
        "a certificate for any use",
        OnlyKubectl("is for any use and does not name that of a server"),
    ),
    row("a certificate that names no use", Taken),
    row("a certificate whose key may only be agreed on", Taken),
    row("no TLS", Refused("the server does not speak TLS")),
    row(
        "TLS 1.1 and no newer",
        Refused("speaks no TLS of version 1.2 or newer"),
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
        OnlyKubectl("the client key is one of ECDSA P-521"),
    ),
    row("a client's key of Ed25519", Taken),
    row("a client's key of RSA 2048", Taken),
    row(
        "a client's key of RSA 1024",
        OnlyKubectl("the client key is one of RSA with fewer than 2048 bits"),
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
        "no client's certificate",
        Refused("asks for a client certificate"),
    ),
];

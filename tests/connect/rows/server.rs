//! Rows about the server: what it is trusted by, and how its address reads.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::super::Expect::{Alike, OnlyKubectl, Otherwise, Refused, Sent};
use super::super::Row;
use super::{row, token};

const REDIRECTS: &str =
    "kubectl takes the credentials wherever it is led, over plain HTTP too; API servers do not redirect";

pub(super) fn trust() -> Vec<Row> {
    vec![
        row(
            "an unknown authority",
            |ground| ground.changed(json!({"certificate-authority-data": null})),
            Refused("signed by an unknown authority"),
        ),
        row(
            "no authority, where the system has none",
            |ground| {
                ground
                    .changed(json!({"certificate-authority-data": null}))
                    .env("SSL_CERT_FILE", "/nonexistent")
                    .env("SSL_CERT_DIR", "/nonexistent")
            },
            Refused("no certificate authority is configured, and the system has none"),
        ),
        row(
            "an authority of the same name with another key",
            |ground| {
                let other = STANDARD.encode(super::super::world::Certificates::make().authority);
                ground.changed(json!({"certificate-authority-data": other}))
            },
            Refused("signed by an unknown authority"),
        ),
        row(
            "insecure-skip-tls-verify",
            |ground| {
                ground.changed(json!({"certificate-authority-data": null, "insecure-skip-tls-verify": true}))
            },
            Alike,
        ),
        row(
            "insecure-skip-tls-verify beside an authority",
            |ground| ground.changed(json!({"insecure-skip-tls-verify": true})),
            Refused("insecure-skip-tls-verify and a certificate authority are both set"),
        ),
        row(
            "--insecure-skip-tls-verify drops the file's authority",
            |ground| token(ground).args(["--insecure-skip-tls-verify"]),
            Alike,
        ),
        row(
            "--certificate-authority drops the file's insecurity",
            |ground| {
                let authority = ground.file("ca.crt", &ground.certificates.authority);
                ground
                    .changed(json!({"certificate-authority-data": null, "insecure-skip-tls-verify": true}))
                    .args([&*format!("--certificate-authority={authority}")])
            },
            Alike,
        ),
        row(
            "an authority in a file and as data",
            |ground| {
                let authority = ground.file("ca.crt", &ground.certificates.authority);
                ground.changed(json!({"certificate-authority": authority}))
            },
            Refused("certificate-authority and certificate-authority-data are both set"),
        ),
        row(
            "an authority whose file is missing",
            |ground| {
                ground.changed(json!({"certificate-authority-data": null, "certificate-authority": "/no/ca"}))
            },
            Refused("the certificate authority /no/ca cannot be read"),
        ),
        row(
            "an authority that is no certificate",
            |ground| ground.changed(json!({"certificate-authority-data": STANDARD.encode("nothing")})),
            Refused("the certificate authority holds no PEM certificate"),
        ),
        row(
            "a bundle of authorities with a broken one in it",
            |ground| {
                let broken = "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n";
                let authority = format!("{broken}{}", ground.certificates.authority);
                ground.changed(json!({"certificate-authority-data": STANDARD.encode(authority)}))
            },
            Alike,
        ),
        row(
            "the server's own certificate as authority",
            |ground| {
                ground.changed(
                    json!({"certificate-authority-data": STANDARD.encode(&ground.certificates.server)}),
                )
            },
            Alike,
        ),
        row(
            "tls-server-name",
            |ground| ground.changed(json!({"tls-server-name": "alt.example"})),
            Alike,
        ),
        row(
            "tls-server-name that the certificate does not bear",
            |ground| ground.changed(json!({"tls-server-name": "no.example"})),
            Refused("not valid for the name"),
        ),
        row(
            "--server drops the file's tls-server-name",
            |ground| {
                let server = format!("--server={}", ground.server());
                ground
                    .changed(json!({"tls-server-name": "no.example"}))
                    .args([&*server])
            },
            Alike,
        ),
        row(
            "--tls-server-name",
            |ground| {
                ground
                    .changed(json!({"tls-server-name": "no.example"}))
                    .args(["--tls-server-name=alt.example"])
            },
            Alike,
        ),
    ]
}

pub(super) fn addresses() -> Vec<Row> {
    vec![
        row(
            "a trailing slash",
            |ground| ground.changed(json!({"server": format!("{}/", ground.server())})),
            Alike,
        ),
        row(
            "a path prefix",
            |ground| ground.changed(json!({"server": format!("{}/k8s/clusters/c-1", ground.server())})),
            Sent(|heard| heard.path == "/k8s/clusters/c-1/version"),
        ),
        row(
            "a path prefix with a trailing slash",
            |ground| ground.changed(json!({"server": format!("{}/k8s/", ground.server())})),
            Sent(|heard| heard.path == "/k8s/version"),
        ),
        row(
            "a redirect within the server",
            |ground| ground.changed(json!({"server": format!("{}/moved", ground.server())})),
            OnlyKubectl("redirects to https://127.0.0.1", REDIRECTS),
        ),
        row(
            "a redirect to another server",
            |ground| ground.changed(json!({"server": format!("{}/away", ground.server())})),
            OnlyKubectl("redirects to https://localhost", REDIRECTS),
        ),
        row(
            "a path that is not clean",
            |ground| ground.changed(json!({"server": format!("{}//a/../b c/./%2f//ü", ground.server())})),
            Sent(|heard| heard.path == "/b%20c/%C3%BC/version"),
        ),
        row(
            "a name and a password in the address go before the token",
            |ground| ground.changed(json!({"server": format!("https://ann:p%40ss@{}", ground.world.tls)})),
            Sent(|heard| heard.authorization.as_deref() == Some("Basic YW5uOnBAc3M=")),
        ),
        row(
            "a name and a password in an address without TLS",
            |ground| ground.changed(json!({"server": format!("http://ann:pw@{}", ground.world.plain)})),
            Otherwise(
                |heard| heard.authorization.is_none(),
                "kubectl sends them in the clear, although it keeps tokens back there",
            ),
        ),
        row(
            "an IPv6 address without its brackets",
            |ground| ground.changed(json!({"server": format!("https://::1:{}", ground.world.tls6.port())})),
            Refused("the server address of cluster \"test\" is not a URL or HOST:PORT"),
        ),
        row(
            "a scheme in capitals",
            |ground| ground.changed(json!({"server": format!("HTTPS://{}", ground.world.tls)})),
            Alike,
        ),
        row(
            "an address that is a scheme alone",
            |ground| ground.changed(json!({"server": "https://"})),
            Refused("is not a URL or HOST:PORT"),
        ),
        row(
            "IPv6",
            |ground| ground.changed(json!({"server": format!("https://{}", ground.world.tls6)})),
            Alike,
        ),
        row(
            "no scheme is plain HTTP, and a token is not sent over that",
            |ground| ground.changed(json!({"server": ground.world.plain.to_string()})),
            Sent(|heard| !heard.tls && heard.authorization.is_none()),
        ),
        row(
            "http: where the system trusts nobody",
            |ground| {
                let proxy = format!("http://{}", ground.world.http_proxy);
                let server = format!("http://{}", ground.world.plain);
                ground
                    .changed(
                        json!({"server": server, "proxy-url": proxy, "certificate-authority-data": null}),
                    )
                    .env("SSL_CERT_FILE", "/nonexistent")
                    .env("SSL_CERT_DIR", "/nonexistent")
            },
            Sent(|heard| !heard.tls && heard.doors.len() == 1),
        ),
        row(
            "http: and credentials that are not sent",
            |ground| ground.changed(json!({"server": format!("http://{}", ground.world.plain)})),
            Sent(|heard| heard.authorization.is_none()),
        ),
        row(
            "plain HTTP to a port of TLS",
            |ground| ground.changed(json!({"server": ground.world.tls.to_string()})),
            Refused("write https://"),
        ),
        row(
            "https to a port without TLS",
            |ground| ground.changed(json!({"server": format!("https://{}", ground.world.plain)})),
            Refused("the connection was closed before an answer came"),
        ),
        row(
            "a scheme that nobody speaks",
            |ground| ground.changed(json!({"server": "ftp://x"})),
            Refused("does not begin with https:// or http://"),
        ),
        row(
            "a port where nothing listens",
            |ground| ground.changed(json!({"server": "https://127.0.0.1:1"})),
            Refused("the connection was refused"),
        ),
    ]
}

//! Rows about proxies.

use serde_json::json;

use super::super::Expect::{Alike, Otherwise, Refused, Sent};
use super::super::Row;
use super::super::world::{answering, silent};
use super::{row, token};

pub(super) fn proxies() -> Vec<Row> {
    vec![
        row(
            "proxy-url, loopback or not",
            |ground| ground.changed(json!({"proxy-url": format!("http://{}", ground.world.http_proxy)})),
            Sent(|heard| heard.doors.len() == 1),
        ),
        row(
            "proxy-url with a name and a password",
            |ground| {
                ground.changed(json!({"proxy-url": format!("http://ann:p%40ss@{}", ground.world.http_proxy)}))
            },
            Sent(|heard| heard.doors[0].ends_with("as Basic YW5uOnBAc3M=")),
        ),
        row(
            "proxy-url over NO_PROXY",
            |ground| {
                let proxy = format!("http://{}", ground.world.http_proxy);
                ground.changed(json!({"proxy-url": proxy})).env("NO_PROXY", "*")
            },
            Sent(|heard| heard.doors.len() == 1),
        ),
        row(
            "proxy-url of SOCKS 5 leaves the lookup of names to the proxy",
            |ground| {
                let proxy = format!("socks5://{}", ground.world.socks_proxy);
                ground.changed(json!({"server": "https://server.example", "proxy-url": proxy}))
            },
            Sent(|heard| heard.doors == ["socks proxy to server.example as nobody"]),
        ),
        row(
            "proxy-url of SOCKS 5 with a name and a password",
            |ground| {
                let proxy = format!("socks5://ann:pw@{}", ground.world.socks_proxy);
                ground.changed(json!({"server": "https://server.example", "proxy-url": proxy}))
            },
            Sent(|heard| heard.doors == ["socks proxy to server.example as ann:pw"]),
        ),
        row(
            "proxy-url of a scheme that nobody speaks",
            |ground| ground.changed(json!({"proxy-url": "ftp://127.0.0.1:1"})),
            Refused("proxy-url of the kubeconfig does not begin with http://, https:// or socks5://"),
        ),
        row(
            "proxy-url without a scheme",
            |ground| ground.changed(json!({"proxy-url": ground.world.http_proxy.to_string()})),
            Refused("proxy-url of the kubeconfig"),
        ),
        row(
            "HTTPS_PROXY for a server that is elsewhere",
            |ground| {
                ground
                    .far()
                    .env("HTTPS_PROXY", format!("http://{}", ground.world.http_proxy))
            },
            Sent(|heard| heard.doors == ["http proxy to server.example:6443 as nobody"]),
        ),
        row(
            "https_proxy without a scheme",
            |ground| {
                ground
                    .far()
                    .env("https_proxy", ground.world.http_proxy.to_string())
            },
            Sent(|heard| heard.doors.len() == 1),
        ),
        row(
            "HTTPS_PROXY of SOCKS 5",
            |ground| {
                ground
                    .far()
                    .env("HTTPS_PROXY", format!("socks5h://{}", ground.world.socks_proxy))
            },
            Sent(|heard| heard.doors == ["socks proxy to server.example as nobody"]),
        ),
        row(
            "HTTPS_PROXY spares the loopback",
            |ground| token(ground).env("HTTPS_PROXY", "http://127.0.0.1:1"),
            Sent(|heard| heard.doors.is_empty()),
        ),
        row(
            "NO_PROXY with the server's name",
            |ground| {
                ground
                    .far()
                    .env("HTTPS_PROXY", format!("http://{}", ground.world.http_proxy))
                    .env("NO_PROXY", "127.0.0.1,.example")
            },
            Refused("could not be resolved"),
        ),
        row(
            "NO_PROXY with the proxy's own address, and empty items",
            |ground| {
                ground
                    .far()
                    .env("HTTPS_PROXY", format!("http://{}", ground.world.http_proxy))
                    .env("NO_PROXY", ",127.0.0.1,,10.0.0.0/8")
            },
            Sent(|heard| heard.doors.len() == 1),
        ),
        row(
            "ALL_PROXY and HTTP_PROXY are not for https",
            |ground| {
                token(ground)
                    .env("ALL_PROXY", "http://127.0.0.1:1")
                    .env("HTTP_PROXY", "http://127.0.0.1:1")
            },
            Alike,
        ),
        row(
            "HTTP_PROXY for a server without TLS",
            |ground| {
                ground
                    .changed(json!({"server": "http://server.example", "certificate-authority-data": null}))
                    .env("HTTP_PROXY", format!("http://{}", ground.world.http_proxy))
            },
            Otherwise(
                |heard| heard.doors == ["http proxy to server.example:80 as nobody"],
                "the client library asks every HTTP proxy for a tunnel, for plain HTTP too",
            ),
        ),
        row(
            "NO_PROXY with an IPv6 address in brackets that has no port",
            |ground| {
                ground
                    .changed(json!({"server": "https://[fd00::1]:6443", "tls-server-name": "localhost"}))
                    .env("HTTPS_PROXY", format!("http://{}", ground.world.http_proxy))
                    .env("NO_PROXY", "[fd00::1]")
            },
            Sent(|heard| heard.doors == ["http proxy to [fd00::1]:6443 as nobody"]),
        ),
        row(
            "a proxy that asks for a login",
            |ground| {
                let proxy =
                    answering("HTTP/1.1 407 Who\r\nproxy-authenticate: Basic\r\ncontent-length: 0\r\n\r\n");
                ground.far().env("HTTPS_PROXY", format!("http://{proxy}"))
            },
            Refused("http://NAME:PASSWORD@HOST:PORT"),
        ),
        row(
            "a proxy that cannot reach the server",
            |ground| {
                let proxy = answering("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
                ground.far().env("HTTPS_PROXY", format!("http://{proxy}"))
            },
            Refused("it refused to connect, or could not"),
        ),
        row(
            "a proxy that says nothing",
            |ground| {
                ground
                    .far()
                    .env("HTTPS_PROXY", format!("http://{}", silent().0))
                    .args(["--request-timeout=1"])
            },
            Refused("no whole answer came within 1 s"),
        ),
        row(
            "a proxy where nothing listens",
            |ground| ground.far().env("HTTPS_PROXY", "http://127.0.0.1:1"),
            Refused("could not be read"),
        ),
    ]
}

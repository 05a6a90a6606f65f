//! The other side of a connection, made by hand: an API server with and without TLS, an HTTP proxy and a SOCKS
//! proxy before it. It writes down what reaches it, so that two programs can be compared by what they send.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::UnixTime;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{
    DigitallySignedStruct, DistinguishedName, ServerConfig, ServerConnection, SignatureScheme, StreamOwned,
};

/// What one request for `/version` brought with it, as far as a user can tell the difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heard {
    /// The path that was asked for.
    pub(crate) path: String,
    /// `Authorization`.
    pub(crate) authorization: Option<String>,
    /// The headers of impersonation, sorted.
    pub(crate) impersonation: Vec<String>,
    /// The client's certificate.
    pub(crate) certificate: Option<Vec<u8>>,
    /// Whether compressed answers are wanted.
    pub(crate) gzip: bool,
    /// Whether it came over TLS.
    pub(crate) tls: bool,
    /// The proxies that it came through, with the target and the login that each was told.
    pub(crate) doors: Vec<String>,
}

/// The certificates of all worlds.
pub(crate) struct Certificates {
    /// The authority, PEM.
    pub(crate) authority: String,
    /// The server's certificate, PEM.
    pub(crate) server: String,
    server_key: String,
    /// A client's certificate and key, PEM.
    pub(crate) client: (String, String),
}

impl Certificates {
    pub(crate) fn make() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, "authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        let names = ["127.0.0.1", "::1", "localhost", "server.example", "alt.example"];
        let signed = |names: &[&str], name: &str| {
            let key = KeyPair::generate().unwrap();
            let names: Vec<_> = names.iter().map(ToString::to_string).collect();
            let mut params = CertificateParams::new(names).unwrap();
            params.distinguished_name.push(DnType::CommonName, name);
            (
                params.signed_by(&key, &issuer).unwrap().pem(),
                key.serialize_pem(),
            )
        };
        let (server, server_key) = signed(&names, "server");
        let client = signed(&[], "ann");
        Self {
            authority,
            server,
            server_key,
            client,
        }
    }

    fn config(&self) -> Arc<ServerConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chain = vec![CertificateDer::from_pem_slice(self.server.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(self.server_key.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(Arc::new(AnyClient))
            .with_single_cert(chain, key)
            .unwrap();
        Arc::new(config)
    }
}

/// Takes any client's certificate and none, of the kinds that rustls cannot check, too: Go's servers take them.
#[derive(Debug)]
struct AnyClient;

impl ClientCertVerifier for AnyClient {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        vec![
            SignatureScheme::ECDSA_NISTP256_SHA256,
            SignatureScheme::ECDSA_NISTP384_SHA384,
            SignatureScheme::ECDSA_NISTP521_SHA512,
            SignatureScheme::RSA_PSS_SHA256,
            SignatureScheme::ED25519,
        ]
    }
}

/// Ports of one world, and what was heard there.
pub(crate) struct World {
    /// The API server with TLS.
    pub(crate) tls: SocketAddr,
    /// The same on the IPv6 loopback.
    pub(crate) tls6: SocketAddr,
    /// The API server without TLS.
    pub(crate) plain: SocketAddr,
    /// A proxy that takes CONNECT and absolute URLs.
    pub(crate) http_proxy: SocketAddr,
    /// A SOCKS 5 proxy.
    pub(crate) socks_proxy: SocketAddr,
    heard: Arc<Mutex<Log>>,
}

#[derive(Default)]
struct Log {
    requests: Vec<Heard>,
    doors: Vec<String>,
}

impl World {
    pub(crate) fn new(certificates: &Certificates) -> Self {
        let heard = Arc::<Mutex<Log>>::default();
        let config = certificates.config();
        let tls = {
            let (heard, config) = (Arc::clone(&heard), Arc::clone(&config));
            move |stream| serve_tls(stream, &config, &heard)
        };
        let tls6 = listen("[::1]:0", tls.clone());
        let tls = listen("127.0.0.1:0", tls);
        let plain = {
            let heard = Arc::clone(&heard);
            listen("127.0.0.1:0", move |stream| serve(stream, &heard, false, None))
        };
        let http_proxy = {
            let heard = Arc::clone(&heard);
            listen("127.0.0.1:0", move |stream| {
                proxy_http(stream, tls, plain, &heard);
            })
        };
        let socks_proxy = {
            let heard = Arc::clone(&heard);
            listen("127.0.0.1:0", move |stream| proxy_socks(stream, tls, &heard))
        };
        Self {
            tls,
            tls6,
            plain,
            http_proxy,
            socks_proxy,
            heard,
        }
    }

    /// What the first request for `/version` was, and through which doors anything came; forgotten with this.
    pub(crate) fn take(&self) -> Option<Heard> {
        let mut log = self.heard.lock().unwrap();
        let Log { requests, mut doors } = std::mem::take(&mut *log);
        doors.sort();
        doors.dedup();
        let request = requests
            .into_iter()
            .find(|request| request.path.ends_with("/version"))?;
        Some(Heard { doors, ..request })
    }
}

fn listen(address: &str, serve: impl Fn(TcpStream) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind(address).unwrap();
    let bound = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let serve = serve.clone();
            thread::spawn(move || serve(stream));
        }
    });
    bound
}

/// A port where everything is answered with this.
pub(crate) fn answering(text: &'static str) -> SocketAddr {
    listen("127.0.0.1:0", move |mut stream| {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        if head(&mut reader).is_some() {
            drop(stream.write_all(text.as_bytes()));
        }
    })
}

/// A TLS server that answers with a text made of the path and of the credential that came with it.
pub(crate) fn repeating(
    certificates: &Certificates,
    answer: impl Fn(&str, &str) -> String + Clone + Send + 'static,
) -> SocketAddr {
    let config = certificates.config();
    listen("127.0.0.1:0", move |stream| {
        let Ok(connection) = ServerConnection::new(Arc::clone(&config)) else {
            return;
        };
        let mut stream = BufReader::new(StreamOwned::new(connection, stream));
        while let Some((path, headers)) = head(&mut stream) {
            let sent = headers.iter().find(|(name, _)| name == "authorization");
            let sent = sent
                .and_then(|(_, value)| value.split_once(' '))
                .map_or("", |(_, credential)| credential);
            let stream = stream.get_mut();
            if stream
                .write_all(answer(&path, sent).as_bytes())
                .and_then(|()| stream.flush())
                .is_err()
            {
                return;
            }
        }
    })
}

/// A port where nothing is ever answered, and how many have come to it.
pub(crate) fn silent() -> (SocketAddr, Arc<AtomicUsize>) {
    let heard = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&heard);
    let address = listen("127.0.0.1:0", move |mut stream| {
        count.fetch_add(1, Ordering::SeqCst);
        drop(std::io::copy(&mut stream, &mut std::io::sink()));
    });
    (address, heard)
}

fn serve_tls(stream: TcpStream, config: &Arc<ServerConfig>, heard: &Mutex<Log>) {
    let Ok(mut connection) = ServerConnection::new(Arc::clone(config)) else {
        return;
    };
    let mut stream = stream;
    while connection.is_handshaking() {
        if connection.complete_io(&mut stream).is_err() {
            return;
        }
    }
    let certificate = connection
        .peer_certificates()
        .and_then(|chain| chain.first())
        .map(|certificate| certificate.to_vec());
    serve(
        StreamOwned::new(connection, stream),
        heard,
        true,
        certificate.as_deref(),
    );
}

/// Answers `/version`, and forbids the rest: that is a cluster whose user may see nothing.
fn serve(stream: impl Read + Write, heard: &Mutex<Log>, tls: bool, certificate: Option<&[u8]>) {
    let mut stream = BufReader::new(stream);
    while let Some((target, headers)) = head(&mut stream) {
        let value = |wanted: &str| {
            headers
                .iter()
                .find(|(name, _)| name == wanted)
                .map(|(_, value)| value.clone())
        };
        let mut impersonation: Vec<_> = headers
            .iter()
            .filter(|(name, _)| name.starts_with("impersonate-"))
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        impersonation.sort();
        let path = target.split('?').next().unwrap_or_default().to_owned();
        let is_version = path.ends_with("/version");
        heard.lock().unwrap().requests.push(Heard {
            path,
            authorization: value("authorization"),
            impersonation,
            certificate: certificate.map(<[u8]>::to_vec),
            gzip: value("accept-encoding").is_some_and(|value| value.contains("gzip")),
            tls,
            doors: Vec::new(),
        });
        let path = target.split('?').next().unwrap_or_default();
        let host = value("host").unwrap_or_default();
        // Two ways to be led on: within the server, and to another name of it.
        let location = if let Some(rest) = path.strip_prefix("/moved") {
            format!("location: {rest}\r\n")
        } else if let Some(rest) = path.strip_prefix("/away") {
            format!(
                "location: https://{}{rest}\r\n",
                host.replace("127.0.0.1", "localhost")
            )
        } else {
            String::new()
        };
        let (status, body) = if !location.is_empty() {
            ("302 Found", "")
        } else if is_version {
            ("200 OK", r#"{"major":"1","minor":"37","gitVersion":"v1.37.1"}"#)
        } else {
            (
                "403 Forbidden",
                r#"{"kind":"Status","apiVersion":"v1","status":"Failure","message":"forbidden: User \"ann\" cannot","reason":"Forbidden","code":403}"#,
            )
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\n{location}content-type: application/json\r\nwarning: 299 - \"this server is old\"\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        let stream = stream.get_mut();
        if stream
            .write_all(answer.as_bytes())
            .and_then(|()| stream.flush())
            .is_err()
        {
            break;
        }
    }
}

/// The target and the headers of a request.
fn head(stream: &mut impl BufRead) -> Option<(String, Vec<(String, String)>)> {
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let target = line.split_whitespace().nth(1)?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.trim().to_owned())),
            None => return Some((target, headers)),
        }
    }
}

/// An HTTP proxy that leads wherever it is asked for to this server.
fn proxy_http(stream: TcpStream, tls: SocketAddr, plain: SocketAddr, heard: &Mutex<Log>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let Some((target, headers)) = head(&mut reader) else {
        return;
    };
    let login = headers
        .iter()
        .find(|(name, _)| name == "proxy-authorization")
        .map(|(_, value)| value.as_str());
    let shown = target
        .trim_start_matches("http://")
        .split('/')
        .next()
        .unwrap_or_default();
    heard
        .lock()
        .unwrap()
        .doors
        .push(format!("http proxy to {shown} as {}", login.unwrap_or("nobody")));
    if target.starts_with("http://") {
        // A request with an absolute URL, which is passed on as it is.
        let path = target.splitn(4, '/').nth(3).unwrap_or_default();
        let Ok(mut server) = TcpStream::connect(plain) else {
            return;
        };
        let mut request = format!("GET /{path} HTTP/1.1\r\n");
        for (name, value) in &headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        request.push_str("\r\n");
        if server.write_all(request.as_bytes()).is_ok() {
            join(stream, server);
        }
        return;
    }
    let to_plain = target.ends_with(&format!(":{}", plain.port())) || target.ends_with(":80");
    let Ok(server) = TcpStream::connect(if to_plain { plain } else { tls }) else {
        return;
    };
    let mut client = stream;
    if client
        .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
        .is_ok()
    {
        join(client, server);
    }
}

/// A SOCKS 5 proxy (RFC 1928, RFC 1929) that leads wherever it is asked for to this server.
fn proxy_socks(mut stream: TcpStream, tls: SocketAddr, heard: &Mutex<Log>) {
    let Some((host, login)) = socks_request(&mut stream) else {
        return;
    };
    heard
        .lock()
        .unwrap()
        .doors
        .push(format!("socks proxy to {host} as {login}"));
    let Ok(server) = TcpStream::connect(tls) else {
        return;
    };
    if stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).is_ok() {
        join(stream, server);
    }
}

/// The host that a SOCKS client wants to reach, and as whom.
fn socks_request(stream: &mut TcpStream) -> Option<(String, String)> {
    let [_, methods] = bytes(stream)?;
    let has_login = text(stream, methods)?.contains('\u{2}');
    stream.write_all(&[5, if has_login { 2 } else { 0 }]).ok()?;
    let mut login = "nobody".to_owned();
    if has_login {
        let [_, length] = bytes(stream)?;
        let user = text(stream, length)?;
        let [length] = bytes(stream)?;
        login = format!("{user}:{}", text(stream, length)?);
        stream.write_all(&[1, 0]).ok()?;
    }
    let [_, _, _, kind] = bytes(stream)?;
    let host = match kind {
        1 => IpAddr::from(bytes::<4>(stream)?).to_string(),
        3 => {
            let [length] = bytes(stream)?;
            text(stream, length)?
        }
        _ => return None,
    };
    let [_, _] = bytes(stream)?;
    Some((host, login))
}

fn bytes<const N: usize>(stream: &mut TcpStream) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).ok().map(|()| bytes)
}

fn text(stream: &mut TcpStream, length: u8) -> Option<String> {
    let mut bytes = vec![0; usize::from(length)];
    stream.read_exact(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Passes bytes both ways until both are done.
fn join(client: TcpStream, server: TcpStream) {
    let copy = |mut from: TcpStream, mut to: TcpStream| {
        drop(std::io::copy(&mut from, &mut to));
        drop(to.shutdown(Shutdown::Write));
    };
    let (Ok(back_to), Ok(back_from)) = (client.try_clone(), server.try_clone()) else {
        return;
    };
    let back = thread::spawn(move || copy(back_from, back_to));
    copy(client, server);
    drop(back.join());
}

//! What stands between a client and the API server in some tests: a balancer that hands out connections in
//! turn, a proxy that has the server answer JSON whatever the client wishes, a listener that hears who calls.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A TCP balancer; it lives as long as the process.
pub(crate) struct Balancer {
    /// Where it listens.
    pub(crate) address: String,
}

impl Balancer {
    /// Starts one in front of servers; each new connection goes to the next.
    pub(crate) fn start(servers: Vec<String>) -> Self {
        let next = AtomicUsize::new(0);
        let address = listen(move |client| {
            let server = &servers[next.fetch_add(1, Ordering::SeqCst) % servers.len()];
            if let Ok(server) = TcpStream::connect(server) {
                join(client, server);
            }
        });
        Self { address }
    }
}

/// An HTTP proxy in front of `kubectl proxy` that knows no protobuf, as some gateways do.
pub(crate) struct JsonOnly {
    /// Where it listens.
    pub(crate) address: String,
    asked: Arc<AtomicUsize>,
}

impl JsonOnly {
    /// Starts one in front of a plain HTTP server.
    pub(crate) fn start(server: String) -> Self {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let address = listen(move |client| {
            let Ok(mut server) = TcpStream::connect(&server) else {
                return;
            };
            let mut reader = BufReader::new(client.try_clone().unwrap());
            // A connection carries one request, so that every request's head is seen.
            let mut head = String::new();
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 {
                    return;
                }
                if line == "\r\n" {
                    break;
                }
                let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
                if name == "accept" && line.contains("protobuf") {
                    count.fetch_add(1, Ordering::SeqCst);
                }
                if !["accept", "connection"].contains(&name.as_str()) {
                    head.push_str(&line);
                }
            }
            head.push_str("Accept: application/json\r\nConnection: close\r\n\r\n");
            if server.write_all(head.as_bytes()).is_ok() {
                let _ = io::copy(&mut server, &mut &client);
                let _ = client.shutdown(Shutdown::Both);
            }
        });
        Self { address, asked }
    }

    /// How many requests wished for protobuf.
    pub(crate) fn wishes(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// A server that answers nothing and counts the connections it gets.
pub(crate) struct Ear {
    /// Where it listens.
    pub(crate) address: String,
    heard: Arc<AtomicUsize>,
}

impl Ear {
    /// Starts one.
    pub(crate) fn listen() -> Self {
        let heard = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&heard);
        let address = listen(move |mut client| {
            count.fetch_add(1, Ordering::SeqCst);
            let _ = client.read(&mut [0; 1024]);
        });
        Self { address, heard }
    }

    /// How many connections it got.
    pub(crate) fn heard(&self) -> usize {
        self.heard.load(Ordering::SeqCst)
    }
}

/// Listens on a free port, and serves each connection in a thread of its own until the process ends.
fn listen(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            thread::spawn(move || serve(client));
        }
    });
    address
}

/// Carries bytes both ways until both sides have ended.
fn join(client: TcpStream, server: TcpStream) {
    let (mut client_reads, mut server_writes) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || {
        let _ = io::copy(&mut client_reads, &mut server_writes);
        let _ = server_writes.shutdown(Shutdown::Write);
    });
    let (mut server_reads, mut client_writes) = (server, client);
    let _ = io::copy(&mut server_reads, &mut client_writes);
    let _ = client_writes.shutdown(Shutdown::Write);
}

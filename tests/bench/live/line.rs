//! A line to the server: so long a round trip, so many bits a second, shared by all connections. It counts what it
//! carries.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What a line is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    /// There and back.
    pub(crate) round_trip: Duration,
    /// Bits a second, each way; `None` for as many as there are.
    pub(crate) rate: Option<u64>,
}

impl Speed {
    /// No limit at all.
    pub(crate) const fn unlimited() -> Self {
        Self {
            round_trip: Duration::ZERO,
            rate: None,
        }
    }
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let millis = self.round_trip.as_millis();
        match self.rate {
            Some(rate) => write!(f, "{millis} ms, {} Mbit/s", rate / 1_000_000),
            None => write!(f, "{millis} ms"),
        }
    }
}

/// A line; it lives as long as the process.
pub(crate) struct Line {
    /// Where it begins.
    pub(crate) address: String,
    carried: Arc<AtomicU64>,
}

/// One way of a line: when it is free again.
struct Way {
    speed: Speed,
    free: Mutex<Instant>,
}

/// Bytes, and when they arrive.
type Parcel = (Instant, Vec<u8>);

/// No more parcels than this are under way on a connection: the window of TCP.
const WINDOW: usize = 512;

impl Line {
    /// Lays one to a server.
    pub(crate) fn lay(server: String, speed: Speed) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let carried = Arc::new(AtomicU64::new(0));
        let way = || {
            let free = Mutex::new(Instant::now());
            Arc::new(Way { speed, free })
        };
        let (up, down, counter) = (way(), way(), Arc::clone(&carried));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(&server).unwrap();
                for stream in [&client, &server] {
                    stream.set_nodelay(true).unwrap();
                }
                // The client's handshake with this end took no time; on a real line it is a round trip.
                let open = Instant::now() + speed.round_trip;
                carry(&client, &server, &up, Arc::default(), open);
                carry(&server, &client, &down, Arc::clone(&counter), open);
            }
        });
        Self { address, carried }
    }

    /// How many bytes came from the server since it was asked last.
    pub(crate) fn carried(&self) -> u64 {
        self.carried.swap(0, Ordering::SeqCst)
    }
}

fn carry(from: &TcpStream, to: &TcpStream, way: &Arc<Way>, counter: Arc<AtomicU64>, open: Instant) {
    let (mut from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    let (parcels, arrivals) = sync_channel(WINDOW);
    thread::spawn(move || deliver(&arrivals, to));
    let way = Arc::clone(way);
    thread::spawn(move || {
        let mut buffer = vec![0; 16 << 10];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            counter.fetch_add(count as u64, Ordering::SeqCst);
            let parcel = (way.arrival(count, open), buffer[..count].to_vec());
            if parcels.send(parcel).is_err() {
                break;
            }
        }
    });
}

fn deliver(arrivals: &Receiver<Parcel>, mut to: TcpStream) {
    for (at, bytes) in arrivals {
        thread::sleep(at.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

impl Way {
    /// When so many bytes that are sent now are there; a connection that is not open yet holds up no other.
    fn arrival(&self, bytes: usize, open: Instant) -> Instant {
        let mut free = self.free.lock().unwrap();
        let now = Instant::now();
        let bits = bytes as u64 * 8;
        let sending = self
            .speed
            .rate
            .map(|rate| Duration::from_nanos(bits * 1_000_000_000 / rate));
        *free = (*free).max(now) + sending.unwrap_or_default();
        *free + self.speed.round_trip / 2 + open.saturating_duration_since(now)
    }
}

//! `CommitProxy`, a TCP proxy for tests that cuts a database connection around a COMMIT: the one moment when a client
//! cannot know what became of its transaction.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// When to cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitCut {
    /// The COMMIT never reaches the server.
    BeforeCommit,
    /// The server commits, and its answer never reaches the client.
    AfterCommit,
}

/// A relay in front of a PostgreSQL server.
pub struct CommitProxy {
    address: SocketAddr,
    cut: Arc<Mutex<Option<CommitCut>>>,
}

impl CommitProxy {
    /// Relays every connection to the server at `target` (`host:port`).
    pub fn start(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let cut = Arc::<Mutex<Option<CommitCut>>>::default();
        let target = target.to_owned();
        let orders = Arc::clone(&cut);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if let Ok(server) = TcpStream::connect(&target) {
                    relay_streams(&client, &server, &orders);
                }
            }
        });
        Self { address, cut }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cuts the connection that commits next; only that one.
    pub fn cut_next_commit(&self, cut: CommitCut) {
        *self.cut.lock().unwrap_or_else(PoisonError::into_inner) = Some(cut);
    }

    /// Whether an ordered cut is still to come.
    pub fn is_armed(&self) -> bool {
        self.cut.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

fn relay_streams(client: &TcpStream, server: &TcpStream, orders: &Arc<Mutex<Option<CommitCut>>>) {
    let both = |stream: &TcpStream| stream.try_clone().expect("a socket can be shared");
    let muted = Arc::new(Mutex::new(false));
    let from = both(client);
    let to = both(server);
    let orders = Arc::clone(orders);
    let mute = Arc::clone(&muted);
    std::thread::spawn(move || {
        copy_until(from, to, |bytes| {
            let commits = bytes.windows(7).any(|window| window == b"COMMIT\0");
            let order = if commits { orders.lock().unwrap_or_else(PoisonError::into_inner).take() } else { None };
            *mute.lock().unwrap_or_else(PoisonError::into_inner) |= order == Some(CommitCut::AfterCommit);
            order != Some(CommitCut::BeforeCommit)
        });
    });
    let from = both(server);
    let to = both(client);
    std::thread::spawn(move || copy_until(from, to, |_| !*muted.lock().unwrap_or_else(PoisonError::into_inner)));
}

/// Copies until one side ends or `pass` refuses, then ends both.
fn copy_until(mut from: TcpStream, mut to: TcpStream, pass: impl Fn(&[u8]) -> bool) {
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if !pass(&buffer[..length]) || to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        // Already ended from the other side.
        drop(stream.shutdown(Shutdown::Both));
    }
}

//! Accepts connections within bounds: a request must begin and end in time, and of those that have shown no token only
//! so many are open, for each address and in all. Above that the oldest gives way to the newest, so that a client that
//! holds connections open and says nothing keeps no other client out.

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt as _;

/// How long a client may take to send the head of a request, and how long a connection may wait for the next one.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// The pause after the system refused a connection, as it does where no more files may be open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// How many connections without a token one address may have, and all together.
const MAX_STRANGERS_OF_ADDRESS: usize = 48;
const MAX_STRANGERS: usize = 96;
/// How many connections may be open that have shown a token.
const MAX_ADMITTED: usize = 256;

/// Serves until `stop`, then lets requests under way finish.
pub(super) async fn accept_connections(listener: TcpListener, router: Router, stop: CancellationToken) {
    let table = Arc::new(ConnectionTable::default());
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, address)) => {
                // Where there is no room the connection is closed without a word, which costs the least.
                if let Some(place) = table.take_place(address.ip()) {
                    connections.spawn(serve_connection(stream, place, router.clone(), stop.clone()));
                }
            }
            // The client went away before it was accepted.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

async fn serve_connection(stream: TcpStream, place: ConnectionPlace, router: Router, stop: CancellationToken) {
    let client = Arc::clone(&place.client);
    let evicted = client.evicted.clone();
    let named = router.map_request(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Arc::clone(&client));
        request
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    let connection = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(named)).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // How a connection ends is the client's business.
        _ = connection.as_mut() => {}
        () = evicted.cancelled() => {}
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
    drop(place);
}

/// A connection, as the requests on it know it.
pub(super) struct ClientConnection {
    address: IpAddr,
    is_admitted: AtomicBool,
    evicted: CancellationToken,
    table: Arc<ConnectionTable>,
}

impl ClientConnection {
    /// Notes that a request on it had a token that counts.
    pub(super) fn admit(self: &Arc<Self>) {
        if !self.is_admitted.swap(true, Ordering::Relaxed) {
            let mut open = self.table.lock_open();
            open.strangers.retain(|other| !Arc::ptr_eq(other, self));
            open.admitted += 1;
        }
    }
}

/// The connections that are open.
#[derive(Default)]
struct ConnectionTable {
    open: Mutex<OpenConnections>,
}

#[derive(Default)]
struct OpenConnections {
    /// Those that have shown no token, the oldest first.
    strangers: VecDeque<Arc<ClientConnection>>,
    admitted: usize,
}

/// The place of a connection in the table, until it ends.
struct ConnectionPlace {
    client: Arc<ClientConnection>,
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut open = self.client.table.lock_open();
        if self.client.is_admitted.load(Ordering::Relaxed) {
            open.admitted -= 1;
        } else {
            open.strangers.retain(|other| !Arc::ptr_eq(other, &self.client));
        }
    }
}

impl ConnectionTable {
    /// A place for a connection from an address; none where too many have shown a token.
    fn take_place(self: &Arc<Self>, address: IpAddr) -> Option<ConnectionPlace> {
        let mut open = self.lock_open();
        if open.admitted >= MAX_ADMITTED {
            return None;
        }
        if open.strangers.iter().filter(|other| other.address == address).count() >= MAX_STRANGERS_OF_ADDRESS {
            let oldest = open.strangers.iter().position(|other| other.address == address);
            oldest.and_then(|at| open.strangers.remove(at)).into_iter().for_each(|oldest| oldest.evicted.cancel());
        } else if open.strangers.len() >= MAX_STRANGERS {
            open.strangers.pop_front().into_iter().for_each(|oldest| oldest.evicted.cancel());
        }
        let is_admitted = AtomicBool::new(false);
        let evicted = CancellationToken::new();
        let client = Arc::new(ClientConnection { address, is_admitted, evicted, table: Arc::clone(self) });
        open.strangers.push_back(Arc::clone(&client));
        Some(ConnectionPlace { client })
    }

    fn lock_open(&self) -> MutexGuard<'_, OpenConnections> {
        // Every change of the table is complete, so a panic of another thread leaves nothing half done.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_give_way_to_newer_ones_and_the_admitted_stay() {
        let table = Arc::new(ConnectionTable::default());
        let [here, there] = [[127, 0, 0, 1], [10, 0, 0, 9]].map(IpAddr::from);
        let known = table.take_place(here).expect("a place");
        known.client.admit();
        let mut places: Vec<_> = (0..MAX_STRANGERS_OF_ADDRESS).map(|_| table.take_place(here).expect("one")).collect();
        assert!(places.iter().all(|place| !place.client.evicted.is_cancelled()));
        places.push(table.take_place(here).expect("the oldest gives way"));
        assert!(places[0].client.evicted.is_cancelled() && !places[1].client.evicted.is_cancelled());
        // Another address has places of its own, until there are too many in all.
        places.extend((0..MAX_STRANGERS_OF_ADDRESS).map(|_| table.take_place(there).expect("one")));
        assert!(!places[1].client.evicted.is_cancelled());
        places.push(table.take_place(IpAddr::from([10, 0, 0, 8])).expect("the oldest of all gives way"));
        assert!(places[1].client.evicted.is_cancelled() && !known.client.evicted.is_cancelled());
        places.clear();
        drop(known);
        let open = table.lock_open();
        assert_eq!((open.strangers.len(), open.admitted), (0, 0));
    }

    #[test]
    fn of_those_with_a_token_there_are_only_so_many() {
        let table = Arc::new(ConnectionTable::default());
        let here = IpAddr::from([127, 0, 0, 1]);
        let mut places: Vec<_> = (0..MAX_ADMITTED).filter_map(|_| table.take_place(here)).collect();
        for place in &places {
            place.client.admit();
        }
        assert!(places.len() == MAX_ADMITTED && table.take_place(here).is_none());
        places.pop();
        assert!(table.take_place(here).is_some());
    }
}

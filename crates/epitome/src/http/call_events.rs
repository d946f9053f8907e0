//! Live events of dispatches: `GET /v1/events` as server-sent events and `GET /ws` as a WebSocket tell of every call that
//! any process records (servers on standard input, hooks, commands), as `tool_call_recorded`, and of every suggestion that
//! a subscription led to, as `suggestion_made`. One task for each tenant follows the store while somebody listens.

use super::HttpState;
use super::auth::TenantState;
use super::refusal::HttpRefusal;
use crate::compose::App;
use crate::errors::{AppError, ErrorClass};
use crate::ops::memory::suggestion::SuggestionEntry;
use crate::ops::render_json;
use crate::ops::state::value::CallEntry;
use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, StreamExt, stream};
use serde_json::json;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio_util::sync::CancellationToken;

/// The name of the event.
const EVENT: &str = "tool_call_recorded";
/// The name of the event of a suggestion.
const SUGGESTION_EVENT: &str = "suggestion_made";

/// Suggestions that are read at once.
const MAX_SUGGESTIONS: u32 = 100;

/// Events that wait for a listener at most; one that is slower is told how many it missed.
const MAX_WAITING: usize = 4_096;

/// How long to wait for a notice before looking anyway: behind a pooler PostgreSQL's notices do not arrive.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Calls that are read at once.
const MAX_CALLS: u32 = 2_000;

/// Listeners of one tenant at once.
const MAX_LISTENERS: usize = 64;

/// Numbers of calls may become visible out of order, so that so many before the newest one are looked at again.
const OVERLAP: i64 = 256;

/// The pause after a store that could not be followed.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

/// Those who listen to one tenant's calls.
#[derive(Default)]
pub(super) struct CallEvents(Mutex<Option<broadcast::Sender<LiveEvent>>>);

/// An event with its name.
type LiveEvent = (&'static str, Arc<str>);

impl CallEvents {
    /// Listens from now on; the first listener begins to follow the store.
    async fn subscribe(
        &self,
        app: &Arc<App>,
        stop: &CancellationToken,
    ) -> Result<broadcast::Receiver<LiveEvent>, AppError> {
        let mut sender = self.0.lock().await;
        // Whoever follows for nobody is about to end.
        if let Some(sender) = sender.as_ref().filter(|sender| sender.receiver_count() > 0) {
            if sender.receiver_count() >= MAX_LISTENERS {
                let message = format!("{MAX_LISTENERS} listen to calls already");
                return Err(AppError::new(ErrorClass::Unavailable, "too_many_listeners", message));
            }
            return Ok(sender.subscribe());
        }
        // What was there before the first listener came is no news.
        let newest = app.engine.tool_calls_after(0, 1).await?.first().map_or(0, |call| call.number);
        let suggested = app.engine.suggestions_after(&app.project, 0, 1).await?.last().map_or(0, |it| it.number);
        let (made, listener) = broadcast::channel(MAX_WAITING);
        let follower =
            CallFollower { app: Arc::clone(app), listeners: made.clone(), newest, suggested, told: BTreeSet::new() };
        tokio::spawn(follower.run(newest, stop.clone()));
        *sender = Some(made);
        Ok(listener)
    }
}

/// Hands every call that is recorded to those who listen, until nobody does.
struct CallFollower {
    app: Arc<App>,
    listeners: broadcast::Sender<LiveEvent>,
    /// The highest number that was seen.
    newest: i64,
    /// The place of the newest suggestion that was handed on.
    suggested: i64,
    /// Numbers that were handed on.
    told: BTreeSet<i64>,
}

impl CallFollower {
    async fn run(mut self, begin: i64, stop: CancellationToken) {
        while self.listeners.receiver_count() > 0 && !stop.is_cancelled() {
            if let Err(error) = self.follow_store(begin, &stop).await {
                tracing::warn!(%error, "calls cannot be followed; it is tried again");
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    }

    async fn follow_store(&mut self, begin: i64, stop: &CancellationToken) -> Result<(), engine::Error> {
        let mut watch = self.app.engine.watch_tool_calls().await?;
        loop {
            self.tell_news(begin).await?;
            if self.listeners.receiver_count() == 0 {
                return Ok(());
            }
            match stop.run_until_cancelled(watch.wait_for_calls(LOOK_INTERVAL)).await {
                Some(waited) => waited?,
                None => return Ok(()),
            }
        }
    }

    async fn tell_news(&mut self, begin: i64) -> Result<(), engine::Error> {
        let from = (self.newest - OVERLAP).max(begin);
        for call in self.app.engine.tool_calls_after(from, MAX_CALLS).await? {
            self.newest = self.newest.max(call.number);
            if self.told.insert(call.number) {
                let entry = json!({ "event": EVENT, "entry": CallEntry::new(call, None) });
                // Without a listener it is lost, which is what should happen to it.
                let _ = self.listeners.send((EVENT, render_json(&entry).into()));
            }
        }
        for suggestion in self.app.engine.suggestions_after(&self.app.project, self.suggested, MAX_SUGGESTIONS).await? {
            self.suggested = self.suggested.max(suggestion.number);
            let entry = json!({ "event": SUGGESTION_EVENT, "entry": SuggestionEntry::from(suggestion) });
            let _ = self.listeners.send((SUGGESTION_EVENT, render_json(&entry).into()));
        }
        // Numbers below what is looked at again are not asked for any more.
        self.told = self.told.split_off(&(self.newest - OVERLAP));
        Ok(())
    }
}

/// `GET /v1/events`, and `GET /ui/events` for pages.
pub(super) async fn send_events(
    State(server): State<Arc<HttpState>>,
    Extension(tenant): Extension<Arc<TenantState>>,
) -> Response {
    let listener = match tenant.events.subscribe(&tenant.app, &server.ends.of_listening).await {
        Ok(listener) => listener,
        Err(problem) => return HttpRefusal::from(problem).into_response(),
    };
    let stop = server.ends.of_listening.clone().cancelled_owned();
    let events = event_stream(listener).map(|event| Ok::<_, Infallible>(event.into_sse()));
    // A first comment, so that a client knows at once that it listens.
    let begin = stream::once(async { Ok(Event::default().comment("listening")) });
    Sse::new(begin.chain(events).take_until(stop)).keep_alive(KeepAlive::default()).into_response()
}

/// `GET /ws`.
pub(super) async fn open_socket(
    State(server): State<Arc<HttpState>>,
    Extension(tenant): Extension<Arc<TenantState>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let stop = server.ends.of_listening.clone();
    let listener = match tenant.events.subscribe(&tenant.app, &stop).await {
        Ok(listener) => listener,
        Err(problem) => return HttpRefusal::from(problem).into_response(),
    };
    upgrade.max_message_size(MAX_CLIENT_MESSAGE).on_upgrade(move |socket| async move {
        // The client hung up, or the server ends; both are how a socket ends.
        let _ = stop.run_until_cancelled(serve_socket(socket, listener)).await;
    })
}

/// A client has nothing to say here but that it is there.
const MAX_CLIENT_MESSAGE: usize = 4 << 10;

async fn serve_socket(mut socket: WebSocket, listener: broadcast::Receiver<LiveEvent>) -> Option<()> {
    let mut events = std::pin::pin!(event_stream(listener));
    loop {
        tokio::select! {
            event = events.next() => socket.send(Message::Text(event?.into_text().into())).await.ok()?,
            // Reading answers pings and notices when the client leaves.
            message = socket.recv() => drop(message?.ok()?),
        }
    }
}

/// What a listener is told.
enum ListenerEvent {
    Live(LiveEvent),
    /// So many calls went by faster than the listener reads: it should ask for totals again.
    Missed(u64),
}

impl ListenerEvent {
    fn into_text(self) -> String {
        match self {
            Self::Live((_, text)) => text.to_string(),
            Self::Missed(count) => json!({ "event": "missed", "count": count }).to_string(),
        }
    }

    fn into_sse(self) -> Event {
        let name = if let Self::Live((name, _)) = &self { *name } else { "missed" };
        Event::default().event(name).data(self.into_text())
    }
}

fn event_stream(listener: broadcast::Receiver<LiveEvent>) -> impl Stream<Item = ListenerEvent> + Send {
    stream::unfold(listener, |mut listener| async move {
        match listener.recv().await {
            Ok(event) => Some((ListenerEvent::Live(event), listener)),
            Err(RecvError::Lagged(count)) => Some((ListenerEvent::Missed(count), listener)),
            Err(RecvError::Closed) => None,
        }
    })
}

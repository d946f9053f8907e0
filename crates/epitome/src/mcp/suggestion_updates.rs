//! Tells clients that the resource `epitome://suggestions` has something new: by `notifications/resources/updated` after
//! `resources/subscribe`, and on a stream of `subscriptions/listen` in the newer era. A client that subscribes to nothing
//! is told nothing, and nothing is looked at for it.

use super::resources::SUGGESTIONS_URI;
use crate::compose::App;
use rmcp::model::{ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerNotification};
use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// How often it is looked.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Suggestions that are looked at: whether there are any is all that is told.
const LOOKED_AT: u32 = 1;

/// Tells a client of the older era until the handle is dropped, or the client is gone.
pub(super) async fn tell_peer(app: Arc<App>, peer: Peer<RoleServer>, stop: CancellationToken) -> AbortOnDropHandle<()> {
    // Before the client hears that it is subscribed: what is made from then on is news.
    let mut look = SuggestionLook::new(app).await;
    AbortOnDropHandle::new(tokio::spawn(async move {
        while stop.run_until_cancelled(look.wait_for_news()).await.is_some() {
            let updated = ResourceUpdatedNotification::new(ResourceUpdatedNotificationParam::new(SUGGESTIONS_URI));
            if peer.send_notification(ServerNotification::ResourceUpdatedNotification(updated)).await.is_err() {
                return;
            }
        }
    }))
}

/// Tells a client of the newer era until it cancels, or the server ends.
pub(super) async fn tell_stream(app: Arc<App>, context: &SubscriptionContext, stop: &CancellationToken) {
    let sink = context.sink().clone();
    let tell = async {
        let mut look = SuggestionLook::new(app).await;
        loop {
            look.wait_for_news().await;
            // One that the client did not ask for is refused by the sink, and the stream goes on.
            let _ = sink.notify_resource_updated(SUGGESTIONS_URI).await;
        }
    };
    tokio::select! {
        () = context.cancelled() => {}
        () = stop.cancelled() => {}
        () = tell => {}
    }
}

/// The place up to which suggestions were seen.
struct SuggestionLook {
    app: Arc<App>,
    seen: i64,
}

impl SuggestionLook {
    async fn new(app: Arc<App>) -> Self {
        let mut look = Self { app, seen: 0 };
        look.has_news().await;
        look
    }

    async fn wait_for_news(&mut self) {
        loop {
            tokio::time::sleep(LOOK_INTERVAL).await;
            if self.has_news().await {
                return;
            }
        }
    }

    async fn has_news(&mut self) -> bool {
        // A store that cannot be read now is read at the next look.
        let found =
            self.app.engine.suggestions_after(&self.app.project, self.seen, LOOKED_AT).await.unwrap_or_default();
        let newest = found.last().map_or(self.seen, |newest| newest.number);
        std::mem::replace(&mut self.seen, newest) < newest
    }
}

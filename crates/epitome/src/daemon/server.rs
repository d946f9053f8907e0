//! The daemon's main loop: takes the lock, listens on the Unix socket, answers requests of hooks, drains the spool, and
//! exits when idle.

use super::app_cache::AppCache;
use super::lock::DaemonLock;
use crate::background::{JobResources, ProcessKind, start_jobs};
use crate::compose::App;
use crate::config::Environment;
use crate::daemon_link::{
    AnswerRequest, DaemonCommand, DaemonOutcome, DaemonReply, ParsedRequest, VERSION, socket_path,
};
use crate::errors::{AppError, ErrorClass};
use crate::hook;
use agents::HookEvent;
use fs_err as fs;
use std::sync::{Arc, Mutex as Cell, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Mutex, Notify};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often it looks whether there is still a point in staying.
const IDLE_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Longer than any event that is asked about; a line that does not end is not read for ever.
const MOST_BYTES: u64 = 64 << 20;

struct Daemon {
    app: Arc<App>,
    /// Answers are worked out one after the other: each has to know which texts the one before it injected.
    open: Mutex<AppCache>,
    started: Instant,
    /// When something last happened.
    last: Cell<Instant>,
    /// Something may wait in the spool.
    poked: Notify,
    /// It was asked to stop.
    leave: Notify,
}

/// Does what the daemon does until it leaves: nothing happened for a while, or one of the reasons above.
pub(crate) async fn run(post: DaemonLock, app: App, idle: Duration) -> Result<(), AppError> {
    let place = socket_path(&app.directories.state);
    // The socket of a daemon that was killed is still there; the lock proves that no other one uses it. Nor can anything
    // else stay there: a folder in its place would keep every daemon away.
    if fs::symlink_metadata(&place).is_ok_and(|there| there.is_dir()) {
        let _ = fs::remove_dir(&place);
    }
    let _ = fs::remove_file(&place);
    let listener = UnixListener::bind(&place).map_err(|error| {
        AppError::new(ErrorClass::Unavailable, "daemon", format!("cannot listen at {}: {error}", place.display()))
    })?;
    let app = Arc::new(app);
    let daemon = Arc::new(Daemon {
        open: Mutex::new(AppCache::new(Arc::clone(&app))),
        app,
        started: Instant::now(),
        last: Cell::new(Instant::now()),
        poked: Notify::new(),
        leave: Notify::new(),
    });
    let draining = tokio::spawn(Arc::clone(&daemon).run_drain_loop());
    let stop = CancellationToken::new();
    start_jobs(ProcessKind::Daemon, &JobResources::for_app(&daemon.app, stop.clone()));
    let mut look = tokio::time::interval(IDLE_CHECK_INTERVAL);
    loop {
        tokio::select! {
            // A failed accept, as with too many open files, passes; the next tick looks whether to stay.
            accepted = listener.accept() => if let Ok((stream, _)) = accepted && is_own_user(&stream) {
                tokio::spawn(Arc::clone(&daemon).serve_connection(stream));
            },
            _ = look.tick() => {
                if !post.is_held() || daemon.idle_time() > idle {
                    break;
                }
                // Where an answer holds the lock, the next tick comes soon enough.
                if let Ok(open) = daemon.open.try_lock() {
                    open.release_idle();
                }
            }
            () = daemon.leave.notified() => break,
        }
    }
    // A hook that connects now finds no daemon and does the work itself; requests under way are finished.
    drop(listener);
    // Another daemon may have taken the place, and then the socket is its own.
    if post.is_held() {
        let _ = fs::remove_file(&place);
    }
    // An answer that is being worked out holds this lock; waiting for it lets the hook have its reply.
    let _finished = daemon.open.lock().await;
    stop.cancel();
    // A drain may be aborted anywhere: events leave the spool only after they are stored.
    draining.abort();
    let _ = draining.await;
    daemon.app.engine.flush_pending().await;
    Ok(())
}

/// Whether a client runs as this user, or as root: what is stored is told to no other, whatever the rights of the socket.
fn is_own_user(stream: &UnixStream) -> bool {
    let own = rustix::process::geteuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == own || peer.uid() == 0)
}

impl Daemon {
    fn idle_time(&self) -> Duration {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    fn record_activity(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Takes in waiting events, again and again. A failure that stays the same is logged once.
    async fn run_drain_loop(self: Arc<Self>) {
        let mut told = String::new();
        let mut waiting = 0;
        loop {
            let drained = hook::drain_spool(&self.app, Duration::ZERO).await;
            match &drained {
                Ok(drained) if drained.events > 0 => self.record_activity(),
                // Reported once: the loop runs every few seconds, and the failure would fill the file of failures.
                Err(error) if error.to_string() != told => {
                    told = error.to_string();
                    hook::record_drain_failure(&self.app.directories.state);
                }
                Ok(_) | Err(_) => {}
            }
            let pause = drained.unwrap_or_default().next_look(&mut waiting);
            let _ = tokio::time::timeout(pause, self.poked.notified()).await;
        }
    }

    /// One question and its reply. A client that hangs up early gets none.
    async fn serve_connection(self: Arc<Self>, stream: UnixStream) {
        let (from, mut to) = stream.into_split();
        let mut line = String::new();
        if BufReader::new(from.take(MOST_BYTES)).read_line(&mut line).await.is_err() {
            return;
        }
        // Any request counts as activity, so the daemon stays as long as an agent works.
        self.record_activity();
        let heard = ParsedRequest::parse_line(&line, VERSION);
        let leaves = matches!(&heard, ParsedRequest::Newer)
            || matches!(&heard, ParsedRequest::Question(question) if matches!(question.ask, DaemonCommand::Stop));
        let (outcome, asked) = match heard {
            // A newer program asked: this daemon leaves without understanding the question, and the hook starts a new
            // one.
            ParsedRequest::Newer => (DaemonOutcome::Declined, None),
            ParsedRequest::Nonsense => {
                (DaemonOutcome::Failed { reason: "the question was not understood".to_owned() }, None)
            }
            ParsedRequest::Question(question) => match question.ask {
                DaemonCommand::Drain => {
                    self.poked.notify_one();
                    (DaemonOutcome::Done, None)
                }
                DaemonCommand::State | DaemonCommand::Stop => (DaemonOutcome::Done, None),
                DaemonCommand::Answer(asked) => (DaemonOutcome::Declined, Some(asked)),
            },
        };
        match asked {
            Some(asked) => self.answer_hook(*asked, &mut to).await,
            None => self.send_reply(&mut to, outcome).await,
        }
        // The client that asked the daemon to leave gets its reply first.
        if leaves {
            self.leave.notify_one();
        }
    }

    async fn answer_hook(&self, asked: AnswerRequest, to: &mut (impl AsyncWriteExt + Unpin)) {
        let event = HookEvent::new(asked.envelope, asked.body.into_bytes());
        let environment: Environment = asked.environment.into_iter().collect();
        // One answer at a time: two agents at once would otherwise open two engines for the same project.
        let mut open = self.open.lock().await;
        let answered = async {
            let Some(app) = open.find_or_open(&event, &environment)? else { return Ok(None) };
            let answer = hook::answer_from(&app, &event).await?;
            Ok::<_, AppError>(Some((app, answer)))
        };
        match answered.await {
            Err(problem) => self.send_reply(to, DaemonOutcome::Failed { reason: problem.message }).await,
            Ok(None) => self.send_reply(to, DaemonOutcome::Declined).await,
            Ok(Some((app, answer))) => {
                self.send_reply(to, DaemonOutcome::Told { text: answer.answer_text() }).await;
                // The agent goes on already; only the next answer waits until this is recorded.
                answer.record_answer(&app).await;
            }
        }
    }

    async fn send_reply(&self, to: &mut (impl AsyncWriteExt + Unpin), outcome: DaemonOutcome) {
        let uptime_s = Some(self.started.elapsed().as_secs());
        let reply = DaemonReply { version: VERSION.to_owned(), process: std::process::id(), uptime_s, outcome };
        let mut line = serde_json::to_vec(&reply).expect("a reply can be written to memory");
        line.push(b'\n');
        let _ = to.write_all(&line).await;
        let _ = to.flush().await;
    }
}

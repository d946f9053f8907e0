//! The daemon's own end: it takes its post, listens, drains, and leaves.

use super::VERSION;
use super::open::Open;
use super::post::Post;
use super::wire::{self, Ask, Heard, Outcome, Reply, socket};
use crate::background::{JobContext, ProcessKind, start_jobs};
use crate::compose::App;
use crate::config::Environment;
use crate::errors::{Class, Problem};
use crate::hook::{self, Event};
use fs_err as fs;
use std::sync::{Arc, Mutex as Cell, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Mutex, Notify};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often it looks whether there is still a point in staying.
const LOOK: Duration = Duration::from_secs(1);
/// Longer than any event that is asked about; a line that does not end is not read for ever.
const MOST_BYTES: u64 = 64 << 20;

struct Daemon {
    app: Arc<App>,
    /// Answers are given one after the other: each knows what the one before it told.
    open: Mutex<Open>,
    /// When something last happened.
    last: Cell<Instant>,
    /// Something may wait in the spool.
    poked: Notify,
    /// It was told to leave.
    leave: Notify,
}

/// Does what the daemon does until it leaves: nothing happened for a while, or one of the reasons above.
pub(crate) async fn run(post: Post, app: App, idle: Duration) -> Result<(), Problem> {
    let place = socket(&app.directories.state);
    // What one that was killed left there.
    let _ = fs::remove_file(&place);
    let listener = UnixListener::bind(&place).map_err(|error| {
        Problem::new(Class::Unavailable, "daemon", format!("cannot listen at {}: {error}", place.display()))
    })?;
    let app = Arc::new(app);
    let daemon = Arc::new(Daemon {
        open: Mutex::new(Open::new(Arc::clone(&app))),
        app,
        last: Cell::new(Instant::now()),
        poked: Notify::new(),
        leave: Notify::new(),
    });
    let draining = tokio::spawn(Arc::clone(&daemon).drain());
    let stop = CancellationToken::new();
    start_jobs(ProcessKind::Daemon, &JobContext::for_app(&daemon.app, stop.clone()));
    let mut look = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                tokio::spawn(Arc::clone(&daemon).hear(stream));
            },
            _ = look.tick() => if !post.is_held() || daemon.quiet_for() > idle {
                break;
            },
            () = daemon.leave.notified() => break,
        }
    }
    // Who comes now finds nobody and helps itself; what is under way is finished.
    drop(listener);
    if post.is_held() {
        let _ = fs::remove_file(&place);
    }
    let _finished = daemon.open.lock().await;
    stop.cancel();
    draining.abort();
    let _ = draining.await;
    daemon.app.engine.flush().await;
    Ok(())
}

impl Daemon {
    fn quiet_for(&self) -> Duration {
        self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    fn noticed(&self) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Takes in what waits, again and again. A failure that stays the same is told once.
    async fn drain(self: Arc<Self>) {
        let (mut told, mut waiting) = (String::new(), 0);
        loop {
            let drained = hook::drain(&self.app, Duration::ZERO).await;
            match &drained {
                Ok(drained) if drained.events > 0 => self.noticed(),
                Err(error) if error.to_string() != told => {
                    told = error.to_string();
                    hook::leave_mark(&self.app.directories.state);
                }
                Ok(_) | Err(_) => {}
            }
            let pause = drained.unwrap_or_default().next_look(&mut waiting);
            let _ = tokio::time::timeout(pause, self.poked.notified()).await;
        }
    }

    /// One question and its reply. Whoever hangs up early wanted none.
    async fn hear(self: Arc<Self>, stream: UnixStream) {
        let (from, mut to) = stream.into_split();
        let mut line = String::new();
        if BufReader::new(from.take(MOST_BYTES)).read_line(&mut line).await.is_err() {
            return;
        }
        self.noticed();
        let heard = Heard::of(&line, VERSION);
        let leaves = matches!(&heard, Heard::Newer)
            || matches!(&heard, Heard::Question(question) if matches!(question.ask, Ask::Stop));
        let (outcome, asked) = match heard {
            Heard::Newer => (Outcome::Declined, None),
            Heard::Nonsense => (Outcome::Failed { reason: "the question was not understood".to_owned() }, None),
            Heard::Question(question) => match question.ask {
                Ask::Drain => {
                    self.poked.notify_one();
                    (Outcome::Done, None)
                }
                Ask::State | Ask::Stop => (Outcome::Done, None),
                Ask::Answer(asked) => (Outcome::Declined, Some(asked)),
            },
        };
        match asked {
            Some(asked) => self.answer(*asked, &mut to).await,
            None => say(&mut to, outcome).await,
        }
        // Whoever said so has the reply first.
        if leaves {
            self.leave.notify_one();
        }
    }

    async fn answer(&self, asked: wire::Asked, to: &mut (impl AsyncWriteExt + Unpin)) {
        let event = Event::new(asked.envelope, asked.body.into_bytes());
        let environment: Environment = asked.environment.into_iter().collect();
        let mut open = self.open.lock().await;
        let answered = async {
            let Some(app) = open.of(&event, &environment)? else { return Ok(None) };
            let answer = hook::answer_from(&app, &event).await?;
            Ok::<_, Problem>(Some((app, answer)))
        };
        match answered.await {
            Err(problem) => say(to, Outcome::Failed { reason: problem.message }).await,
            Ok(None) => say(to, Outcome::Declined).await,
            Ok(Some((app, answer))) => {
                say(to, Outcome::Told { text: answer.text() }).await;
                // The agent goes on; the next answer waits for this.
                answer.note(&app).await;
            }
        }
    }
}

async fn say(to: &mut (impl AsyncWriteExt + Unpin), outcome: Outcome) {
    let reply = Reply { version: VERSION.to_owned(), process: std::process::id(), outcome };
    let mut line = serde_json::to_vec(&reply).expect("a reply can be written to memory");
    line.push(b'\n');
    let _ = to.write_all(&line).await;
    let _ = to.flush().await;
}

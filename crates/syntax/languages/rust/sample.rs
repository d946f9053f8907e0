//! A small job queue: producers push, a pool of workers takes, and a job that fails is tried again later.
//!
//! The queue never sleeps itself; whoever drives it says what time it is.

use std::collections::{BinaryHeap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// Attempts before a job is given up.
pub const MAX_ATTEMPTS: u32 = 5;

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Names one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(u64);

impl JobId {
    fn fresh() -> Self {
        Self(NEXT_ID.fetch_add(1, Ordering::Relaxed))
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job_{}", self.0)
    }
}

/// What became of a job.
pub enum Outcome<T> {
    /// It gave a value.
    Done(T),
    /// It failed and will be tried again at this time.
    Later { at: u64, attempts: u32 },
    /// It failed too often.
    GivenUp(String),
}

/// Something that can be run more than once.
pub trait Job: Send {
    /// What it gives when it succeeds.
    type Output;

    /// Runs it once.
    fn run(&mut self) -> Result<Self::Output, String>;

    /// How long to wait before the next attempt, in milliseconds.
    fn backoff(&self, attempts: u32) -> u64 {
        100 << attempts.min(10)
    }
}

struct Waiting<J> {
    id: JobId,
    at: u64,
    attempts: u32,
    job: J,
}

impl<J> PartialEq for Waiting<J> {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.id) == (other.at, other.id)
    }
}

impl<J> Eq for Waiting<J> {}

impl<J> PartialOrd for Waiting<J> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<J> Ord for Waiting<J> {
    // The heap gives the greatest first, and the earliest job is wanted.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.id).cmp(&(self.at, self.id))
    }
}

/// The queue.
///
/// Jobs run in the order of the times they asked for; equal times in the order they came.
pub struct Queue<J: Job> {
    waiting: BinaryHeap<Waiting<J>>,
    finished: HashMap<JobId, Outcome<J::Output>>,
    paused: bool,
}

impl<J> Queue<J>
where
    J: Job,
{
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self { waiting: BinaryHeap::new(), finished: HashMap::new(), paused: false }
    }

    /// Adds a job that may run from `at` on.
    pub fn push(&mut self, job: J, at: u64) -> JobId {
        let id = JobId::fresh();
        self.waiting.push(Waiting { id, at, attempts: 0, job });
        id
    }

    /// Runs everything that is due, and says how many jobs ran.
    ///
    /// A job that panics takes the queue with it: it is the driver's duty to catch.
    pub fn run_due(
        &mut self,
        now: u64, /* milliseconds */
        limit: usize,
    ) -> usize {
        let mut ran = 0;
        if self.paused {
            return ran;
        }

        while ran < limit {
            let due = self.waiting.peek().is_some_and(|next| next.at <= now);
            if !due {
                break;
            }
            let Some(mut next) = self.waiting.pop() else {
                break;
            };
            ran += 1;

            match next.job.run() {
                Ok(value) => {
                    self.finished.insert(next.id, Outcome::Done(value));
                }
                Err(why) if next.attempts + 1 >= MAX_ATTEMPTS => {
                    self.finished.insert(next.id, Outcome::GivenUp(why));
                }
                Err(_) => {
                    next.attempts += 1;
                    next.at = now + next.job.backoff(next.attempts);
                    let later = Outcome::Later { at: next.at, attempts: next.attempts };
                    self.finished.insert(next.id, later);
                    self.waiting.push(next);
                }
            }
        }

        ran
    }

    /// Takes the outcome of a job, once.
    pub fn take(&mut self, id: JobId) -> Option<Outcome<J::Output>> {
        match self.finished.get(&id)? {
            Outcome::Later { .. } => None,
            Outcome::Done(_) | Outcome::GivenUp(_) => self.finished.remove(&id),
        }
    }
}

/// Prints a table of outcomes, the long way.
pub fn report<T: fmt::Debug>(outcomes: &[(JobId, Outcome<T>)]) -> String {
    let mut done = 0;
    let mut later = 0;
    let mut given_up = 0;
    let mut out = String::new();

    for (id, outcome) in outcomes {
        let line = match outcome {
            Outcome::Done(value) => {
                done += 1;
                format!("{id}: done, {value:?}")
            }
            Outcome::Later { at, attempts } => {
                later += 1;
                format!("{id}: attempt {attempts} failed, next at {at}")
            }
            Outcome::GivenUp(why) => {
                given_up += 1;
                format!("{id}: given up, {why}")
            }
        };
        out.push_str(&line);
        out.push('\n');
    }

    out.push_str("----\n");
    out.push_str(&format!("{done} done\n"));
    out.push_str(&format!("{later} later\n"));
    out.push_str(&format!("{given_up} given up\n"));

    let total = done + later + given_up;
    if total == 0 {
        out.push_str("nothing ran\n");
        return out;
    }

    let share = |part: usize| part * 100 / total;
    out.push_str(&format!("{} % done\n", share(done)));
    out.push_str(&format!("{} % later\n", share(later)));
    out.push_str(&format!("{} % given up\n", share(given_up)));

    if given_up > done {
        out.push_str("more jobs were given up than done\n");
        out.push_str("look at the first of them:\n");
        for (id, outcome) in outcomes {
            if let Outcome::GivenUp(why) = outcome {
                out.push_str(&format!("  {id}: {why}\n"));
                break;
            }
        }
    }

    let longest = outcomes.iter().filter_map(|(_, outcome)| match outcome {
        Outcome::Later { at, .. } => Some(*at),
        Outcome::Done(_) | Outcome::GivenUp(_) => None,
    });
    if let Some(at) = longest.max() {
        out.push_str(&format!("nothing left to do after {at}\n"));
    }

    if later > total / 2 {
        out.push_str("most jobs wait for another attempt\n");
    }

    // A reader in a hurry reads only the last line.
    out.push_str(if given_up == 0 { "fine\n" } else { "not fine\n" });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Flaky(u32);

    impl Job for Flaky {
        type Output = u32;
        fn run(&mut self) -> Result<u32, String> {
            self.0 = self.0.checked_sub(1).ok_or("spent")?;
            if self.0 == 0 { Ok(7) } else { Err("not yet".to_owned()) }
        }
    }

    #[test]
    fn a_job_runs_again_until_it_succeeds() {
        let mut queue = Queue::new();
        let id = queue.push(Flaky(3), 0);
        for now in [0, 1_000, 10_000] {
            queue.run_due(now, 10);
        }
        assert!(matches!(queue.take(id), Some(Outcome::Done(7))));
    }
}

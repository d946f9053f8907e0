//! A client of `epitome ingest` for torture scenarios: sends messages, records acknowledgements in its journal, and may
//! kill the process.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::home::TortureHome;
use super::journal::ClientJournal;
use super::numbered_messages;

pub(super) struct ClientOutcome {
    pub(super) status: ExitStatus,
    /// The process's standard error.
    pub(super) said: String,
    /// How long the first acknowledgement took.
    pub(super) first: Option<Duration>,
}

/// The messages of a client, and when its process is killed.
pub(super) struct IngestClient<'a> {
    pub(super) home: &'a TortureHome,
    pub(super) conversation: &'a str,
    /// Messages to send.
    pub(super) numbers: std::ops::Range<u64>,
    /// When to kill the process.
    pub(super) killed_after: Option<Duration>,
}

impl IngestClient<'_> {
    pub(super) fn run(self, journal: &mut ClientJournal) -> Result<ClientOutcome> {
        let started = Instant::now();
        let mut command = self.home.build_command(&["ingest", "--conversation", self.conversation]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("cannot start epitome")?;
        let mut input = child.stdin.take().context("standard input")?;
        let mut output = BufReader::new(child.stdout.take().context("standard output")?);
        let mut errors = child.stderr.take().context("standard error")?;
        let numbers = self.numbers.clone();
        let (first, said) = std::thread::scope(|scope| -> Result<_> {
            // A process that is gone takes no more input, which is no failure of the client.
            scope.spawn(move || {
                numbers.map(numbered_messages::message_line).try_for_each(|line| writeln!(input, "{line}")).is_ok()
            });
            let said = scope.spawn(move || {
                let mut said = String::new();
                errors.read_to_string(&mut said).map(|_| said)
            });
            let reader = scope.spawn(move || -> Result<Option<Duration>> {
                let mut first = None;
                let mut line = String::new();
                for number in self.numbers {
                    line.clear();
                    // Lines that a killed process left in the pipe were acknowledged all the same; half a line was not.
                    if output.read_line(&mut line)? == 0 || !line.ends_with('\n') {
                        break;
                    }
                    first.get_or_insert_with(|| started.elapsed());
                    journal.add_acknowledgement(number, &serde_json::from_str(&line)?)?;
                    // Synced when nothing more waits: the journal must never know less than was acknowledged to the
                    // client.
                    if output.buffer().is_empty() {
                        journal.sync()?;
                    }
                }
                journal.sync()?;
                Ok(first)
            });
            if let Some(patience) = self.killed_after {
                std::thread::sleep(patience);
                child.kill()?;
            }
            let first = reader.join().map_err(|_| anyhow::anyhow!("the reader panicked"))??;
            Ok((first, said.join().map_err(|_| anyhow::anyhow!("the reader panicked"))??))
        })?;
        ensure!(!said.contains("panicked"), "epitome ingest: {said}");
        Ok(ClientOutcome { status: child.wait()?, said, first })
    }
}

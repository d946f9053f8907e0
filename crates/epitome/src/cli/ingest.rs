//! The command `epitome ingest`: reads messages as JSON lines from standard input and prints one acknowledgement for
//! each, only after the message is durable. Lines that are waiting are stored together, so a fast writer gets the speed
//! of a group commit and a slow one its answer at once. A line that cannot be read is reported with its number and the
//! rest goes on.

use super::output::TerminalOutput;
use crate::compose::App;
use crate::errors::{AppError, ErrorClass, exit_status};
use crate::ops::memory::ingest::{IngestAcknowledgement, IngestOperation, IngestParams, WireMessage};
use crate::ops::{CommandExit, Operation};
use clap::{ArgMatches, FromArgMatches};
use engine::NullObserver;
use std::io::BufRead;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// Lines stored together at most: a commit writes pages all over the indexes, so the more come with it the better.
const GROUP: usize = 2_048;

/// KiB of lines that may wait: as many large ones would not fit into memory.
const QUEUE_CAPACITY_KIB: u32 = 64 << 10;

/// A longer line is not a message; it is reported and passed over without being held in memory.
const LONGEST_LINE: usize = 256 << 20;

/// A parsed line: a message, `None` if it is empty, or its error.
type IngestLine = Result<Option<WireMessage>, String>;

/// A line that waits, and the room it takes until then.
struct QueuedLine {
    line: IngestLine,
    _room: OwnedSemaphorePermit,
}

pub(super) async fn run(app: &App, arguments: &ArgMatches, output: &TerminalOutput) -> Result<u8, AppError> {
    let params = IngestParams::from_arg_matches(arguments)
        .map_err(|error| AppError::new(ErrorClass::Usage, "invalid_parameters", error.to_string()))?;
    let (send, mut lines) = mpsc::channel::<QueuedLine>(GROUP);
    let runtime = Handle::current();
    // A thread of its own reads, since standard input blocks and the runtime's threads must not.
    std::thread::spawn(move || read_lines(&send, &runtime));
    let mut group = Vec::new();
    let mut number = 0;
    let mut exit = CommandExit::Ok;
    // Takes all lines that wait already: a fast writer gets one commit for many lines, a slow one gets its reply at
    // once.
    while lines.recv_many(&mut group, GROUP).await > 0 {
        let mut messages = Vec::new();
        for QueuedLine { line, .. } in group.drain(..) {
            number += 1;
            match line {
                Ok(Some(message)) => messages.push((number, message)),
                Ok(None) => {}
                Err(reason) => {
                    output.print_labelled("error", "31", &format!("line {number}: {reason}"));
                    exit = CommandExit::Refused;
                }
            }
        }
        // Acknowledged only after the commit: a line that was printed survives a power cut.
        if !store_group(app, &params.conversation, messages, output).await? {
            exit = CommandExit::Refused;
        }
    }
    // Behind the last acknowledgement: the first question after many messages would wait for the index otherwise. It is
    // derived data, so that a failure changes nothing about what was stored.
    if let Err(error) = app.engine.prepare_recall().await {
        tracing::warn!(%error, "could not index the messages for recall");
    }
    Ok(exit_status(exit))
}

/// Reads until the end of input or until the receiver is gone. Lines are parsed here, while those before are stored.
fn read_lines(send: &mpsc::Sender<QueuedLine>, runtime: &Handle) {
    let room = Arc::new(Semaphore::new(QUEUE_CAPACITY_KIB as usize));
    let mut input = std::io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let outcome = std::io::Read::take(&mut input, LONGEST_LINE as u64).read_until(b'\n', &mut line);
        let end = matches!(outcome, Ok(0));
        let failed = outcome.is_err();
        // The length decides how much room a line takes, so that many small ones or a few large ones fit.
        let takes = u32::try_from(line.len() >> 10).unwrap_or(QUEUE_CAPACITY_KIB).clamp(1, QUEUE_CAPACITY_KIB);
        let room = runtime.block_on(Arc::clone(&room).acquire_many_owned(takes)).expect("it is never closed");
        let waiting = QueuedLine { line: parse_line(outcome.map(|_| line)), _room: room };
        // After a failed read nothing sensible can follow.
        if end || send.blocking_send(waiting).is_err() || failed {
            return;
        }
    }
}

fn parse_line(line: std::io::Result<Vec<u8>>) -> IngestLine {
    let line = line.map_err(|error| format!("cannot read standard input: {error}"))?;
    if line.len() >= LONGEST_LINE {
        return Err(format!("longer than {LONGEST_LINE} bytes"));
    }
    let text = std::str::from_utf8(&line).map_err(|error| format!("not UTF-8 after {} bytes", error.valid_up_to()))?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|error| {
        // Each line is a text of its own, so the "line 1" of the parser says nothing to the user.
        let place = format!(" at line {} column {}", error.line(), error.column());
        format!("{} (column {})", error.to_string().trim_end_matches(&place), error.column())
    })
}

/// Stores a group and prints its acknowledgements; whether all of it was accepted.
async fn store_group(
    app: &App,
    conversation: &str,
    messages: Vec<(u64, WireMessage)>,
    output: &TerminalOutput,
) -> Result<bool, AppError> {
    if messages.is_empty() {
        return Ok(true);
    }
    let call = app.build_call(&NullObserver);
    let (numbers, messages): (Vec<u64>, Vec<WireMessage>) = messages.into_iter().unzip();
    let reply = IngestOperation::run(&call, IngestParams { conversation: conversation.to_owned(), messages }).await?;
    // One write for the group: a writer that waits for its acknowledgement gets them all at once, and only after the
    // commit.
    let mut acknowledgements = String::new();
    let mut accepted = true;
    for (number, entry) in numbers.into_iter().zip(&reply.acknowledged) {
        match entry {
            IngestAcknowledgement::Stored { .. } => {
                let json = serde_json::to_string(entry);
                let json = json.map_err(|error| AppError::new(ErrorClass::Internal, "internal", error.to_string()))?;
                acknowledgements.push_str(&json);
                acknowledgements.push('\n');
            }
            // A refusal goes to standard error with the number of its line; the others of the group are stored all the
            // same.
            IngestAcknowledgement::Refused { error } => {
                output.print_labelled("error", "31", &format!("line {number}: {error}"));
                accepted = false;
            }
        }
    }
    output.write_text(&acknowledgements)?;
    Ok(accepted)
}

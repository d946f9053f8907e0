//! Looks through the lines of one transcript for what went wrong with Epitome. Notes of the host are read as they are
//! (`host_notes`), calls through the projection of the agent (`call_scan`); what people say about hooks counts as
//! neither.

use super::call_scan::CallScan;
use super::host_notes::HostNotes;
use super::problem::SessionProblem;
use engine::ReadableTranscript;
use model::{ProjectedMessage, Projection};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read};

/// A longer line holds content, not a note of the host.
const LONGEST_LINE: u64 = 16 << 20;
/// A transcript says within so many lines which directory it is about.
const MAX_HEAD_LINES: u64 = 100;

/// What one transcript tells.
pub(super) enum ScanOutcome {
    /// The problems, each with the number of its line.
    Scanned(Vec<(u64, SessionProblem)>),
    /// It is about a directory that was not asked for, or about none that it names.
    Elsewhere,
}

/// Looks through a transcript whose directory is one of those wanted.
pub(super) fn scan_transcript(
    transcript: &dyn ReadableTranscript,
    is_wanted: &dyn Fn(Option<&str>) -> bool,
) -> io::Result<ScanOutcome> {
    scan_lines(transcript.open_at(0)?, transcript.new_projection(), is_wanted)
}

/// The line that the source of a transcript calls it by.
pub(super) fn read_title(transcript: &dyn ReadableTranscript) -> Option<String> {
    let mut projection = transcript.new_projection();
    let mut reader = BufReader::new(transcript.open_at(0).ok()?);
    while let Some(line) = read_line(&mut reader).ok()? {
        projection.feed_line(&line);
    }
    projection.head().title.clone()
}

fn scan_lines(
    lines: Box<dyn Read + Send>,
    projection: Box<dyn Projection>,
    is_wanted: &dyn Fn(Option<&str>) -> bool,
) -> io::Result<ScanOutcome> {
    let mut reader = BufReader::new(lines);
    let mut scan = SessionScan {
        projection,
        fed: Vec::new(),
        is_held: false,
        calls: CallScan::default(),
        notes: HostNotes::default(),
        found: Vec::new(),
    };
    let mut number = 0;
    let mut is_decided = false;
    while let Some(line) = read_line(&mut reader)? {
        number += 1;
        scan.read_line(number, &line, !is_decided);
        if !is_decided && (scan.directory().is_some() || number == MAX_HEAD_LINES) {
            if !is_wanted(scan.directory()) {
                return Ok(ScanOutcome::Elsewhere);
            }
            is_decided = true;
        }
    }
    if !is_decided && !is_wanted(scan.directory()) {
        return Ok(ScanOutcome::Elsewhere);
    }
    Ok(ScanOutcome::Scanned(scan.finish()))
}

/// The next line without its newline; a piece of it, where it is too long.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let count = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    }
    Ok((count > 0).then_some(line))
}

struct SessionScan {
    projection: Box<dyn Projection>,
    /// The numbers of the lines that the projection was given, which counts only those.
    fed: Vec<u64>,
    /// Whether the projection may hold a message back that names us.
    is_held: bool,
    calls: CallScan,
    notes: HostNotes,
    found: Vec<(u64, SessionProblem)>,
}

impl SessionScan {
    fn directory(&self) -> Option<&str> {
        self.projection.head().project_dir.as_deref()
    }

    fn read_line(&mut self, number: u64, line: &[u8], is_head: bool) {
        // Most lines do not name us, and need not be parsed; a result names only the call it belongs to. A projection
        // holds a message back until another begins, so the lines behind one that names us are read until it is there.
        let is_ours = memchr::memmem::find(line, b"epitome").is_some() || self.calls.answers_call(line);
        if is_ours || is_head || self.is_held {
            self.fed.push(number);
            let messages = self.projection.feed_line(line).messages;
            self.is_held = is_ours || (self.is_held && messages.is_empty());
            self.read_messages(&messages);
        }
        if (is_ours || self.notes.is_near_command(number))
            && let Ok(record) = serde_json::from_slice::<Value>(line)
        {
            self.found.extend(self.notes.read_record(number, &record).into_iter().map(|problem| (number, problem)));
        }
    }

    fn read_messages(&mut self, messages: &[ProjectedMessage]) {
        for message in messages {
            let problems = self.calls.read_message(message);
            let placed: Vec<_> =
                problems.into_iter().map(|(line, problem)| (self.line_number(line), problem)).collect();
            self.found.extend(placed);
        }
    }

    /// The number in the file of a line that the projection counts from 0.
    fn line_number(&self, line: u64) -> u64 {
        usize::try_from(line).ok().and_then(|line| self.fed.get(line)).copied().unwrap_or_default()
    }

    fn finish(mut self) -> Vec<(u64, SessionProblem)> {
        let held = self.projection.pause();
        self.read_messages(&held);
        let run = self.calls.finish().map(|(line, problem)| (self.line_number(line), problem));
        self.found.extend(run);
        // Calls are known when their message is whole, which may be later than notes behind them.
        self.found.sort_by_key(|(line, _)| *line);
        self.found
    }
}

#[cfg(test)]
mod tests;

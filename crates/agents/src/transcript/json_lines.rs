//! Parses the lines of a transcript into JSON records for a format's `RecordReader`: counts each line, cleans it, reads
//! it as JSON. Damage that leaves a line readable (invalid UTF-8, NULs that a crash left, two records on one line) is
//! reported, and the line is read all the same: a caller can ask for the conversation or for the report.

use std::borrow::Cow;

use model::{LineKind, ProjectedLine, ProjectedMessage, Projection, TranscriptHead};

use super::blocks;
use super::json::{JsonObject, RawJson};
use super::replays::ReplayFilter;
use super::torn::Torn;

/// One format's reading of records, which are lines that are JSON.
pub(crate) trait RecordReader: Send {
    /// Takes the record on line `number`; what is complete goes to `out`.
    fn read_record(&mut self, number: u64, record: &JsonObject<'_>, out: &mut Vec<ProjectedMessage>) -> LineKind;

    /// Takes a line that is a list. Most formats have none.
    fn read_list(&mut self, _number: u64, _items: &[RawJson<'_>], _out: &mut Vec<ProjectedMessage>) -> LineKind {
        LineKind::Unknown("a list".to_owned())
    }

    /// Gives out what is held back.
    fn pause(&mut self, _out: &mut Vec<ProjectedMessage>) {}

    /// What is known about the whole.
    fn head(&self) -> &TranscriptHead;
}

/// A format's records, fed line by line.
pub(crate) struct JsonLineProjection<R> {
    records: R,
    replays: ReplayFilter,
    next: u64,
}

impl<R: RecordReader> JsonLineProjection<R> {
    pub(crate) fn new(records: R) -> Self {
        Self { records, replays: ReplayFilter::default(), next: 0 }
    }

    /// Passes on what was said, but for what was said before; a line that says nothing else is a repetition.
    fn emit_messages(
        &mut self,
        number: u64,
        kind: LineKind,
        said: Vec<ProjectedMessage>,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        // A message made of several lines is not a repetition of this one.
        let is_own = !said.is_empty() && said.iter().all(|message| message.lines == [number]);
        let mut copied = None;
        let mut is_copy = is_own && kind == LineKind::Message;
        for mut message in said {
            blocks::remove_hooked(&mut message.message.parts);
            copied = self.replays.add_message(message, out);
            is_copy &= copied.is_some();
        }
        match copied {
            Some(of) if is_copy => LineKind::Repeat { of },
            _ => kind,
        }
    }

    /// Reads the whole records of a damaged line, and says what is wrong with it.
    fn run_together(
        &mut self,
        number: u64,
        text: &str,
        error: &serde_json::Error,
        out: &mut Vec<ProjectedMessage>,
    ) -> LineKind {
        let Torn { records, gap } = Torn::read(text);
        let mut read = 0;
        // The broken piece itself cannot be read; it stays in the archive, and the kind of the line reports it.
        for record in records.iter().filter_map(|record| JsonObject::parse(record).ok()) {
            self.records.read_record(number, &record, out);
            read += 1;
        }
        let records = if read == 1 { "one record".to_owned() } else { format!("{read} records") };
        LineKind::Malformed(match gap {
            _ if read == 0 => format!("not JSON: {error}"),
            None => format!("{records} on one line, read one after the other"),
            Some(gap) if gap.end == text.len() => format!("{records} read, not JSON from byte {} on", gap.start),
            Some(gap) => format!("{records} read, not JSON from byte {} to byte {}", gap.start, gap.end),
        })
    }
}

impl<R: RecordReader> Projection for JsonLineProjection<R> {
    fn feed_line(&mut self, line: &[u8]) -> ProjectedLine {
        let number = self.next;
        self.next += 1;
        let mut said = Vec::new();
        let (text, damage) = clean_line(line);
        let kind = match text.as_bytes().first() {
            None => LineKind::Blank,
            // A list on one line is how a document keeps its messages.
            Some(b'[') => match serde_json::from_str::<Vec<&serde_json::value::RawValue>>(&text) {
                Ok(items) => {
                    let items: Vec<RawJson<'_>> = items.into_iter().map(RawJson::from).collect();
                    self.records.read_list(number, &items, &mut said)
                }
                Err(error) => LineKind::Malformed(format!("not JSON: {error}")),
            },
            Some(_) => match JsonObject::parse(&text) {
                Ok(record) => self.records.read_record(number, &record, &mut said),
                Err(error) => self.run_together(number, &text, &error, &mut said),
            },
        };
        // After the record was read, because only whole messages can be compared with what was said before.
        let mut messages = Vec::new();
        let kind = self.emit_messages(number, kind, said, &mut messages);
        let kind = match (damage, kind) {
            (None, kind) => kind,
            (Some(damage), LineKind::Malformed(why)) => LineKind::Malformed(format!("{damage}; {why}")),
            // The line was readable in spite of its damage: its messages count, and the damage is still reported.
            (Some(damage), _) => LineKind::Malformed(damage),
        };
        ProjectedLine { kind, messages }
    }

    fn pause(&mut self) -> Vec<ProjectedMessage> {
        let (mut said, mut messages) = (Vec::new(), Vec::new());
        self.records.pause(&mut said);
        for mut message in said {
            blocks::remove_hooked(&mut message.message.parts);
            self.replays.add_message(message, &mut messages);
        }
        // A run that might be a copy is not held back over a pause, since nothing may follow it.
        self.replays.pause(&mut messages);
        messages
    }

    fn head(&self) -> &TranscriptHead {
        self.records.head()
    }
}

/// The line's text without what surrounds it, and what was wrong with it.
pub(super) fn clean_line(line: &[u8]) -> (Cow<'_, str>, Option<String>) {
    // An editor on another system may have put a byte order mark before the first line and a carriage return after
    // every one.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    // After a crash some file systems leave NUL bytes where a line was being written.
    let inner = line.iter().position(|&byte| byte != 0).map_or(&line[..0], |start| {
        let end = line.iter().rposition(|&byte| byte != 0).map_or(start, |last| last + 1);
        line[start..end].trim_ascii()
    });
    let nuls = line.len() - inner.len();
    let nuls = (nuls > 0).then(|| format!("{nuls} bytes of NUL around the line"));
    match str::from_utf8(inner) {
        Ok(text) => (Cow::Borrowed(text), nuls),
        Err(error) => {
            let not_text = format!("not UTF-8 after byte {}", error.valid_up_to());
            let damage = nuls.map_or_else(|| not_text.clone(), |nuls| format!("{nuls}; {not_text}"));
            (String::from_utf8_lossy(inner).into_owned().into(), Some(damage))
        }
    }
}

//! Maps message parts to the columns of `message_parts` rows and back. Only the PostgreSQL store uses it: others may
//! want to query its rows by kind of part. The SQLite store encodes parts with `message_shape.rs` instead.

use crate::rows::StoredParts;
use model::{MessagePart, NewMessage, PartKind, PartMark, PartMarks};

/// The columns of one row of `message_parts`. A list of files is text, one a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartColumns {
    pub(crate) part_type: String,
    pub(crate) text_content: Option<String>,
    pub(crate) tool_call_id: Option<String>,
    pub(crate) tool_name: Option<String>,
    pub(crate) tool_status: Option<String>,
    pub(crate) tool_input: Option<String>,
    pub(crate) tool_output: Option<String>,
    pub(crate) tool_error: Option<String>,
    pub(crate) tool_title: Option<String>,
    pub(crate) patch_hash: Option<String>,
    pub(crate) patch_files: Option<String>,
    pub(crate) file_mime: Option<String>,
    pub(crate) file_name: Option<String>,
    pub(crate) file_url: Option<String>,
    pub(crate) subtask_prompt: Option<String>,
    pub(crate) subtask_description: Option<String>,
    pub(crate) subtask_agent: Option<String>,
    pub(crate) step_reason: Option<String>,
    pub(crate) snapshot_hash: Option<String>,
    pub(crate) metadata: Option<String>,
    pub(crate) step_cost_micros: Option<i64>,
    pub(crate) step_tokens_in: Option<i64>,
    pub(crate) step_tokens_out: Option<i64>,
    pub(crate) compaction_auto: Option<bool>,
    pub(crate) is_ignored: Option<bool>,
    pub(crate) is_synthetic: Option<bool>,
}

/// How many columns hold texts.
pub(crate) const TEXT_COLUMNS: usize = 19;

/// The rows of a message's parts. A message that is one plain text needs none: its content says it all, and storing
/// it twice would double the database.
pub(crate) fn part_rows(body: &NewMessage) -> Vec<PartColumns> {
    match body.parts.as_slice() {
        // An empty text keeps its row: without it, a message of one empty part and a message of no parts would read
        // alike.
        [MessagePart::Text { text }] if !text.is_empty() && body.part_marks.is_empty() => Vec::new(),
        parts => {
            let mark = |place: usize| body.part_marks.get(place).cloned().unwrap_or_default();
            parts.iter().enumerate().map(|(place, part)| PartColumns::from_part(part).with_mark(mark(place))).collect()
        }
    }
}

/// The parts of a stored message, from its rows and its content.
pub(crate) fn parts_of(mut rows: Vec<PartColumns>, content: &str) -> Option<StoredParts> {
    if rows.is_empty() {
        // A part without words has a row, so no rows and no words were no parts.
        let text = MessagePart::Text { text: content.to_owned() };
        let parts = if content.is_empty() { Vec::new() } else { vec![text] };
        return Some(StoredParts { parts, part_marks: PartMarks::default() });
    }
    let marks = rows.iter_mut().map(PartColumns::take_mark).enumerate();
    // Columns that are all null are those of a part without a mark, and of every part from before there were any.
    let part_marks = marks.collect();
    Some(StoredParts { parts: rows.into_iter().map(PartColumns::into_part).collect::<Option<_>>()?, part_marks })
}

impl PartColumns {
    /// The columns that hold what a source said, in the order of the struct.
    pub(crate) fn texts_mut(&mut self) -> [&mut Option<String>; TEXT_COLUMNS] {
        [
            &mut self.text_content,
            &mut self.tool_call_id,
            &mut self.tool_name,
            &mut self.tool_status,
            &mut self.tool_input,
            &mut self.tool_output,
            &mut self.tool_error,
            &mut self.tool_title,
            &mut self.patch_hash,
            &mut self.patch_files,
            &mut self.file_mime,
            &mut self.file_name,
            &mut self.file_url,
            &mut self.subtask_prompt,
            &mut self.subtask_description,
            &mut self.subtask_agent,
            &mut self.step_reason,
            &mut self.snapshot_hash,
            &mut self.metadata,
        ]
    }

    fn with_mark(self, mark: PartMark) -> Self {
        let PartMark { is_ignored, is_synthetic, metadata } = mark;
        Self { metadata, is_ignored, is_synthetic, ..self }
    }

    fn take_mark(&mut self) -> PartMark {
        let Self { is_ignored, is_synthetic, metadata, .. } = self;
        PartMark { is_ignored: is_ignored.take(), is_synthetic: is_synthetic.take(), metadata: metadata.take() }
    }

    fn from_part(part: &MessagePart) -> Self {
        let base = Self { part_type: part.kind().as_str().to_owned(), ..Self::default() };
        match part.clone() {
            MessagePart::Text { text } | MessagePart::Reasoning { text } => Self { text_content: Some(text), ..base },
            MessagePart::Tool { call_id, name, status, input, output, error, title } => Self {
                tool_call_id: call_id,
                tool_name: name,
                tool_status: status,
                tool_input: input,
                tool_output: output,
                tool_error: error,
                tool_title: title,
                ..base
            },
            MessagePart::Patch { hash, files } => {
                Self { patch_hash: hash, patch_files: Some(join_files(&files)), ..base }
            }
            MessagePart::File { mime, name, url } => Self { file_mime: mime, file_name: name, file_url: url, ..base },
            MessagePart::Subtask { prompt, description, agent } => {
                Self { subtask_prompt: prompt, subtask_description: description, subtask_agent: agent, ..base }
            }
            MessagePart::Compaction { auto } => Self { compaction_auto: Some(auto), ..base },
            MessagePart::StepStart => base,
            MessagePart::StepFinish { reason, cost_micros, tokens_in, tokens_out } => Self {
                step_reason: reason,
                step_cost_micros: cost_micros,
                step_tokens_in: tokens_in.map(i64::from),
                step_tokens_out: tokens_out.map(i64::from),
                ..base
            },
            MessagePart::Snapshot { hash } => Self { snapshot_hash: hash, ..base },
            MessagePart::Agent { name } => Self { subtask_agent: name, ..base },
            MessagePart::Retry { error } => Self { text_content: error, ..base },
        }
    }

    /// `None` when the row is not one this build could have written.
    fn into_part(self) -> Option<MessagePart> {
        Some(match PartKind::parse(&self.part_type)? {
            PartKind::Text => MessagePart::Text { text: self.text_content? },
            PartKind::Reasoning => MessagePart::Reasoning { text: self.text_content? },
            PartKind::Tool => MessagePart::Tool {
                call_id: self.tool_call_id,
                name: self.tool_name,
                status: self.tool_status,
                input: self.tool_input,
                output: self.tool_output,
                error: self.tool_error,
                title: self.tool_title,
            },
            PartKind::Patch => MessagePart::Patch { hash: self.patch_hash, files: split_files(&self.patch_files?) },
            PartKind::File => MessagePart::File { mime: self.file_mime, name: self.file_name, url: self.file_url },
            PartKind::Subtask => MessagePart::Subtask {
                prompt: self.subtask_prompt,
                description: self.subtask_description,
                agent: self.subtask_agent,
            },
            PartKind::Compaction => MessagePart::Compaction { auto: self.compaction_auto? },
            PartKind::StepStart => MessagePart::StepStart,
            PartKind::StepFinish => MessagePart::StepFinish {
                reason: self.step_reason,
                // A negative number or one over 32 bits is damage; `None` makes the caller report the message, not a
                // false cost.
                cost_micros: self.step_cost_micros,
                tokens_in: self.step_tokens_in.map(u32::try_from).transpose().ok()?,
                tokens_out: self.step_tokens_out.map(u32::try_from).transpose().ok()?,
            },
            PartKind::Snapshot => MessagePart::Snapshot { hash: self.snapshot_hash },
            PartKind::Agent => MessagePart::Agent { name: self.subtask_agent },
            PartKind::Retry => MessagePart::Retry { error: self.text_content },
        })
    }
}

/// Every file ends with a newline, so that no files and one empty name differ. A newline inside a name is escaped.
fn join_files(files: &[String]) -> String {
    files.iter().map(|file| file.replace('\\', "\\\\").replace('\n', "\\n") + "\n").collect()
}

fn split_files(files: &str) -> Vec<String> {
    let unescape = |line: &str| {
        let mut out = String::with_capacity(line.len());
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            match (c, c == '\\') {
                // `join_files` writes a backslash only as `\\` or `\n`, so the character after one is never anything
                // else.
                (_, true) => out.push(if chars.next() == Some('n') { '\n' } else { '\\' }),
                (c, false) => out.push(c),
            }
        }
        out
    };
    files.split_terminator('\n').map(unescape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(parts: Vec<MessagePart>) -> NewMessage {
        NewMessage {
            external_id: None,
            role: model::MessageRole::User,
            speaker: None,
            session: None,
            at: None,
            metadata: None,
            parts,
            part_marks: PartMarks::default(),
        }
    }

    fn read_parts(body: &NewMessage) -> Option<Vec<MessagePart>> {
        parts_of(part_rows(body), &body.content()).map(|kept| kept.parts)
    }

    proptest! {
        /// Whatever the file names are, the column gives them back.
        #[test]
        fn a_list_of_files_survives(files in proptest::collection::vec(".*", 0..4)) {
            prop_assert_eq!(split_files(&join_files(&files)), files);
        }
    }

    #[test]
    fn plain_text_needs_no_row_and_comes_back() {
        let body = message(vec![MessagePart::Text { text: "hi".to_owned() }]);
        assert!(part_rows(&body).is_empty());
        assert_eq!(read_parts(&body), Some(body.parts));
    }

    #[test]
    fn a_mark_of_plain_text_gives_it_a_row() {
        let mark = PartMark { is_ignored: Some(false), is_synthetic: None, metadata: Some("{}".to_owned()) };
        let part_marks = PartMarks::from_iter([(0, mark)]);
        let body = NewMessage { part_marks, ..message(vec![MessagePart::Text { text: "hi".to_owned() }]) };
        let kept = parts_of(part_rows(&body), &body.content());
        assert_eq!(kept, Some(StoredParts { parts: body.parts, part_marks: body.part_marks }));
    }

    #[test]
    fn an_empty_text_keeps_its_row() {
        let body = message(vec![MessagePart::Text { text: String::new() }]);
        assert_eq!(read_parts(&body), Some(body.parts));
    }

    #[test]
    fn no_parts_come_back_as_none() {
        let body = message(Vec::new());
        assert_eq!(read_parts(&body), Some(body.parts));
    }

    #[test]
    fn a_row_of_an_unknown_kind_is_refused() {
        assert_eq!(parts_of(vec![PartColumns { part_type: "poem".to_owned(), ..Default::default() }], ""), None);
    }
}

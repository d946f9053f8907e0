//! Encodes a message's structure without its texts (its shape), for the SQLite store; PostgreSQL uses `columns.rs`.
//!
//! Content is the words of all parts with a newline between them, as [`NewMessage::content`] joins them. A shape is one
//! kind and its fields after the other; of a field that is words only the length is in it. So nothing is stored twice,
//! and a search finds all words of a message in one column. A part that its source marked has its mark before its kind.

use crate::rows::StoredParts;
use model::{MessagePart, NewMessage, PartKind, PartMark, PartMarks};

/// The shape of a message. One that is a single plain text needs none: its content says it all.
pub(crate) fn encode_shape(body: &NewMessage) -> Option<Vec<u8>> {
    match body.parts.as_slice() {
        [MessagePart::Text { text }] if !text.is_empty() && body.part_marks.is_empty() => None,
        parts => {
            let mut shape = ShapeWriter(Vec::new());
            for (place, part) in parts.iter().enumerate() {
                if let Some(mark) = body.part_marks.get(place) {
                    shape.write_mark(mark);
                }
                shape.write_part(part);
            }
            Some(shape.0)
        }
    }
}

/// The parts that a shape and a content give, or nothing when they do not fit.
pub(crate) fn parts_of(shape: Option<&[u8]>, content: &str) -> Option<StoredParts> {
    let Some(shape) = shape else {
        // A message without parts has an empty shape, not none, so empty content without a shape cannot be ours.
        let parts = (!content.is_empty()).then(|| vec![MessagePart::Text { text: content.to_owned() }])?;
        return Some(StoredParts { parts, part_marks: PartMarks::default() });
    };
    let mut reading = ShapeReader { shape, content, is_first: true };
    let mut parts = Vec::new();
    let mut marks = Vec::new();
    while !reading.shape.is_empty() {
        if let Some(mark) = reading.read_mark().ok()? {
            marks.push((parts.len(), mark));
        }
        parts.push(reading.read_part().ok()?);
    }
    // Words that are left over belong to no part: the shape and the content are not of the same message.
    reading.content.is_empty().then(|| StoredParts { parts, part_marks: marks.into_iter().collect() })
}

/// Bits of the byte that a mark begins with. The highest tells it from a kind, of which there are fewer than 128.
const IS_MARK: u8 = 0x80;
const SAYS_IGNORED: u8 = 0x01;
const IS_IGNORED: u8 = 0x02;
const SAYS_SYNTHETIC: u8 = 0x04;
const IS_SYNTHETIC: u8 = 0x08;

/// An address that is the file itself holds no words.
const DATA_URL_PREFIX: &str = "data:";

struct ShapeWriter(Vec<u8>);

impl ShapeWriter {
    fn write_mark(&mut self, mark: &PartMark) {
        let bits = |is: Option<bool>, says: u8, yes: u8| is.map_or(0, |is| says | if is { yes } else { 0 });
        let ignored = bits(mark.is_ignored, SAYS_IGNORED, IS_IGNORED);
        self.0.push(IS_MARK | ignored | bits(mark.is_synthetic, SAYS_SYNTHETIC, IS_SYNTHETIC));
        // Not among the words: a search for what was said must not find what a program noted beside it.
        self.write_text(mark.metadata.as_ref());
    }

    fn write_part(&mut self, part: &MessagePart) {
        // The number of a kind is its place in the enum, so the enum may grow at its end and never be reordered.
        self.0.push(part.kind() as u8);
        match part {
            MessagePart::Text { text } | MessagePart::Reasoning { text } => self.write_words(Some(text)),
            MessagePart::Tool { call_id, name, status, input, output, error, title } => {
                // The order is that of `NewMessage::content`, which joins the same fields; the reader cuts the content
                // in this order.
                for words in [title, name, input, output, error] {
                    self.write_words(words.as_ref());
                }
                self.write_text(call_id.as_ref());
                self.write_text(status.as_ref());
            }
            MessagePart::Patch { hash, files } => {
                self.write_number(files.len() as u64);
                for file in files {
                    self.write_words(Some(file));
                }
                self.write_text(hash.as_ref());
            }
            MessagePart::File { mime, name, url } => {
                self.write_words(name.as_ref());
                // An inline image would put megabytes of base64 into the column that search reads, so it stays in the
                // shape.
                let is_inline = url.as_ref().is_some_and(|url| url.starts_with(DATA_URL_PREFIX));
                self.0.push(u8::from(is_inline));
                if is_inline {
                    self.write_text(url.as_ref());
                } else {
                    self.write_words(url.as_ref());
                }
                self.write_text(mime.as_ref());
            }
            MessagePart::Subtask { prompt, description, agent } => {
                for words in [agent, description, prompt] {
                    self.write_words(words.as_ref());
                }
            }
            MessagePart::Compaction { auto } => self.0.push(u8::from(*auto)),
            MessagePart::StepStart => {}
            MessagePart::StepFinish { reason, cost_micros, tokens_in, tokens_out } => {
                self.write_text(reason.as_ref());
                self.write_optional(cost_micros.map(i64::cast_unsigned));
                self.write_optional(tokens_in.map(u64::from));
                self.write_optional(tokens_out.map(u64::from));
            }
            MessagePart::Snapshot { hash } => self.write_text(hash.as_ref()),
            MessagePart::Agent { name } => self.write_words(name.as_ref()),
            MessagePart::Retry { error } => self.write_words(error.as_ref()),
        }
    }

    /// A field whose words are in the content: none, or one more than its length.
    fn write_words(&mut self, words: Option<&String>) {
        self.write_number(words.map_or(0, |words| words.len() as u64 + 1));
    }

    /// A field that is kept here.
    fn write_text(&mut self, text: Option<&String>) {
        self.write_number(text.map_or(0, |text| text.len() as u64 + 1));
        self.0.extend_from_slice(text.map(String::as_bytes).unwrap_or_default());
    }

    fn write_optional(&mut self, number: Option<u64>) {
        self.0.push(u8::from(number.is_some()));
        if let Some(number) = number {
            self.write_number(number);
        }
    }

    /// Seven bits a byte, the lowest first; the eighth says that more come.
    fn write_number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }
}

/// A shape and a content that do not belong together.
struct ShapeMismatch;

struct ShapeReader<'a> {
    shape: &'a [u8],
    content: &'a str,
    is_first: bool,
}

impl ShapeReader<'_> {
    /// The mark of the next part, where it has one.
    fn read_mark(&mut self) -> Result<Option<PartMark>, ShapeMismatch> {
        if self.shape.first().is_none_or(|byte| byte & IS_MARK == 0) {
            return Ok(None);
        }
        let bits = self.read_byte()?;
        let flag = |says: u8, yes: u8| (bits & says != 0).then_some(bits & yes != 0);
        Ok(Some(PartMark {
            is_ignored: flag(SAYS_IGNORED, IS_IGNORED),
            is_synthetic: flag(SAYS_SYNTHETIC, IS_SYNTHETIC),
            metadata: self.read_text()?,
        }))
    }

    fn read_part(&mut self) -> Result<MessagePart, ShapeMismatch> {
        let (kind, _) = PartKind::ALL.get(usize::from(self.read_byte()?)).ok_or(ShapeMismatch)?;
        Ok(match kind {
            PartKind::Text => MessagePart::Text { text: self.read_words()?.ok_or(ShapeMismatch)? },
            PartKind::Reasoning => MessagePart::Reasoning { text: self.read_words()?.ok_or(ShapeMismatch)? },
            PartKind::Tool => {
                let [title, name, input, output, error] = self.all_words()?;
                let call_id = self.read_text()?;
                let status = self.read_text()?;
                MessagePart::Tool { call_id, name, status, input, output, error, title }
            }
            PartKind::Patch => {
                let count = self.read_number()?;
                // Every file takes at least one byte of the shape. Without this check a damaged count would allocate
                // without limit.
                if count > self.shape.len() as u64 {
                    return Err(ShapeMismatch);
                }
                let files = (0..count).map(|_| self.read_words()?.ok_or(ShapeMismatch)).collect::<Result<_, _>>()?;
                MessagePart::Patch { files, hash: self.read_text()? }
            }
            PartKind::File => {
                let name = self.read_words()?;
                let url = if self.read_byte()? == 0 { self.read_words()? } else { self.read_text()? };
                MessagePart::File { mime: self.read_text()?, name, url }
            }
            PartKind::Subtask => {
                let [agent, description, prompt] = self.all_words()?;
                MessagePart::Subtask { prompt, description, agent }
            }
            PartKind::Compaction => MessagePart::Compaction { auto: self.read_byte()? == 1 },
            PartKind::StepStart => MessagePart::StepStart,
            PartKind::StepFinish => {
                let reason = self.read_text()?;
                let cost_micros = self.read_optional()?.map(u64::cast_signed);
                let tokens_in = self.read_count()?;
                let tokens_out = self.read_count()?;
                MessagePart::StepFinish { reason, cost_micros, tokens_in, tokens_out }
            }
            PartKind::Snapshot => MessagePart::Snapshot { hash: self.read_text()? },
            PartKind::Agent => MessagePart::Agent { name: self.read_words()? },
            PartKind::Retry => MessagePart::Retry { error: self.read_words()? },
        })
    }

    fn all_words<const N: usize>(&mut self) -> Result<[Option<String>; N], ShapeMismatch> {
        let mut all = [const { None }; N];
        for words in &mut all {
            *words = self.read_words()?;
        }
        Ok(all)
    }

    /// The next words of the content. Empty texts are not part of a content, so no newline is written for them.
    fn read_words(&mut self) -> Result<Option<String>, ShapeMismatch> {
        let Some(length) = self.read_length()? else { return Ok(None) };
        if length == 0 {
            return Ok(Some(String::new()));
        }
        // The joined content has a newline between two pieces and none before the first.
        if !std::mem::take(&mut self.is_first) {
            self.content = self.content.strip_prefix('\n').ok_or(ShapeMismatch)?;
        }
        // The checked split also refuses a length that ends inside a character, as damage can produce.
        let (words, rest) = self.content.split_at_checked(length).ok_or(ShapeMismatch)?;
        self.content = rest;
        Ok(Some(words.to_owned()))
    }

    fn read_text(&mut self) -> Result<Option<String>, ShapeMismatch> {
        let Some(length) = self.read_length()? else { return Ok(None) };
        let (text, rest) = self.shape.split_at_checked(length).ok_or(ShapeMismatch)?;
        self.shape = rest;
        std::str::from_utf8(text).map(|text| Some(text.to_owned())).map_err(|_| ShapeMismatch)
    }

    fn read_length(&mut self) -> Result<Option<usize>, ShapeMismatch> {
        self.read_number()?.checked_sub(1).map(usize::try_from).transpose().map_err(|_| ShapeMismatch)
    }

    fn read_optional(&mut self) -> Result<Option<u64>, ShapeMismatch> {
        Ok(if self.read_byte()? == 0 { None } else { Some(self.read_number()?) })
    }

    fn read_count(&mut self) -> Result<Option<u32>, ShapeMismatch> {
        self.read_optional()?.map(u32::try_from).transpose().map_err(|_| ShapeMismatch)
    }

    fn read_number(&mut self) -> Result<u64, ShapeMismatch> {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let byte = self.read_byte()?;
            // More than ten bytes cannot be a number of ours; the shift is checked so that damage ends here and not in
            // a panic.
            number |= u64::from(byte & 0x7f).checked_shl(shift).ok_or(ShapeMismatch)?;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    fn read_byte(&mut self) -> Result<u8, ShapeMismatch> {
        let (first, rest) = self.shape.split_first().ok_or(ShapeMismatch)?;
        self.shape = rest;
        Ok(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::option::of;
    use proptest::prelude::*;

    fn body(parts: Vec<MessagePart>) -> NewMessage {
        marked_body(parts, PartMarks::default())
    }

    fn marked_body(parts: Vec<MessagePart>, part_marks: PartMarks) -> NewMessage {
        NewMessage {
            part_marks,
            external_id: None,
            role: model::MessageRole::User,
            speaker: None,
            session: None,
            at: None,
            metadata: None,
            parts,
        }
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![Just(String::new()), Just("\n".to_owned()), "[a-zé\n]{0,200}", "data:[a-z]{0,4}"]
    }

    fn part() -> impl Strategy<Value = MessagePart> {
        let tool = (of(text()), of(text()), of(text()), of(text()), of(text()), of(text()), of(text())).prop_map(
            |(call_id, name, status, input, output, error, title)| MessagePart::Tool {
                call_id,
                name,
                status,
                input,
                output,
                error,
                title,
            },
        );
        let finish = (of(text()), any::<Option<i64>>(), any::<Option<u32>>(), any::<Option<u32>>()).prop_map(
            |(reason, cost_micros, tokens_in, tokens_out)| MessagePart::StepFinish {
                reason,
                cost_micros,
                tokens_in,
                tokens_out,
            },
        );
        prop_oneof![
            text().prop_map(|text| MessagePart::Text { text }),
            text().prop_map(|text| MessagePart::Reasoning { text }),
            tool,
            (of(text()), vec(text(), 0..4)).prop_map(|(hash, files)| MessagePart::Patch { hash, files }),
            (of(text()), of(text()), of(text())).prop_map(|(mime, name, url)| MessagePart::File { mime, name, url }),
            (of(text()), of(text()), of(text())).prop_map(|(prompt, description, agent)| MessagePart::Subtask {
                prompt,
                description,
                agent
            }),
            any::<bool>().prop_map(|auto| MessagePart::Compaction { auto }),
            Just(MessagePart::StepStart),
            finish,
            of(text()).prop_map(|hash| MessagePart::Snapshot { hash }),
            of(text()).prop_map(|name| MessagePart::Agent { name }),
            of(text()).prop_map(|error| MessagePart::Retry { error }),
        ]
    }

    fn mark() -> impl Strategy<Value = PartMark> {
        (any::<Option<bool>>(), any::<Option<bool>>(), of(text()))
            .prop_map(|(is_ignored, is_synthetic, metadata)| PartMark { is_ignored, is_synthetic, metadata })
    }

    proptest! {
        #[test]
        fn any_parts_come_back(parts in vec(part(), 0..6)) {
            let body = body(parts);
            let kept = parts_of(encode_shape(&body).as_deref(), &body.content());
            prop_assert_eq!(kept.map(|kept| kept.parts), Some(body.parts));
        }

        #[test]
        fn any_marks_come_back(parts in vec((part(), of(mark())), 0..6)) {
            let marks = parts.iter().enumerate().filter_map(|(place, (_, mark))| Some((place, mark.clone()?))).collect();
            let body = marked_body(parts.into_iter().map(|(part, _)| part).collect(), marks);
            let kept = parts_of(encode_shape(&body).as_deref(), &body.content());
            prop_assert_eq!(kept, Some(StoredParts { parts: body.parts, part_marks: body.part_marks }));
        }

        #[test]
        fn a_shape_we_did_not_write_does_no_harm(shape: Vec<u8>, content: String) {
            let _ = parts_of(Some(&shape), &content);
        }
    }

    #[test]
    fn words_are_stored_once() {
        let body = body(vec![
            MessagePart::Text { text: "run it".to_owned() },
            MessagePart::Reasoning { text: "x".repeat(300) },
        ]);
        assert_eq!(encode_shape(&body), Some(vec![0, 7, 1, 0xad, 0x02]));
        assert_eq!(encode_shape(&super::tests::body(vec![MessagePart::Text { text: "hi".to_owned() }])), None);
    }
}

//! Messages as plain JSON, which no single agent writes: what is in no other format may be in this one.

use crate::format::{FileHead, TranscriptFormat};
use crate::transcript::{JsonObject, plain};
use model::TranscriptContainer;

pub(super) const FORMAT: TranscriptFormat =
    TranscriptFormat::new("plain", |_| Vec::new(), plain::build_projection, recognise_file);

fn recognise_file(file: &FileHead<'_>) -> Option<TranscriptContainer> {
    let text = file.text();
    let first = if text.starts_with('[') { text[1..].trim_start() } else { text };
    let is_list = text.starts_with('[') && plain::matches_format(&JsonObject::parse_prefix(first));
    let is_document = is_list || file.matches_whole(plain::matches_format);
    // One JSON object can be a document or a single line, and its content does not tell; the extension does.
    if is_document && (is_list || file.has_extension("json")) {
        return Some(TranscriptContainer::Document);
    }
    file.any_line(plain::matches_format).then_some(TranscriptContainer::Lines)
}

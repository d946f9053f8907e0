//! The fallback transcript format: messages as plain JSON, with role and content, which no single agent writes. A file
//! that is in no other format may be in this one.

use crate::format::{FileHead, TranscriptFormat};
use crate::transcript::{JsonObject, plain};
use model::TranscriptContainer;

pub(super) const FORMAT: TranscriptFormat =
    TranscriptFormat::new("plain", |_| Vec::new(), plain::build_projection, recognise_file);

fn recognise_file(file: &FileHead<'_>) -> Option<TranscriptContainer> {
    let text = file.text();
    let is_list = text
        .strip_prefix('[')
        .is_some_and(|items| plain::matches_format(&JsonObject::parse_prefix(items.trim_start())));
    let is_document = is_list || file.matches_whole(plain::matches_format);
    // One JSON object can be a document or a single line, and its content does not tell; the extension does.
    if is_document && (is_list || file.has_extension("json")) {
        return Some(TranscriptContainer::Document);
    }
    file.any_line(plain::matches_format).then_some(TranscriptContainer::Lines)
}

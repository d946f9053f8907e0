//! Finds files that are quoted in a message as `<file name="…" mime="…" path="…">…</file>`, so that a large one leaves
//! the message alone and the words around it stay, and what a file says is not taken for what its sender says.

use std::borrow::Cow;
use std::ops::Range;

/// A quoted file: where its content is, and what is said of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileBlock<'a> {
    /// The bytes with the tags.
    whole: Range<usize>,
    /// The bytes between the tags.
    pub(super) content: Range<usize>,
    /// What it is called, by its name or else by the end of its path.
    pub(super) name: Option<&'a str>,
    /// What is said that it is.
    pub(super) media_type: Option<&'a str>,
}

const OPENING_TAG: &str = "<file";
const CLOSING_TAG: &str = "</file>";

/// The quoted files of a text, in order. What is not closed, or has no attribute that says which file it is, is text.
pub(super) fn find_blocks(text: &str) -> Vec<FileBlock<'_>> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find(OPENING_TAG) {
        let opening = at + found;
        let attributes = opening + OPENING_TAG.len();
        at = attributes;
        let Some((tag, end)) = read_attributes(&text[attributes..]) else { continue };
        let start = attributes + end;
        // The first end that follows: a file that quotes the tag itself is cut short, and the rest stays as it is.
        let Some(length) = text[start..].find(CLOSING_TAG) else { break };
        at = start + length + CLOSING_TAG.len();
        if let Some(name) = tag.name.or_else(|| tag.path.map(last_segment)) {
            let content = start..start + length;
            blocks.push(FileBlock { whole: opening..at, content, name: Some(name), media_type: tag.mime });
        }
    }
    blocks
}

/// The text with the name of each quoted file in its place.
pub(crate) fn name_quoted_files(text: &str) -> Cow<'_, str> {
    let blocks = find_blocks(text);
    if blocks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut named = String::with_capacity(text.len());
    let mut start = 0;
    for block in blocks {
        named.push_str(&text[start..block.whole.start]);
        named.push_str(block.name.unwrap_or_default());
        start = block.whole.end;
    }
    named.push_str(&text[start..]);
    Cow::Owned(named)
}

#[derive(Default)]
struct FileTag<'a> {
    name: Option<&'a str>,
    mime: Option<&'a str>,
    path: Option<&'a str>,
}

/// The attributes behind `<file`, and where the tag ends; none where it is another word or no tag.
fn read_attributes(text: &str) -> Option<(FileTag<'_>, usize)> {
    let mut tag = FileTag::default();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let word = rest.trim_start();
        at += rest.len() - word.len();
        if word.starts_with('>') {
            return Some((tag, at + 1));
        }
        // An attribute stands behind a blank: `<filename="x">` is another tag.
        if rest.len() == word.len() {
            return None;
        }
        let (attribute, value) = word.split_once('=')?;
        if attribute.is_empty()
            || !attribute.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        {
            return None;
        }
        let quote = value.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
        let end = value[1..].find(quote)?;
        let read = Some(&value[1..=end]).filter(|read| !read.is_empty());
        match attribute {
            "name" => tag.name = read,
            "mime" | "type" => tag.mime = read,
            "path" => tag.path = read,
            _ => {}
        }
        at += attribute.len() + 1 + end + 2;
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, wanted: &[(&str, Option<&str>, Option<&str>)]) {
        let found = find_blocks(text);
        let found: Vec<_> =
            found.iter().map(|block| (&text[block.content.clone()], block.name, block.media_type)).collect();
        assert_eq!(found, wanted, "{text}");
    }

    #[test]
    fn quoted_files_are_found_with_what_is_said_of_them() {
        check(
            "see <file name=\"a.log\" mime=\"text/plain\">one\ntwo</file> there",
            &[("one\ntwo", Some("a.log"), Some("text/plain"))],
        );
        check("<file path='/srv/app/b.py'>x</file>", &[("x", Some("b.py"), None)]);
        check(
            "<file\n  mime=\"text/csv\"\n  path=\"c.csv\" lines='1-9'>1,2</file><file name=\"d\"></file>",
            &[("1,2", Some("c.csv"), Some("text/csv")), ("", Some("d"), None)],
        );
        check("<file name=\"é😀\">ß</file>", &[("ß", Some("é😀"), None)]);
    }

    #[test]
    fn a_quoted_file_is_named_in_its_place() {
        let text = "see <file name=\"a.md\">Never push.</file> and <file path='/srv/b.py'>x</file>, é";
        assert_eq!(name_quoted_files(text), "see a.md and b.py, é");
        assert_eq!(name_quoted_files("<file name=\"a\">x"), "<file name=\"a\">x");
    }

    #[test]
    fn what_is_no_quoted_file_is_text() {
        for text in [
            "<file>x</file>",
            "<filename=\"a\">x</file>",
            "<file name=\"a\">x",
            "<file name=a>x</file>",
            "<file name=\"a>x</file>",
            "<file",
            "<file name=\"\">x</file>",
            "a < file name=\"b\">",
        ] {
            check(text, &[]);
        }
        // The first end counts.
        check("<file name=\"a\">x</file>y</file>", &[("x", Some("a"), None)]);
        check("<file <file name=\"a\">x</file>", &[("x", Some("a"), None)]);
    }
}

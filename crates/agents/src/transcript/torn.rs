//! Recovers JSON records from damaged lines of a transcript, where a host died in the middle of a line and went on
//! behind it. The whole records on such a line are read, at its beginning and behind the torn one. An object inside of
//! a torn record is no record: where the text only ends too early, nothing behind its beginning is looked for.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::json_lines::clean_line;

/// The records of a line, and where the line is damaged.
pub(crate) struct Torn<'t> {
    pub(crate) records: Vec<&'t str>,
    /// The stretch that is no record.
    pub(crate) gap: Option<Range<usize>>,
}

/// So many places at which a record may begin are tried: a line that is long and wild must not take for ever.
const PLACES: usize = 64;

impl<'t> Torn<'t> {
    pub(crate) fn read(text: &'t str) -> Self {
        let Leading { mut records, end, is_cut } = Leading::of(text);
        if end == text.len() {
            return Self { records, gap: None };
        }
        // A text that only ends too early has no further record: what looks like one is inside of the torn one.
        let behind = if is_cut { None } else { behind(&text[end..]) };
        let gap = end..behind.as_ref().map_or(text.len(), |(at, _)| end + at);
        records.extend(behind.into_iter().flat_map(|(_, records)| records));
        Self { records, gap: Some(gap) }
    }
}

/// The lines of a transcript without what is torn: only what is left is read as messages. Lines that are no objects stay.
pub fn whole_lines(lines: &[u8]) -> Cow<'_, [u8]> {
    let is_whole =
        |line: &[u8]| !line.trim_ascii_start().starts_with(b"{") || serde_json::from_slice::<IgnoredAny>(line).is_ok();
    // Most files have no torn line, and are given back without a copy.
    if lines.split(|byte| *byte == b'\n').all(is_whole) {
        return Cow::Borrowed(lines);
    }
    let mut whole = Vec::with_capacity(lines.len());
    for line in lines.split(|byte| *byte == b'\n') {
        if is_whole(line) {
            whole.extend_from_slice(line);
            whole.push(b'\n');
            continue;
        }
        for record in Torn::read(&clean_line(line).0).records {
            whole.extend_from_slice(record.as_bytes());
            whole.push(b'\n');
        }
    }
    Cow::Owned(whole)
}

/// The objects that a text begins with.
struct Leading<'t> {
    records: Vec<&'t str>,
    end: usize,
    /// Whether the text ends inside of the next one.
    is_cut: bool,
}

impl<'t> Leading<'t> {
    fn of(text: &'t str) -> Self {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        let (mut records, mut end) = (Vec::new(), 0);
        loop {
            match values.next() {
                Some(Ok(value)) if value.get().starts_with('{') => {
                    records.push(value.get());
                    end = values.byte_offset();
                }
                Some(Err(error)) => return Self { records, end, is_cut: error.is_eof() },
                // A number or a text between objects is a piece of a torn record.
                Some(Ok(_)) => return Self { records, end, is_cut: false },
                None => return Self { records, end: text.len(), is_cut: false },
            }
        }
    }
}

/// The objects that fill the rest of a text, and where they begin.
fn behind(text: &str) -> Option<(usize, Vec<&str>)> {
    // Every record of these formats begins with a brace and a quoted name.
    for at in memchr::memmem::find_iter(text.as_bytes(), b"{\"").take(PLACES) {
        let Leading { records, end, is_cut } = Leading::of(&text[at..]);
        if is_cut {
            return None;
        }
        // The records must fill the line to its end: an object in the middle is a part of the torn one.
        if !records.is_empty() && at + end == text.len() {
            return Some((at, records));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, records: &[&str], gap: Option<Range<usize>>) {
        let torn = Torn::read(text);
        assert_eq!((torn.records.as_slice(), torn.gap), (records, gap), "{text}");
    }

    #[test]
    fn what_is_whole_is_read_and_what_is_torn_is_not() {
        check(r#"{"a":1}{"b":2}"#, &[r#"{"a":1}"#, r#"{"b":2}"#], None);
        check(r#"{"a":1}{"b":"ha"#, &[r#"{"a":1}"#], Some(7..15));
        check(r#"{"a":"ha{"b":2}"#, &[r#"{"b":2}"#], Some(0..8));
        check(r#"{"a":1}{"a":"ha{"b":2}{"c":3}"#, &[r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c":3}"#], Some(7..15));
        check(r#"{"a":{"b":2},{"c":3}"#, &[r#"{"c":3}"#], Some(0..13));
        check(r#"lf of it","x":1}{"b":2}"#, &[r#"{"b":2}"#], Some(0..16));
    }

    #[test]
    fn an_object_inside_of_a_torn_record_is_no_record() {
        check(r#"{"type":"user","message":{"role":"user"}"#, &[], Some(0..40));
        check(r#"{"a":"ha{"type":"user","message":{"role":"user"}"#, &[], Some(0..48));
        check(r#"{"a":1}{"b":{"c":2}"#, &[r#"{"a":1}"#], Some(7..19));
    }

    #[test]
    fn lines_without_what_is_torn() {
        let check = |lines: &str, expected: &str| {
            assert_eq!(String::from_utf8_lossy(&whole_lines(lines.as_bytes())), expected);
        };
        check("{\"a\":1}\n# words\n", "{\"a\":1}\n# words\n");
        check("{\"a\":1}\n{\"b\":\"ha", "{\"a\":1}\n");
        check("{\"b\":\"ha{\"a\":1}\nwords", "{\"a\":1}\nwords\n");
    }
}

//! Finds where the scrubber may replace a piece of JSON so that it stays JSON: inside of one string, or a bare value
//! as a whole. Also lists the strings that hold prose, to which a project's rules are confined.
//!
//! Asked only of texts in which something was found, so it may look at every byte.

use std::ops::Range;

/// A part of a text to replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JsonPiece {
    pub(super) range: Range<usize>,
    /// A bare value was replaced: the placeholder needs quotes to be one.
    pub(super) is_bare: bool,
}

/// The tokens between brackets, colons and commas.
#[derive(Clone, Debug, PartialEq, Eq)]
enum JsonAtom {
    /// The content of a string.
    Text(Range<usize>),
    /// The content of a string before a colon.
    Name(Range<usize>),
    /// A number, `true`, `false` or `null`.
    Bare(Range<usize>),
}

/// A text that may be JSON, as a whole or line by line.
pub(super) struct JsonText<'t> {
    text: &'t [u8],
    whole: Option<Vec<JsonAtom>>,
    /// The line that was looked at last.
    line: (Range<usize>, Option<Vec<JsonAtom>>),
}

impl<'t> JsonText<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, whole: parse_atoms(text, 0..text.len()), line: (0..0, None) }
    }

    /// The parts of `range` to replace: all of it where neither the text nor its line is JSON.
    pub(super) fn replaceable_parts(&mut self, range: Range<usize>) -> Vec<JsonPiece> {
        // Text that is no JSON can be cut anywhere.
        let Some(atoms) = self.atoms_around(&range) else { return vec![JsonPiece { range, is_bare: false }] };
        let first = atoms.partition_point(|atom| atom.range().end <= range.start);
        let within = |atom: &Range<usize>| atom.start.max(range.start)..atom.end.min(range.end);
        let touched = atoms[first..].iter().take_while(|atom| atom.range().start < range.end);
        let pieces = touched.filter_map(|atom| match atom {
            JsonAtom::Text(text) => Some(JsonPiece { range: within(text), is_bare: false }),
            // A name is replaced only when the secret lies inside of it; other names are passed on the way.
            JsonAtom::Name(name) if name.start <= range.start && range.end <= name.end => {
                Some(JsonPiece { range: within(name), is_bare: false })
            }
            JsonAtom::Name(_) => None,
            // A number cannot be cut in two and stay a number, so it is replaced as a whole, by a string.
            JsonAtom::Bare(value) => Some(JsonPiece { range: value.clone(), is_bare: true }),
        });
        pieces.filter(|piece| !piece.range.is_empty()).collect()
    }

    fn atoms_around(&mut self, range: &Range<usize>) -> Option<&[JsonAtom]> {
        // The line is parsed once for all secrets in it.
        if self.whole.is_none() && !(self.line.0.start <= range.start && range.end <= self.line.0.end) {
            let line = line_around(self.text, range);
            self.line = (line.clone(), parse_atoms(self.text, line));
        }
        self.whole.as_deref().or(self.line.1.as_deref())
    }
}

impl JsonAtom {
    fn range(&self) -> &Range<usize> {
        match self {
            Self::Text(range) | Self::Name(range) | Self::Bare(range) => range,
        }
    }
}

/// The texts that a text is made of: the strings of JSON that hold words, and all lines that are no JSON.
///
/// Names of fields, numbers and the values of fields that programs read (ids, kinds, places, times) are left out: other
/// words in them would make a message belong to another conversation, or to none.
pub(super) fn text_ranges(text: &[u8]) -> Vec<Range<usize>> {
    if let Some(atoms) = parse_atoms(text, 0..text.len()) {
        return prose_strings(text, &atoms);
    }
    let mut texts: Vec<Range<usize>> = Vec::new();
    let mut plain: Option<Range<usize>> = None;
    let mut at = 0;
    while at < text.len() {
        // A transcript is JSON line by line, with lines of plain text between them.
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length + 1);
        match parse_atoms(text, at..end) {
            Some(atoms) => {
                texts.extend(plain.take());
                texts.extend(prose_strings(text, &atoms));
            }
            None => plain = Some(plain.map_or(at, |plain| plain.start)..end),
        }
        at = end;
    }
    texts.extend(plain);
    texts
}

fn prose_strings(text: &[u8], atoms: &[JsonAtom]) -> Vec<Range<usize>> {
    let mut name: &[u8] = b"";
    let mut words = Vec::new();
    for atom in atoms {
        match atom {
            JsonAtom::Name(range) => name = &text[range.clone()],
            JsonAtom::Text(range) if !is_for_programs(name) && !range.is_empty() => words.push(range.clone()),
            JsonAtom::Text(_) | JsonAtom::Bare(_) => {}
        }
    }
    words
}

/// Whether the value of a field of that name is read by programs rather than people. A name counts for everything up to
/// the next one, so for all of a list.
fn is_for_programs(name: &[u8]) -> bool {
    // Rules of a project could otherwise break what reads the event later: `transcript_path` is opened, `cwd` names the
    // project, ids join calls to their results.
    const NAMES: [&str; 18] = [
        "id",
        "type",
        "subtype",
        "role",
        "kind",
        "cwd",
        "timestamp",
        "hook_event_name",
        "hookEventName",
        "transcript_path",
        "transcriptPath",
        "agent_transcript_path",
        "workspace_roots",
        "workspaceRoots",
        "workspacePaths",
        "tool_name",
        "toolName",
        "uuid",
    ];
    // Agents differ in how they write `session_id`, `sessionId`, `callID`.
    const ENDINGS: [&str; 5] = ["_id", "Id", "ID", "_uuid", "Uuid"];
    NAMES.iter().any(|known| name == known.as_bytes()) || ENDINGS.iter().any(|end| name.ends_with(end.as_bytes()))
}

/// The line that holds a range; the range itself when it spans several.
fn line_around(text: &[u8], range: &Range<usize>) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &text[..range.start]).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', &text[range.end..]).map_or(text.len(), |at| range.end + at);
    start..end
}

/// The atoms of a JSON array or object; `None` for other text.
fn parse_atoms(text: &[u8], range: Range<usize>) -> Option<Vec<JsonAtom>> {
    let mut atoms = Vec::new();
    let mut open = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let byte = text[at];
        match byte {
            // Only an object or a list counts as JSON: a lone word or number is in every text.
            b'{' | b'[' if !open.is_empty() || atoms.is_empty() => open.push(byte),
            b'}' if open.pop() == Some(b'{') => {}
            b']' if open.pop() == Some(b'[') => {}
            _ if byte.is_ascii_whitespace() => {}
            _ if open.is_empty() => return None,
            b',' => {}
            // A string before a colon was a name, which is known only now.
            b':' => match atoms.last_mut()? {
                JsonAtom::Text(name) => {
                    let name = name.clone();
                    *atoms.last_mut()? = JsonAtom::Name(name);
                }
                JsonAtom::Name(_) | JsonAtom::Bare(_) => return None,
            },
            b'"' => {
                let end = string_end(text, at + 1, range.end)?;
                atoms.push(JsonAtom::Text(at + 1..end));
                at = end;
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                let is_bare = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
                let length = text[at..range.end].iter().take_while(is_bare).count();
                atoms.push(JsonAtom::Bare(at..at + length));
                at += length - 1;
            }
            _ => return None,
        }
        at += 1;
    }
    (open.is_empty() && !atoms.is_empty()).then_some(atoms)
}

/// Where the quote stands that ends a string.
fn string_end(text: &[u8], start: usize, limit: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.get(at..limit)?)?;
        if text[at] == b'"' {
            return Some(at);
        }
        // The character behind a backslash never ends the string, whatever it is.
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replaces what stands between `<` and `>`, which are no part of the text.
    #[track_caller]
    fn check(marked: &str, expected: &str) {
        let start = marked.find('<').expect("a row marks a range");
        let end = marked.find('>').expect("a row marks a range") - 1;
        let mut text = marked.replace(['<', '>'], "");
        for piece in JsonText::new(text.clone().as_bytes()).replaceable_parts(start..end).into_iter().rev() {
            text.replace_range(piece.range, if piece.is_bare { "\"~\"" } else { "~" });
        }
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_replaced_leaves_json() {
        check(r#"{"a":"x<yz>"}"#, r#"{"a":"x~"}"#);
        check(r#"{"a": <1234>, "b": true}"#, r#"{"a": "~", "b": true}"#);
        check(r#"{"a": 1<23>4}"#, r#"{"a": "~"}"#);
        check(r#"["be<gin","mid","en>d"]"#, r#"["be~","~","~d"]"#);
        check(r#"[{"k":"be<gin"},{"k":"en>d"}]"#, r#"[{"k":"be~"},{"k":"~d"}]"#);
        check(r#"{"a\"<b>c":1}"#, r#"{"a\"~c":1}"#);
        check("{\"a\":1}\n{\"b\":<2>}\nrest", "{\"a\":1}\n{\"b\":\"~\"}\nrest");
    }

    #[test]
    fn texts_are_what_people_wrote() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = text_ranges(text.as_bytes()).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("plain\nwords", &["plain\nwords"]);
        check(r#"{"session_id":"s1","prompt":"words","n":1,"type":"user"}"#, &["words"]);
        check(r#"{"workspace_roots":["/a","/b"],"content":["x","y"]}"#, &["x", "y"]);
        check("{\"uuid\":\"u\",\"text\":\"one\"}\nplain\nmore\n{\"text\":\"two\"}\n", &["one", "plain\nmore\n", "two"]);
        check("", &[]);
    }

    #[test]
    fn what_is_no_json_is_replaced_as_it_is() {
        check(r#"key = <"a", 1>"#, "key = ~");
        check(r#"{"a": "x<y"}, z>"#, r#"{"a": "x~"#);
        check(r#"{ let key = <1> }"#, "{ let key = ~ }");
        check("[2026-01-01] port <80>", "[2026-01-01] port ~");
    }
}

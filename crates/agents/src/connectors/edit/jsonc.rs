//! Parser for JSON with comments and trailing commas, as people and editors write it: a tree in which every value has
//! its span in the text. Nothing else is kept: an editor cuts the text itself, so what is not touched stays as it was
//! to the byte.

use serde_json::Value;
use std::ops::Range;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct JsonNode {
    pub(super) span: Range<usize>,
    pub(super) shape: JsonShape,
}

#[derive(Debug)]
pub(super) enum JsonShape {
    Object(Vec<JsonItem>),
    Array(Vec<JsonItem>),
    Scalar(Value),
}

/// A member of an object, or an element of an array, which has no key.
#[derive(Debug)]
pub(super) struct JsonItem {
    pub(super) key: String,
    /// Where the key starts, or the element.
    pub(super) start: usize,
    pub(super) value: JsonNode,
    /// Where the comma behind it stands, if there is one.
    pub(super) comma: Option<usize>,
}

/// Reads a text. The error says what is wrong and where.
pub(super) fn parse_jsonc(text: &str) -> Result<JsonNode, String> {
    let mut reader = JsoncParser { text, at: 0 };
    let wrong = |reader: &JsoncParser<'_>, what: &str| {
        let before = &text[..reader.at];
        let line = before.matches('\n').count() + 1;
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1) + 1;
        format!("{what} at line {line}, column {column}")
    };
    let root = reader.skip_blanks().and_then(|()| reader.parse_value(0)).map_err(|what| wrong(&reader, what))?;
    reader.skip_blanks().map_err(|what| wrong(&reader, what))?;
    // Text behind the value is not JSON of any kind; an edit by spans could cut it apart.
    if reader.at < text.len() { Err(wrong(&reader, "something behind the end")) } else { Ok(root) }
}

impl JsonNode {
    pub(super) fn items(&self) -> &[JsonItem] {
        match &self.shape {
            JsonShape::Object(items) | JsonShape::Array(items) => items,
            JsonShape::Scalar(_) => &[],
        }
    }

    /// The member of that name; of several the last, as those who read it see it.
    pub(super) fn member_index(&self, key: &str) -> Option<usize> {
        match &self.shape {
            // Where a key stands twice, every JSON reader of these agents takes the last one.
            JsonShape::Object(items) => items.iter().rposition(|item| item.key == key),
            JsonShape::Array(_) | JsonShape::Scalar(_) => None,
        }
    }

    /// What it says, without its form.
    pub(super) fn to_value(&self) -> Value {
        match &self.shape {
            JsonShape::Object(items) => items
                .iter()
                .map(|item| (item.key.clone(), item.value.to_value()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            JsonShape::Array(items) => items.iter().map(|item| item.value.to_value()).collect(),
            JsonShape::Scalar(value) => value.clone(),
        }
    }
}

/// Deeper than any settings file, and shallow enough for every stack.
const MAX_NESTING_DEPTH: usize = 128;

struct JsoncParser<'t> {
    text: &'t str,
    at: usize,
}

impl JsoncParser<'_> {
    fn remaining_text(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek_byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips white space and comments.
    fn skip_blanks(&mut self) -> Result<(), &'static str> {
        loop {
            let rest = self.remaining_text();
            let skipped = if let Some(comment) = rest.strip_prefix("/*") {
                // The two marks have four bytes, which `find` does not count.
                comment.find("*/").ok_or("a comment without end")? + 4
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else {
                // Some editors on Windows begin a file with a byte order mark.
                rest.len() - rest.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']).len()
            };
            if skipped == 0 {
                return Ok(());
            }
            self.at += skipped;
        }
    }

    fn parse_value(&mut self, depth: usize) -> Result<JsonNode, &'static str> {
        let start = self.at;
        let shape = match self.peek_byte() {
            // The parser calls itself for each level, so a hostile or broken file must not use up the stack.
            _ if depth > MAX_NESTING_DEPTH => return Err("nested too deeply"),
            Some(b'{') => JsonShape::Object(self.parse_items(b'}', depth)?),
            Some(b'[') => JsonShape::Array(self.parse_items(b']', depth)?),
            Some(b'"') => JsonShape::Scalar(Value::String(self.parse_string()?)),
            _ => JsonShape::Scalar(self.parse_scalar()?),
        };
        Ok(JsonNode { span: start..self.at, shape })
    }

    fn parse_items(&mut self, close: u8, depth: usize) -> Result<Vec<JsonItem>, &'static str> {
        let mut items: Vec<JsonItem> = Vec::new();
        self.at += 1;
        loop {
            self.skip_blanks()?;
            if self.peek_byte() == Some(close) {
                self.at += 1;
                return Ok(items);
            }
            // A comma may be missing only behind the last item.
            if items.last().is_some_and(|last| last.comma.is_none()) {
                return Err("a comma or an end is missing");
            }
            let start = self.at;
            let key = if close == b'}' { self.parse_key()? } else { String::new() };
            let value = self.parse_value(depth + 1)?;
            self.skip_blanks()?;
            let comma = (self.peek_byte() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            items.push(JsonItem { key, start, value, comma });
        }
    }

    fn parse_key(&mut self) -> Result<String, &'static str> {
        if self.peek_byte() != Some(b'"') {
            return Err("a key in double quotes is missing");
        }
        let key = self.parse_string()?;
        self.skip_blanks()?;
        if self.peek_byte() != Some(b':') {
            return Err("a colon is missing");
        }
        self.at += 1;
        self.skip_blanks()?;
        Ok(key)
    }

    fn parse_string(&mut self) -> Result<String, &'static str> {
        let rest = self.remaining_text();
        let mut escaped = false;
        let end = rest.bytes().enumerate().skip(1).find(|(_, byte)| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        });
        let (end, _) = end.ok_or("a text without end")?;
        // `serde_json` reads the escapes, and refuses what only looks like a string.
        let string = serde_json::from_str(&rest[..=end]).map_err(|_| "a text that is not JSON")?;
        self.at += end + 1;
        Ok(string)
    }

    fn parse_scalar(&mut self) -> Result<Value, &'static str> {
        let rest = self.remaining_text();
        let end = rest.find(|c: char| c.is_whitespace() || ",]}:/\"{[".contains(c)).unwrap_or(rest.len());
        let value = serde_json::from_str(&rest[..end]).map_err(|_| "a value is missing")?;
        self.at += end;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_read_over() {
        let text = "\u{feff}// first\n{ \"a\": [1, /* two */ 2,], // rest\n \"b\\u0063\": null, \"a\": true, }\n// end";
        let meaning = parse_jsonc(text).expect("it is JSON with comments").to_value();
        assert_eq!(meaning, serde_json::json!({ "a": true, "bc": null }));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let check = |text: &str, expected: &str| assert_eq!(parse_jsonc(text).expect_err("it is broken"), expected);
        check("", "a value is missing at line 1, column 1");
        check("{\n  \"a\": 1\n  \"b\": 2\n}", "a comma or an end is missing at line 3, column 3");
        check("{\"a\": 1} x", "something behind the end at line 1, column 10");
        check("{a: 1}", "a key in double quotes is missing at line 1, column 2");
        check("{\"a\" 1}", "a colon is missing at line 1, column 6");
        check("{\"a\": \"b", "a text without end at line 1, column 7");
        check("/* x", "a comment without end at line 1, column 1");
        check(&"[".repeat(200), "nested too deeply at line 1, column 130");
    }
}

//! JSON at the doors. It is written so that nothing in it is obeyed by a terminal or hidden from a reader: what JSON would leave as it is (the
//! controls behind DEL, marks of direction, characters without a shape) stands as an escape. The data is the same. It is
//! read within a bound on its values.

use serde_json::Value;
use std::fmt::Write as _;

/// A value as JSON on one line.
pub(crate) fn render_json(value: &Value) -> String {
    let json = value.to_string();
    // Outside of strings a JSON text of one line has no such characters.
    if !json.contains(model::is_hidden) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if model::is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// How many values a JSON text may hold: in memory each takes many times the two bytes that it takes in the text.
const MAX_JSON_VALUES: usize = 500_000;

/// Whether a JSON text has more values than a request can use. Counted before it is parsed, by the signs between values.
pub(crate) fn has_too_many_values(json: &[u8]) -> bool {
    // A shorter text cannot hold so many.
    if json.len() < MAX_JSON_VALUES {
        return false;
    }
    let (mut values, mut is_string, mut is_escaped) = (0, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_string,
            b'"' => is_string = !is_string,
            b',' | b'[' | b'{' if !is_string => values += 1,
            _ => {}
        }
    }
    values > MAX_JSON_VALUES
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_data_stays_and_nothing_in_it_is_hidden() {
        let value = json!({ "path\u{202e}": "a\u{1b}[2J\u{9b}31m\u{200b}\u{e0041}\n\u{7f} \u{e9} \u{1f600}" });
        let text = render_json(&value);
        assert_eq!(serde_json::from_str::<Value>(&text).expect("JSON"), value);
        assert!(!text.contains(model::is_hidden), "{text:?}");
        assert!(text.contains("\\u202e") && text.contains("\\udb40\\udc41") && text.contains('\u{1f600}'), "{text}");
    }

    #[test]
    fn values_are_counted_and_not_the_signs_in_texts() {
        let check = |line: String, expected: bool| assert_eq!(has_too_many_values(line.as_bytes()), expected);
        check(format!("[{}0]", "0,".repeat(600_000)), true);
        check("[".repeat(600_000), true);
        check(format!("[\"{}\"]", ",[{".repeat(600_000)), false);
        check(format!("[\"\\\"{}\"]", ",".repeat(600_000)), false);
        check("[0,0]".to_owned(), false);
    }
}

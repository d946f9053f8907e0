//! Puts one table into a TOML settings file of an agent, or finds and removes it. `toml_edit` keeps everything else as
//! it is.

use super::EditError;
use serde_json::Value;
use toml_edit::{DocumentMut, Item, Table, TableLike};

/// Puts a table under a path of keys.
pub(super) fn put_table(text: &str, path: &[String], value: &Value) -> Result<String, EditError> {
    // Equal in meaning is enough: writing it again would replace the owner's spacing by ours.
    if find_value(text, path)?.is_some_and(|known| known == *value) {
        return Ok(text.to_owned());
    }
    let mut document = parse_document(text)?;
    let (key, above) = path.split_last().expect("a path has keys");
    let last = document.trailing().as_str().unwrap_or_default().to_owned();
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for (depth, key) in above.iter().enumerate() {
        let implicit = || {
            let mut table = Table::new();
            // An implicit table is not printed, so `[mcp_servers.epitome]` needs no empty `[mcp_servers]` before it.
            table.set_implicit(true);
            Item::Table(table)
        };
        let item = table.entry(key).or_insert_with(implicit);
        let other = || EditError::OtherShape { path: path[..=depth].join("."), expected: "a table" };
        table = item.as_table_like_mut().ok_or_else(other)?;
    }
    let mut entry = Table::new();
    for (name, value) in value.as_object().into_iter().flatten() {
        entry.insert(name, toml_edit::value(toml_value(value)));
    }
    if !text.trim().is_empty() {
        // A comment at the end of the file is the document's trailing text; as the prefix of our table it stays where
        // it is.
        let end = if last.is_empty() || last.ends_with('\n') { "" } else { "\n" };
        entry.decor_mut().set_prefix(format!("{last}{end}\n"));
    }
    table.insert(key, Item::Table(entry));
    document.set_trailing("");
    render_document(text, &document)
}

/// The value under a path.
pub(super) fn find_value(text: &str, path: &[String]) -> Result<Option<Value>, EditError> {
    let document = parse_document(text)?;
    let mut item = document.as_item();
    for key in path {
        match item.get(key) {
            Some(below) => item = below,
            None => return Ok(None),
        }
    }
    Ok(Some(item_to_json(item)))
}

/// Takes the table at a path away.
pub(super) fn remove_table(text: &str, path: &[String]) -> Result<String, EditError> {
    let mut document = parse_document(text)?;
    let (key, above) = path.split_last().expect("a path has keys");
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in above {
        match table.get_mut(key).and_then(Item::as_table_like_mut) {
            Some(below) => table = below,
            None => return Ok(text.to_owned()),
        }
    }
    let removed = table.remove(key);
    let before = removed.as_ref().and_then(Item::as_table).and_then(|table| table.decor().prefix()?.as_str());
    // The prefix of our table holds the comments that stood at the end of the file before it; they go back there,
    // without the empty line that we added.
    let before = before.map(|before| before.strip_suffix('\n').unwrap_or(before)).unwrap_or_default();
    let last = document.trailing().as_str().unwrap_or_default();
    document.set_trailing(format!("{before}{last}"));
    render_document(text, &document)
}

fn parse_document(text: &str) -> Result<DocumentMut, EditError> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    text.parse().map_err(|error: toml_edit::TomlError| EditError::Malformed(error.message().to_owned()))
}

/// What some editors begin a file with.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The document as text, with the mark at its beginning and the ends of lines it had. The last line may have none: it
/// gets one when something follows.
fn render_document(text: &str, document: &DocumentMut) -> Result<String, EditError> {
    let mark = &text[..text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len()];
    let same = |document: &DocumentMut| {
        let document = document.to_string();
        format!("{mark}{}", if text.contains("\r\n") { document.replace('\n', "\r\n") } else { document })
    };
    // `toml_edit` writes one kind of line end. A file that would not come back as it was is refused, so that nothing is
    // changed that is not ours.
    let unchanged = same(&parse_document(text)?);
    if unchanged.strip_suffix("\r\n").or(unchanged.strip_suffix('\n')) != Some(text) && unchanged != text {
        return Err(EditError::Malformed("lines that end in different ways".to_owned()));
    }
    Ok(same(document))
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Bool(value) => (*value).into(),
        // No setting of ours is a fraction.
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::Array(values) => values.iter().map(toml_value).collect::<toml_edit::Array>().into(),
        Value::String(text) => text.as_str().into(),
        Value::Null | Value::Object(_) => value.to_string().into(),
    }
}

fn item_to_json(item: &Item) -> Value {
    if let Some(table) = item.as_table_like() {
        return table
            .iter()
            .map(|(key, item)| (key.to_owned(), item_to_json(item)))
            .collect::<serde_json::Map<_, _>>()
            .into();
    }
    match item.as_value() {
        Some(toml_edit::Value::Array(values)) => {
            values.iter().map(|value| item_to_json(&Item::Value(value.clone()))).collect()
        }
        Some(toml_edit::Value::String(text)) => text.value().as_str().into(),
        Some(toml_edit::Value::Integer(number)) => (*number.value()).into(),
        Some(toml_edit::Value::Boolean(value)) => (*value.value()).into(),
        _ => item.to_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_table_comes_and_goes_however_the_file_begins_and_ends() {
        let path = ["mcp_servers".to_owned(), "ours".to_owned()];
        for text in ["a = 1", "a = 1\n", "\u{feff}a = 1\n", "\u{feff}a = 1\r\n[b]\r\nc = 2", "# only this", "[b]\n\n\n"]
        {
            let put = put_table(text, &path, &json!({ "command": "x" })).expect("it can be put in");
            assert!(put.starts_with(text), "{put}");
            assert_eq!(find_value(&put, &path).expect("it is TOML"), Some(json!({ "command": "x" })), "{put}");
            let gone = remove_table(&put, &path).expect("it can be taken out");
            assert_eq!(gone.trim_end(), text.trim_end());
        }
    }

    #[test]
    fn lines_that_end_in_different_ways_are_left_alone() {
        let refused = put_table("a = 1\r\nb = 2\n", &["c".to_owned()], &json!({})).expect_err("it is refused");
        assert_eq!(refused.to_string(), "cannot be read: lines that end in different ways");
    }
}

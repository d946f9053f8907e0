//! Edits a JSON text with comments: puts in, replaces or removes an object member, adds or removes list elements, and
//! removes containers that became empty. The rest stays as it is to the byte, comments and trailing commas included.

use super::EditError;
use super::jsonc::{JsonItem, JsonNode, JsonShape, parse_jsonc};
use serde_json::Value;

/// Puts a value under a path of keys; the objects on the way are made where they are missing.
pub(super) fn put_value(text: &str, path: &[String], value: &Value) -> Result<String, EditError> {
    let root = parse_root(text)?;
    // An entry under a key that holds something else than an object is refused here, before anything is changed.
    let (node, depth) = descend_path(&root, path)?;
    let layout = JsonLayout::from_text(text);
    let Some((key, below)) = path[depth..].split_first() else {
        // Equal in meaning is enough: writing it again would replace the owner's spacing by ours.
        if node.to_value() == *value {
            return Ok(text.to_owned());
        }
        let written = layout.render_value(value, line_indent(text, node.span.start));
        return Ok(format!("{}{written}{}", &text[..node.span.start], &text[node.span.end..]));
    };
    // The keys that are missing on the way are written together with the value, as one member.
    let nested = below.iter().rev().fold(value.clone(), |inner, key| serde_json::json!({ key: inner }));
    Ok(insert_item(text, node, Some(key), &nested, &layout))
}

/// Adds an element to the list under a path, unless the list has it; in the place of an older one of ours, which is
/// given back.
pub(super) fn add_element(
    text: &str,
    path: &[String],
    value: &Value,
    is_ours: &dyn Fn(&Value) -> bool,
) -> Result<(String, Option<String>), EditError> {
    let root = parse_root(text)?;
    let (node, depth) = descend_path(&root, path)?;
    // The list itself is missing, so it is made with our element as its only one.
    if depth < path.len() {
        return Ok((put_value(text, path, &serde_json::json!([value]))?, None));
    }
    let JsonShape::Array(items) = &node.shape else {
        return Err(EditError::OtherShape { path: path.join("."), expected: "a list" });
    };
    // A list that has the element already stays as it is to the byte, even if another program wrote it.
    if items.iter().any(|item| item.value.to_value() == *value) {
        return Ok((text.to_owned(), None));
    }
    let layout = JsonLayout::from_text(text);
    // An element of ours that another version wrote, or a program at another path: replaced, or each hook would run
    // twice.
    let Some(old) = items.iter().find(|item| is_ours(&item.value.to_value())) else {
        return Ok((insert_item(text, node, None, value, &layout), None));
    };
    let span = old.value.span.clone();
    let written = layout.render_value(value, line_indent(text, span.start));
    // The text of the old element goes into the record, so that disconnecting can put it back.
    Ok((format!("{}{written}{}", &text[..span.start], &text[span.end..]), Some(text[span].to_owned())))
}

/// The value under a path, as written and as parsed.
pub(super) fn find_value(text: &str, path: &[String]) -> Result<Option<(String, Value)>, EditError> {
    let root = parse_root(text)?;
    let (node, depth) = descend_path(&root, path)?;
    Ok((depth == path.len()).then(|| (text[node.span.clone()].to_owned(), node.to_value())))
}

/// How many keys of a path lead somewhere.
pub(super) fn existing_depth(text: &str, path: &[String]) -> Result<usize, EditError> {
    Ok(descend_path(&parse_root(text)?, path)?.1)
}

/// Puts a text in the place of a value.
pub(super) fn replace_value(text: &str, path: &[String], written: &str) -> Result<String, EditError> {
    let root = parse_root(text)?;
    let (node, _) = descend_path(&root, path)?;
    Ok(format!("{}{written}{}", &text[..node.span.start], &text[node.span.end..]))
}

/// Takes the member at a path away.
pub(super) fn remove_member(text: &str, path: &[String]) -> Result<String, EditError> {
    let (key, above) = path.split_last().expect("a path has keys");
    let root = parse_root(text)?;
    let (node, depth) = descend_path(&root, above)?;
    match node.member_index(key) {
        Some(index) if depth == above.len() => Ok(remove_item(text, node, index)),
        // Nothing to take away: the user removed the member meanwhile.
        _ => Ok(text.to_owned()),
    }
}

/// Takes the elements away that are meant; what stood in the place of the first comes back.
pub(super) fn remove_elements(
    text: &str,
    path: &[String],
    replaced: Option<&str>,
    is: &dyn Fn(&Value) -> bool,
) -> Result<String, EditError> {
    let (mut text, mut replaced) = (text.to_owned(), replaced);
    // Elements before this index were looked at already; the text is parsed anew after every change, since all spans
    // move.
    let mut from = 0;
    loop {
        let root = parse_root(&text)?;
        let (node, depth) = descend_path(&root, path)?;
        let items = node.items().iter().skip(from);
        let mut found = items.enumerate().filter(|(_, item)| item.key.is_empty() && is(&item.value.to_value()));
        match (found.next(), replaced.take()) {
            (Some((index, item)), Some(old)) if depth == path.len() => {
                let span = item.value.span.clone();
                // The element that comes back runs a program of ours as well, so the search goes on behind it.
                from += index + 1;
                text = format!("{}{old}{}", &text[..span.start], &text[span.end..]);
            }
            (Some((index, _)), None) if depth == path.len() => text = remove_item(&text, node, from + index),
            _ => return Ok(text),
        }
    }
}

/// Takes empty objects and lists away that stand under a path, from the innermost up to the one `kept` keys deep.
pub(super) fn prune_empty(text: &str, path: &[String], kept: usize) -> Result<String, EditError> {
    let mut text = text.to_owned();
    // From the inside out: an object becomes empty only when the one inside of it has gone.
    for length in (kept + 1..=path.len()).rev() {
        let empty = find_value(&text, &path[..length])?.is_some_and(|(written, _)| {
            // A container with a comment in it is not empty: the comment is the owner's.
            let inside = written.get(1..written.len().saturating_sub(1)).unwrap_or("x");
            inside.trim().is_empty()
        });
        if !empty {
            break;
        }
        text = remove_member(&text, &path[..length])?;
    }
    Ok(text)
}

fn parse_root(text: &str) -> Result<JsonNode, EditError> {
    parse_jsonc(text).map_err(EditError::Malformed)
}

/// The node that the first keys of a path lead to, and how many they are.
fn descend_path<'n>(root: &'n JsonNode, path: &[String]) -> Result<(&'n JsonNode, usize), EditError> {
    let mut node = root;
    for (depth, key) in path.iter().enumerate() {
        let JsonShape::Object(items) = &node.shape else {
            let path = if depth == 0 { "the file".to_owned() } else { path[..depth].join(".") };
            return Err(EditError::OtherShape { path, expected: "an object" });
        };
        match node.member_index(key) {
            Some(index) => node = &items[index].value,
            // The key is missing: the caller inserts from here on.
            None => return Ok((node, depth)),
        }
    }
    Ok((node, path.len()))
}

/// How a text is laid out, so that what is added looks as if it had always been there.
struct JsonLayout {
    unit: String,
    newline: &'static str,
}

impl JsonLayout {
    fn from_text(text: &str) -> Self {
        let indents = text.lines().map(|line| &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]);
        let unit = indents.filter(|indent| !indent.is_empty()).min_by_key(|indent| indent.len());
        // More than eight columns are no unit of indentation; two spaces are the usual one.
        let unit = unit.filter(|indent| indent.len() <= 8).unwrap_or("  ").to_owned();
        // One style of line ends for the whole file, so that a change of ours does not mix them.
        Self { unit, newline: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    fn render_value(&self, value: &Value, indent: &str) -> String {
        let mut lines = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.unit.as_bytes());
        let mut serializer = serde_json::Serializer::with_formatter(&mut lines, formatter);
        serde::Serialize::serialize(value, &mut serializer).expect("a value can be written to memory");
        let lines = String::from_utf8(lines).expect("JSON is UTF-8");
        lines.replace('\n', &format!("{}{indent}", self.newline))
    }
}

fn insert_item(text: &str, container: &JsonNode, key: Option<&String>, value: &Value, layout: &JsonLayout) -> String {
    let key = key.map(|key| format!("{}: ", Value::from(key.as_str()))).unwrap_or_default();
    let newline = layout.newline;
    let Some(last) = container.items().last() else {
        let (open, close) = (container.span.start + 1, container.span.end - 1);
        let outer = line_indent(text, container.span.start);
        let indent = format!("{outer}{}", layout.unit);
        // A comment inside of the empty container stays before the new entry.
        let at = open + text[open..close].trim_end().len();
        let written = format!("{newline}{indent}{key}{}", layout.render_value(value, &indent));
        // `{\n}` has its closing brace on a line of its own already.
        return if text[at..close].contains('\n') {
            format!("{}{written}{}", &text[..at], &text[at..])
        } else {
            format!("{}{written}{newline}{outer}{}", &text[..at], &text[close..])
        };
    };
    // A trailing comma stays trailing: the file's owner, or a formatter, wants it so.
    let (end, before, after) = match last.comma {
        Some(comma) => (comma + 1, "", ","),
        None => (last.value.span.end, ",", ""),
    };
    let indent = line_indent(text, last.start);
    let begins_line = text[..last.start].ends_with(&format!("\n{indent}"));
    // A container on one line stays on one line.
    if !begins_line {
        return format!("{}{before} {key}{value}{after}{}", &text[..end], &text[end..]);
    }
    // A comment on the line of the last entry belongs to that entry, so the new one goes behind it.
    let rest = end + comment_length(&text[end..]);
    let written = layout.render_value(value, indent);
    format!("{}{before}{}{newline}{indent}{key}{written}{after}{}", &text[..end], &text[end..rest], &text[rest..])
}

fn remove_item(text: &str, container: &JsonNode, index: usize) -> String {
    let items = container.items();
    let JsonItem { start, value, comma, .. } = &items[index];
    let start = text[..*start].trim_end().len();
    if let Some(comma) = comma {
        return format!("{}{}", &text[..start], &text[comma + 1..]);
    }
    // The last entry has no comma behind it, so the comma before it has to go: strict JSON allows none at the end.
    if let Some(comma) = index.checked_sub(1).and_then(|before| items[before].comma) {
        return format!("{}{}{}", &text[..comma], &text[comma + 1..start], &text[value.span.end..]);
    }
    let (open, close) = (container.span.start + 1, container.span.end - 1);
    let (before, after) = (&text[open..start], &text[value.span.end..close]);
    // An object that was empty before becomes `{}` again, and not two braces with our blanks between them.
    let after = if before.is_empty() && after.trim().is_empty() { "" } else { after };
    format!("{}{after}{}", &text[..start], &text[close..])
}

/// The white space that a line begins with.
fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |at| at + 1)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// How long the comments are that end a line; 0 when something else does.
fn comment_length(text: &str) -> usize {
    let line = text.lines().next().unwrap_or_default();
    let mut rest = line.trim_start();
    while let Some(comment) = rest.strip_prefix("/*") {
        let Some(end) = comment.find("*/") else { return 0 };
        rest = comment[end + 2..].trim_start();
    }
    if rest.is_empty() || rest.starts_with("//") { line.trim_end().len() } else { 0 }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;

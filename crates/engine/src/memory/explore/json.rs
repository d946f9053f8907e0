//! Summarizes JSON and JSON lines in an artifact as an inferred schema: keys, types and ranges of their values, lengths
//! of lists.

use super::ContentOutline;
use super::scalar::{ScalarStats, render_count};
use serde_json::Value;

/// How many keys of one object are described; further ones are counted.
const KEYS: usize = 100;
/// Deeper levels are not shown.
const MAX_SHOWN_DEPTH: usize = 8;

/// `None` for a text that is not an object or a list of JSON.
pub(super) fn outline_json(text: &str) -> Option<ContentOutline> {
    let start = text.trim_start();
    if !start.starts_with(['{', '[']) {
        return None;
    }
    outline_document(start).or_else(|| outline_lines(start))
}

fn outline_document(text: &str) -> Option<ContentOutline> {
    let value: Value = serde_json::from_str(text).ok()?;
    let mut shape = JsonValueShape::default();
    shape.add_value(&value);
    let mut lines = vec![format!("JSON: {}", shape.describe_shape())];
    shape.describe_children(0, &mut lines);
    Some(ContentOutline { media_type: "application/json", lines })
}

/// Lines of JSON; other lines are counted. `None` where most lines are not JSON.
fn outline_lines(text: &str) -> Option<ContentOutline> {
    let mut shape = JsonValueShape::default();
    let mut good = 0;
    let mut bad = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(value) => {
                shape.add_value(&value);
                good += 1;
            }
            Err(_) => bad += 1,
        }
        // Given up early: a text that merely begins with a bracket may have millions of lines.
        if bad > 8 && bad > good {
            return None;
        }
    }
    if good < 2 || bad > good {
        return None;
    }
    let mut lines = vec![format!("{} of JSON, each: {}", render_count(good, "line"), shape.describe_shape())];
    if bad > 0 {
        lines.push(format!("{} that cannot be read", render_count(bad, "line")));
    }
    shape.describe_children(0, &mut lines);
    Some(ContentOutline { media_type: "application/jsonl", lines })
}

/// Everything that was seen at one place.
#[derive(Default)]
struct JsonValueShape {
    seen: u64,
    nulls: u64,
    booleans: u64,
    scalars: ScalarStats,
    lists: u64,
    shortest: usize,
    longest: usize,
    items: Option<Box<JsonValueShape>>,
    objects: u64,
    fields: Vec<(String, JsonValueShape)>,
    /// The number of further keys.
    further: u64,
}

impl JsonValueShape {
    // The parser bounds how deep values nest, so the recursion is bounded too.
    fn add_value(&mut self, value: &Value) {
        self.seen += 1;
        match value {
            Value::Null => self.nulls += 1,
            Value::Bool(_) => self.booleans += 1,
            Value::Number(number) => self.scalars.add_number(number.as_f64().unwrap_or_default()),
            Value::String(text) => self.scalars.add_text(text),
            Value::Array(items) => {
                // The default of 0 would make every shortest list empty.
                self.shortest = if self.lists == 0 { items.len() } else { self.shortest.min(items.len()) };
                self.longest = self.longest.max(items.len());
                self.lists += 1;
                let shape = self.items.get_or_insert_default();
                for item in items {
                    shape.add_value(item);
                }
            }
            Value::Object(fields) => {
                self.objects += 1;
                for (key, value) in fields {
                    match self.fields.iter().position(|(known, _)| known == key) {
                        Some(at) => self.fields[at].1.add_value(value),
                        None if self.fields.len() < KEYS => {
                            let mut shape = Self::default();
                            shape.add_value(value);
                            self.fields.push((key.clone(), shape));
                        }
                        None => self.further += 1,
                    }
                }
            }
        }
    }

    /// A description of the values at this place.
    fn describe_shape(&self) -> String {
        let mut words = self.scalars.describe_values();
        if self.booleans > 0 {
            words.push("true or false".to_owned());
        }
        if self.objects > 0 {
            words.push(format!("object with {}", render_count(self.fields.len() + self.further as usize, "key")));
        }
        if self.lists > 0 {
            let lengths = render_count(self.longest, "entry");
            words.push(if self.shortest == self.longest {
                format!("list of {lengths}")
            } else {
                format!("list of {} to {lengths}", self.shortest)
            });
        }
        if self.nulls > 0 || words.is_empty() {
            words.push("null".to_owned());
        }
        words.join(", or ")
    }

    /// Descriptions of the values below, a line for each key and for the entries of a list.
    fn describe_children(&self, depth: usize, lines: &mut Vec<String>) {
        if depth >= MAX_SHOWN_DEPTH {
            return;
        }
        let blanks = "  ".repeat(depth);
        for (key, shape) in &self.fields {
            let share = if shape.seen < self.objects {
                format!(" (in {} of {})", shape.seen, self.objects)
            } else {
                String::new()
            };
            lines.push(format!("{blanks}{key}: {}{share}", shape.describe_shape()));
            shape.describe_children(depth + 1, lines);
        }
        if self.further > 0 {
            lines.push(format!("{blanks}… {} besides", render_count(self.further as usize, "key")));
        }
        if let Some(items) = self.items.as_ref().filter(|items| items.seen > 0) {
            lines.push(format!("{blanks}each entry: {}", items.describe_shape()));
            items.describe_children(depth + 1, lines);
        }
    }
}

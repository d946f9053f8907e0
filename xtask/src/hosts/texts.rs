//! Extracts text from the JSON that agents send to the model, and finds the parts of it that Epitome injected
//! (`<epitome>…</epitome>`).

use serde_json::Value;

const BEGIN_TAG: &str = "<epitome>";
const END_TAG: &str = "</epitome>";

/// Every text of a value, in order.
pub(super) fn words_of(value: &Value) -> String {
    let mut words = Vec::new();
    collect_texts(value, &mut words);
    words.join("\n")
}

fn collect_texts<'v>(value: &'v Value, words: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => words.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect_texts(item, words)),
        Value::Object(members) => members.values().for_each(|member| collect_texts(member, words)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Texts of our hooks inside of a text, each without its fence. Some agents escape the fence.
pub(super) fn told_in(text: &str) -> Vec<String> {
    let plain = unescape_text(text);
    let begun = plain.split(BEGIN_TAG).skip(1);
    begun.filter_map(|rest| rest.split_once(END_TAG)).map(|(inside, _)| inside.trim().to_owned()).collect()
}

/// A text without the texts of our hooks in it.
pub(super) fn without_ours(text: &str) -> String {
    let plain = unescape_text(text);
    let mut rest = plain.as_str();
    let mut own = String::new();
    while let Some((before, behind)) = rest.split_once(BEGIN_TAG) {
        own += before;
        if let Some((_, after)) = behind.split_once(END_TAG) {
            rest = after;
        } else {
            // The word is only mentioned, and begins no stretch of ours.
            own += BEGIN_TAG;
            rest = behind;
        }
    }
    own + rest
}

fn unescape_text(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("\\u003c", "<").replace("\\u003e", ">")
}

/// The last `msg_…` id in a text.
pub(super) fn last_message_id(text: &str) -> Option<&str> {
    let at = text.rfind("msg_")?;
    let id = &text[at..];
    let end = id.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(id.len());
    Some(&id[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ours_is_found_in_every_escaping_and_the_rest_stays() {
        for text in ["one <epitome>\ntold\n</epitome> two", "one &lt;epitome&gt;\ntold\n&lt;/epitome&gt; two"] {
            assert_eq!(told_in(text), ["told"]);
            assert_eq!(without_ours(text), "one  two");
        }
        assert_eq!(without_ours("what does <epitome> mean"), "what does <epitome> mean");
        assert_eq!(told_in("what does <epitome> mean"), [""; 0]);
    }

    #[test]
    fn words_and_ids_are_read_out_of_values() {
        let words = words_of(&json!({ "a": ["expand msg_12ab]", { "b": "end" }], "c": 3 }));
        assert_eq!(words, "expand msg_12ab]\nend");
        assert_eq!(last_message_id(&words), Some("msg_12ab"));
        assert_eq!(last_message_id("nothing"), None);
    }
}

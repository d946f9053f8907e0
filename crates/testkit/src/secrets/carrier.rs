//! The surroundings of a sample: what stands around a token, and in what a text arrives.
//!
//! None of the surroundings of a token names a password, a token or a key: what is found there is found by its form.

/// One of the sentences and commands that a token stands in.
pub(super) fn wrap_token(token: &str, surroundings: usize) -> String {
    let token = format!("⟦{token}⟧");
    match surroundings % 7 {
        0 => token,
        1 => format!("It answered after I used {token} twice."),
        2 => format!("{{\"type\":\"text\",\"value\":\"{token}\"}}"),
        3 => format!("$ cli connect {token}\nconnected"),
        4 => format!("use `{token}` for this"),
        5 => format!("   12\tlet x = \"{token}\";"),
        _ => format!("+x: {token}"),
    }
}

/// A text as people and tools hand it on: as it is, as numbered lines, as a string in JSON, as a difference.
pub(super) fn carry_text(text: &str, surroundings: usize) -> String {
    match surroundings % 4 {
        0 => text.to_owned(),
        1 => {
            let numbered: Vec<String> =
                text.lines().zip(10..).map(|(line, number)| format!("{number:>6}→{line}")).collect();
            numbered.join("\n")
        }
        2 => format!("{{\"type\":\"tool_result\",\"content\":\"{}\",\"is_error\":false}}", escape_json(text)),
        _ => {
            let added: Vec<String> = text.lines().map(|line| format!("+{line}")).collect();
            format!("@@ -1,0 +1,{} @@\n{}", added.len(), added.join("\n"))
        }
    }
}

fn escape_json(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\u{1b}' => escaped.push_str("\\u001b"),
            other => escaped.push(other),
        }
    }
    escaped
}

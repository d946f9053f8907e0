//! Removes from a user's message what the person did not write (text inserted by the agent, quoted files, pasted logs
//! and diffs, quotes), and splits the rest into sentences. Rules and decisions are extracted from these.

use crate::memory::artifact::name_quoted_files;
use model::remove_injected;
use regex::Regex;
use std::sync::LazyLock;

/// What agents put into a user's message, not the user.
const HOST_INSERTED_TAGS: &[&str] = &[
    "system-reminder",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "command-name",
    "command-message",
    "command-contents",
    "command-args",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "ide_opened_file",
    "ide_selection",
    "environment_context",
    "environment_details",
    "user_instructions",
    "INSTRUCTIONS",
    "memory-context",
    "task-notification",
    "hook_context",
    "session_context",
    "persisted-output",
];

/// The text without what was inserted, pasted or quoted.
pub(crate) fn own_words(text: &str) -> String {
    static SKILL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?s)<skill name="([\w:.-]{1,60})"[^>]*>.*?</skill>"#).expect("the pattern is ours")
    });
    // A skill that a person called stands there whole; they wrote its name.
    let said = remove_injected(text);
    let mut said = SKILL.replace_all(&name_quoted_files(&said), "/$1\n").into_owned();
    for tag in HOST_INSERTED_TAGS {
        let open = format!("<{tag}");
        let close = format!("</{tag}>");
        while let Some(start) = said.find(&open) {
            let end = said[start..].find(&close).map_or(said.len(), |at| start + at + close.len());
            // A line end in its place, so that words before and after it do not become one sentence.
            said.replace_range(start..end, "\n");
        }
    }
    let mut fenced = false;
    let own = said.lines().filter(|line| {
        let line = line.trim_start();
        let fence = line.starts_with("```") || line.starts_with("~~~");
        fenced ^= fence;
        let inserted = line.starts_with("[Request interrupted by user");
        !fence && !fenced && !inserted && !line.starts_with('>') && !looks_pasted(line)
    });
    own.collect::<Vec<_>>().join("\n")
}

/// Log lines, diffs, stack traces and data: more marks than words.
fn looks_pasted(line: &str) -> bool {
    static LOG: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^(?:\d{4}[-/]\d\d[-/]\d\d[T ]|\[\d|[+-]{3} |@@ |diff --git |at \S+ \(|\s*\^+|\{.*\}[,;]?$|(?:ERROR|WARN|INFO|DEBUG)\b|\S+\.\w+:\d+:|\+\s{2,}\S|\+\s*(?:\*|//|/\*|#)|-\s{4,}\S|\d+\s+(?:\|\s|[-+]\s{2,})|[│├└─]|-\w, --\w|(?:go|npm|error|warning|fatal): \w)",
        )
        .expect("the pattern is ours")
    });
    let marks = line.bytes().filter(|byte| b"{}[]<>=|\\;$#&%^*".contains(byte)).count();
    // Rows of a table: values, and no sentence around them.
    let is_row = line.matches(',').count() > 2 && !line.contains(' ');
    LOG.is_match(line) || is_row || (line.len() > 20 && marks * 5 > line.len())
}

/// Sentences and list entries, on one line each, without their bullet.
pub(crate) fn split_sentences(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '•']).trim_start();
        let mut start = 0;
        for (at, c) in line.char_indices() {
            let end = at + c.len_utf8();
            let stop = match c {
                '.' | '!' | '?' => {
                    line[end..].chars().next().is_none_or(char::is_whitespace)
                        && !is_abbreviation(&line[start..at], &line[end..])
                }
                '。' | '！' | '？' => true,
                _ => false,
            };
            if stop {
                push_sentence(&line[start..end], &mut out);
                start = end;
            }
        }
        push_sentence(&line[start..], &mut out);
    }
    out
}

/// `e.g.` and list numbers end no sentence, nor does a number in the middle of one.
fn is_abbreviation(before: &str, after: &str) -> bool {
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches(['(', '[']);
    let known = ["e.g", "i.e", "eg", "ie", "etc", "vs", "cf", "z.B", "Mr", "Dr", "no", "approx"].contains(&word);
    let is_number = !word.is_empty() && word.len() < 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    // "limit it to 5. then stop" goes on; "3. Use tabs" is an entry of a list.
    let goes_on = || after.trim_start().starts_with(char::is_lowercase);
    known || (is_number && (word.len() == before.trim().len() || goes_on()))
}

fn push_sentence(sentence: &str, out: &mut Vec<String>) {
    let sentence = sentence.trim();
    if !sentence.is_empty() {
        out.push(sentence.to_owned());
    }
}

//! Splits a draft into sentences and says which of them state what is so now: questions, opinions, plans, and words about
//! what was before or is missing are no claims about the code as it is.
//!
//! Text in fences is no sentence; the names in it are those that the draft itself brings along.

use regex::Regex;
use std::collections::HashSet;
use std::sync::LazyLock;

/// How a sentence speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentenceMood {
    /// It states what is so.
    Fact,
    /// It says that something is not so.
    Denial,
    /// It is a question, an opinion, a plan, or about what was before.
    Other,
}

/// A sentence, and where it stands in the draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sentence<'d> {
    pub(super) text: &'d str,
    pub(super) start: usize,
    pub(super) mood: SentenceMood,
    /// Whether it is a row of a table: its cells are no clauses.
    pub(super) is_row: bool,
}

/// A draft in pieces.
#[derive(Debug, Default)]
pub(super) struct DraftText<'d> {
    pub(super) sentences: Vec<Sentence<'d>>,
    /// The words in fences: names that the draft may define itself.
    pub(super) own_words: HashSet<&'d str>,
}

macro_rules! pattern {
    ($name:ident, $text:expr) => {
        static $name: LazyLock<Regex> = LazyLock::new(|| Regex::new($text).expect("the pattern is ours"));
    };
}

pattern!(
    OPINION,
    r"(?ix)\b(should|shouldn't|could|would|might|may|maybe|perhaps|probably|possibly|likely|seems?|appears?|i\ think|
        i\ believe|i\ suspect|i\ guess|presumably|assum(e|es|ing)|suggest(s|ed|ion)?|recommend(s|ed)?|propos(e|es|ed|al)|
        consider|prefer(s|red)?|ideally|let'?s|let\ me|i'll|i’ll|we'll|will|going\ to|plans?\ to|planned|wants?\ to|wanted\ to|
        needs?\ to|needed|todo|next\ steps?|if\ you|if\ we|you\ can|you\ could|would\ you|must|imagine|suppose|
        something\ like|instead\ of|rather\ than|unlike|alternatives?|alternatively|option|either|hypothetical(ly)?|
        better|cleaner|nicer|best|ugly|elegant|for\ instance|for\ example|expected|desired|want|pretend|fake|
        placeholder|example)\b"
);
pattern!(
    BEFORE,
    r"(?ix)\b(remov(e|es|ed|ing)|delet(e|es|ed|ing)|drop(s|ped|ping)?|renam(e|es|ed|ing)|replac(e|es|ed|ing)|mov(e|es|ed|ing)|
        migrat(e|es|ed|ing)|no\ longer|anymore|used\ to|previous(ly)?|former(ly)?|old|older|earlier|originally|before|was|were|had|
        legacy|deprecated|stale|revert(s|ed|ing)?|gone|obsolete|dead|historical(ly)?|upstream|git\ history|since\ then)\b"
);
pattern!(
    DENIAL,
    r"(?ix)\b(no|not|without|never|none|nothing|missing|lacks?|lacking|absent|neither|nor|cannot|undefined|nonexistent|
        non-existent|unknown|wrong|incorrect(ly)?|typo|broken|fails?|failed|invalid|unresolved|unavailable|\w+n['’]t)\b"
);
/// A sentence that begins so tells somebody to do something.
const ORDERS: &[&str] = &[
    "add",
    "apply",
    "avoid",
    "bump",
    "call",
    "change",
    "check",
    "choose",
    "clean",
    "convert",
    "copy",
    "create",
    "define",
    "delete",
    "drop",
    "emit",
    "ensure",
    "expose",
    "extend",
    "extract",
    "fix",
    "follow",
    "generate",
    "give",
    "handle",
    "implement",
    "import",
    "inject",
    "insert",
    "install",
    "introduce",
    "keep",
    "let",
    "mark",
    "merge",
    "migrate",
    "modify",
    "move",
    "open",
    "parse",
    "pass",
    "pick",
    "port",
    "print",
    "put",
    "refactor",
    "register",
    "reject",
    "remove",
    "rename",
    "replace",
    "require",
    "return",
    "reuse",
    "rewrite",
    "rework",
    "run",
    "set",
    "split",
    "start",
    "store",
    "support",
    "switch",
    "test",
    "treat",
    "try",
    "turn",
    "update",
    "use",
    "validate",
    "verify",
    "wire",
    "wrap",
    "write",
];

/// The sentences of a draft.
pub(super) fn split_draft(draft: &str) -> DraftText<'_> {
    let mut text = DraftText::default();
    let mut fence: Option<&str> = None;
    let mut block: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in draft.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let trimmed = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        if let Some(open) = fence {
            if mark == Some(open) {
                fence = None;
            } else {
                text.own_words.extend(line.split(|c: char| !is_word_char(c)).filter(|word| !word.is_empty()));
            }
            continue;
        }
        let is_item = is_list_item(trimmed);
        let is_alone = trimmed.is_empty() || trimmed.starts_with(['>', '#', '|']);
        if mark.is_some() || is_item || is_alone {
            close_block(draft, &mut block, &mut text.sentences);
        }
        if mark.is_some() {
            fence = mark;
        } else if trimmed.starts_with('|') {
            text.sentences.extend(trim_sentence(draft, start, end, true));
        } else if is_item {
            block = Some((start, end));
        } else if !is_alone {
            // A line goes on with the one before it.
            block = Some((block.map_or(start, |(first, _)| first), end));
        }
    }
    close_block(draft, &mut block, &mut text.sentences);
    text
}

fn is_list_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['-', '*', '+', '•']) && !line.starts_with("**")
        || number.len() < line.len() && number.starts_with(['.', ')'])
}

fn close_block<'d>(draft: &'d str, block: &mut Option<(usize, usize)>, sentences: &mut Vec<Sentence<'d>>) {
    let Some((start, end)) = block.take() else { return };
    let mut first = start;
    for stop in sentence_ends(&draft[start..end]) {
        sentences.extend(trim_sentence(draft, first, start + stop, false));
        first = start + stop;
    }
    sentences.extend(trim_sentence(draft, first, end, false));
}

/// Where sentences of a paragraph end.
fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut in_code = false;
    let mut letters = text.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        in_code ^= c == '`';
        let Some(&(next, after)) = letters.peek() else { break };
        if in_code || !matches!(c, '.' | '!' | '?' | ';') || !after.is_whitespace() {
            continue;
        }
        let before = text[..at].rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
        let is_short = matches!(before.as_str(), "e.g" | "i.e" | "etc" | "vs" | "cf" | "(e.g" | "(i.e" | "approx");
        // `1.` at the beginning of an item is its number.
        let is_number = c == '.' && at < 4 && before.bytes().all(|byte| byte.is_ascii_digit());
        if !is_short && !is_number {
            ends.push(next);
        }
    }
    ends
}

fn trim_sentence(draft: &str, start: usize, end: usize, is_row: bool) -> Option<Sentence<'_>> {
    let whole = &draft[start..end];
    let lead = whole.len() - whole.trim_start_matches(|c: char| c.is_whitespace() || "-*+•".contains(c)).len();
    let text = whole[lead..].trim_end();
    text.contains(is_word_char).then(|| Sentence { text, start: start + lead, mood: find_mood(text), is_row })
}

fn find_mood(text: &str) -> SentenceMood {
    let prose = blank_code(text);
    // A sentence that begins with a name tells nobody anything.
    let words = prose.trim_start_matches(|c: char| !c.is_alphabetic() && c != BLANK);
    let first = words.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let is_order = ORDERS.contains(&first.to_lowercase().as_str());
    if prose.trim_end().ends_with('?') || is_order || OPINION.is_match(&prose) || BEFORE.is_match(&prose) {
        return SentenceMood::Other;
    }
    if DENIAL.is_match(&prose) { SentenceMood::Denial } else { SentenceMood::Fact }
}

/// What stands in the place of code in [`blank_code`].
pub(super) const BLANK: char = '\u{1}';

/// A sentence with blanks in the place of what stands between backticks, byte for byte: names are no words of it.
pub(super) fn blank_code(text: &str) -> String {
    let mut in_code = false;
    let mut blank = String::with_capacity(text.len());
    for c in text.chars() {
        in_code ^= c == '`';
        if in_code || c == '`' { blank.extend(std::iter::repeat_n(BLANK, c.len_utf8())) } else { blank.push(c) }
    }
    blank
}

pub(super) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(draft: &str) -> Vec<(&str, SentenceMood)> {
        let text = split_draft(draft);
        for sentence in &text.sentences {
            assert_eq!(&draft[sentence.start..sentence.start + sentence.text.len()], sentence.text);
        }
        text.sentences.iter().map(|sentence| (sentence.text, sentence.mood)).collect()
    }

    #[test]
    fn sentences_end_where_they_end_and_fences_are_none() {
        use SentenceMood::{Denial, Fact, Other};
        assert_eq!(
            split(
                "# Title\nThe `a.b. c` is\nhere, e.g. so. It holds.\n\n1. First `x`.\n- `y` is not z\n> quoted\n\
                   ```py\ndef made_up(): pass\n```\n| a | b |\nWhy?"
            ),
            [
                ("The `a.b. c` is\nhere, e.g. so.", Fact),
                ("It holds.", Fact),
                ("1. First `x`.", Fact),
                ("`y` is not z", Denial),
                ("| a | b |", Fact),
                ("Why?", Other),
            ]
        );
        assert!(split_draft("```\ndef made_up(): pass\n```\n").own_words.contains("made_up"));
    }

    #[test]
    fn what_is_planned_past_or_thought_is_no_fact() {
        for text in ["Add `f()`.", "`f()` should call `g`.", "I removed `f()`.", "We could use `f`.", "`f()` was slow."]
        {
            assert_eq!(split(text)[0].1, SentenceMood::Other, "{text}");
        }
        for text in ["`should_retry()` calls `f`.", "Added `f()` to `a.py`.", "It reads `was`."] {
            assert_eq!(split(text)[0].1, SentenceMood::Fact, "{text}");
        }
        assert_eq!(split("`f` does not call `g`.")[0].1, SentenceMood::Denial);
    }
}

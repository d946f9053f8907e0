//! Classifies a question by its wording into an intent (find, explain, list, compare, how, why, debug), and detects
//! pasted stack traces.

/// Why a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionIntent {
    /// Where something is.
    Find,
    /// What something is, or how it works.
    Explain,
    /// All there is of something.
    List,
    /// What sets things apart.
    Compare,
    /// How something is to be done.
    How,
    /// The reason for something.
    Why,
    /// What goes wrong.
    Debug,
}

impl QuestionIntent {
    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Find => "find",
            Self::Explain => "explain",
            Self::List => "list",
            Self::Compare => "compare",
            Self::How => "how",
            Self::Why => "why",
            Self::Debug => "debug",
        }
    }

    /// The intent of a question; a question that only names something wants to find it.
    pub(crate) fn from_question(question: &str) -> Self {
        let lower = question.trim().to_lowercase();
        // Before all phrases: a pasted trace often begins with "why does this fail" or "how do I fix", and is to be
        // debugged.
        if is_trace(question) {
            return Self::Debug;
        }
        let starts = |openings: &[&str]| {
            openings.iter().any(|opening| {
                lower.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
            })
        };
        let has = |words: &[&str]| words.iter().any(|word| contains_phrase(&lower, word));
        // Before the openings: "how does A differ from B" begins like an explanation and is a comparison.
        if has(&["difference between", "differences between", "compare", "compared to", "versus", "vs", "differ from"])
        {
            Self::Compare
        } else if starts(&["why", "what is the reason", "for what reason"]) {
            Self::Why
        } else if starts(&["how does", "how do the", "how is", "how are", "explain", "describe"])
            // "how do sessions work" asks for an explanation; "how do I add a session" asks for steps.
            || (starts(&["how do"]) && lower.trim_end_matches('?').ends_with(" work"))
        {
            Self::Explain
        } else if starts(&["how"]) {
            Self::How
        } else if starts(&["find", "search", "locate", "where", "which file", "show me where"]) {
            Self::Find
        } else if starts(&["list", "show all", "all", "enumerate", "what are", "which"]) {
            Self::List
        // Behind the openings: "where are errors handled" has a word of trouble in it and reports none.
        } else if has(FAILURE_WORDS) {
            Self::Debug
        } else if starts(&["what is", "what does", "what do", "what"]) {
            Self::Explain
        } else {
            Self::Find
        }
    }

    /// Whether it is about an idea more than about a name.
    pub(crate) fn is_conceptual(self) -> bool {
        matches!(self, Self::Explain | Self::How | Self::Why | Self::Compare)
    }
}

/// Words of a user who reports a failure.
const FAILURE_WORDS: &[&str] = &[
    "error",
    "errors",
    "bug",
    "issue",
    "problem",
    "fails",
    "failing",
    "failed",
    "crash",
    "crashes",
    "panic",
    "panics",
    "broken",
    "exception",
    "wrong",
    "hangs",
    "leak",
    "regression",
    "doesn't work",
    "does not work",
    "not working",
];

/// Whether a text holds a trace or the output of a failure.
pub(crate) fn is_trace(text: &str) -> bool {
    let frames = text.lines().filter(|line| is_frame(line.trim_start())).count();
    // One frame alone on one line is a place that the question names (`src/a.rs:10`), not a trace.
    frames >= 2
        || text.contains("Traceback (most recent call last)")
        || text.contains("panicked at ")
        || (frames == 1 && text.lines().count() > 1)
}

/// Whether a line is a frame of a trace: `at f (a.js:1:2)`, `File "a.py", line 3`, `a.go:12 +0x1d`.
fn is_frame(line: &str) -> bool {
    let is_at = line.starts_with("at ") && (line.contains('(') || line.contains(':'));
    let is_file = line.starts_with("File \"") && line.contains(", line ");
    let is_place = line.split_whitespace().next().is_some_and(|word| {
        let mut parts = word.rsplitn(3, ':');
        let is_number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
        is_number(parts.next()) && word.contains('/') && word.contains('.')
    });
    is_at || is_file || is_place
}

/// Whether words stand in a text, not as a piece of others.
pub(crate) fn contains_phrase(text: &str, words: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(words).any(|(at, found)| {
        !text[..at].chars().next_back().is_some_and(is_word)
            && !text[at + found.len()..].chars().next().is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_intent_is_told_by_how_a_question_is_put() {
        let check = |question: &str, expected: QuestionIntent| {
            assert_eq!(QuestionIntent::from_question(question), expected, "{question}");
        };
        check("where is the auth controller?", QuestionIntent::Find);
        check("how does authentication work?", QuestionIntent::Explain);
        check("show all API endpoints", QuestionIntent::List);
        check("difference between v1 and v2 API", QuestionIntent::Compare);
        check("how to implement caching?", QuestionIntent::How);
        check("why is this function async?", QuestionIntent::Why);
        check("error in login function", QuestionIntent::Debug);
        check("parseHTTPHeader", QuestionIntent::Find);
        check("showcase of walls", QuestionIntent::Find);
        check("what does the walker skip", QuestionIntent::Explain);
        check("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError", QuestionIntent::Debug);
    }

    #[test]
    fn a_trace_is_told_from_prose() {
        assert!(is_trace("TypeError: x is undefined\n    at f (src/a.js:10:3)\n    at g (src/b.js:4:1)"));
        assert!(is_trace("thread 'main' panicked at src/main.rs:3:5:\nboom"));
        assert!(!is_trace("look at the parser (the old one)"));
    }
}

//! Reads what the user answered to questions that an agent asked through a tool, question by question.

use super::action::ToolQuestion;
use serde_json::Value;

/// Words that a user adds to a chosen option, as an agent marks them.
const NOTE_MARK: &str = "user_note: ";
/// What agents put behind the answers.
const TRAILERS: [&str; 2] = [". You can now continue", ". Read the answers carefully"];

/// The questions with their answers. Agents write `"question"="answer"` for each, or one JSON object with the answers by
/// the ids of the questions; what is in another form is one answer to all of them.
pub(super) fn parse_answers(questions: &[ToolQuestion], output: &str) -> Vec<(String, String)> {
    if let Some(answers) = parse_object(questions, output) {
        return answers;
    }
    let found: Vec<(&String, usize, usize)> = questions
        .iter()
        .filter_map(|question| {
            let head = format!("\"{}\"=\"", question.words);
            output.find(&head).map(|at| (&question.words, at, at + head.len()))
        })
        .collect();
    // Another form of answer: the first sentence stands for all questions, because it cannot be split.
    if found.is_empty() {
        let first = super::split_sentences(output).into_iter().next().unwrap_or_default();
        let all: Vec<&str> = questions.iter().map(|question| question.words.as_str()).collect();
        return if all.is_empty() { Vec::new() } else { vec![(all.join(" / "), first)] };
    }
    let answer = |(question, _, start): &(&String, usize, usize)| {
        let next = found.iter().map(|(_, at, _)| *at).filter(|at| at > start).min().unwrap_or(output.len());
        let rest = &output[*start..next];
        let rest = TRAILERS.iter().find_map(|trailer| Some(rest.split_once(trailer)?.0)).unwrap_or(rest);
        let (said, note) = split_note(rest);
        // An answer may have quotes of its own: the last one ends it.
        let said = said.trim_end_matches([',', ' ', '.', '\n']);
        let said = said.strip_suffix('"').unwrap_or(said);
        let answer = match note {
            Some(note) if !note.is_empty() && note != said => format!("{said}; {note}"),
            _ => said.to_owned(),
        };
        ((*question).clone(), answer)
    };
    found.iter().map(answer).collect()
}

/// Splits an answer from what the agent adds behind it: the preview that belonged to the option, which is not the user's, and
/// the user's note.
fn split_note(rest: &str) -> (&str, Option<&str>) {
    const NOTES: &str = "\" user notes: ";
    let (said, note) = rest.split_once(NOTES).map_or((rest, None), |(said, note)| (said, Some(note)));
    let said = said.split_once("\" selected ").map_or(said, |(said, _)| said);
    (said, note.map(|note| note.trim_end_matches([',', ' ', '"', '\n'])))
}

/// The answers of a JSON object; `None` where the output is none. A question without an answer is left out.
fn parse_object(questions: &[ToolQuestion], output: &str) -> Option<Vec<(String, String)>> {
    let object: Value = serde_json::from_str(output.trim()).ok().filter(Value::is_object)?;
    let answers = object.get("answers").unwrap_or(&object);
    let answer = |question: &ToolQuestion| {
        let key = |name: &String| answers.get(name);
        let said = question.id.as_ref().and_then(key).or_else(|| key(&question.words))?;
        let words = join_texts(said.get("answers").or_else(|| said.get("answer")).unwrap_or(said));
        (!words.is_empty()).then(|| (question.words.clone(), words))
    };
    Some(questions.iter().filter_map(answer).collect())
}

/// The chosen options and what the user added, in one line.
fn join_texts(said: &Value) -> String {
    let texts = match said {
        Value::String(text) => vec![text.as_str()],
        Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    };
    let texts = texts.into_iter().map(|text| text.strip_prefix(NOTE_MARK).unwrap_or(text).trim());
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(questions: &[(&str, &str)]) -> Vec<ToolQuestion> {
        let question = |(id, words): &(&str, &str)| ToolQuestion {
            id: (!id.is_empty()).then(|| (*id).to_owned()),
            words: (*words).to_owned(),
        };
        questions.iter().map(question).collect()
    }

    fn check(questions: &[(&str, &str)], output: &str, expected: &[(&str, &str)]) {
        let found = parse_answers(&asked(questions), output);
        let found: Vec<(&str, &str)> = found.iter().map(|(question, answer)| (&**question, &**answer)).collect();
        assert_eq!(found, expected, "{output}");
    }

    #[test]
    fn each_question_has_its_own_answer() {
        let two = [("store", "Which store?"), ("scope", "How much of it?")];
        let pairs = [("Which store?", "SQLite"), ("How much of it?", "All, \"really\"")];
        check(
            &two,
            "User has answered: \"Which store?\"=\"SQLite\", \"How much of it?\"=\"All, \"really\"\". You can now continue.",
            &pairs,
        );
        check(
            &two,
            r#"{"answers":{"scope":{"answers":["Half","user_note: the first one"]},"store":{"answers":["SQLite"]}}}"#,
            &[("Which store?", "SQLite"), ("How much of it?", "Half; the first one")],
        );
        check(
            &two,
            "User has answered: \"Which store?\"=\"SQLite\" selected preview:\n+---+\n| a |\n+---+, \
             \"How much of it?\"=\"Half\" user notes: the first one. You can now continue with the answers in mind.",
            &[("Which store?", "SQLite"), ("How much of it?", "Half; the first one")],
        );
        check(
            &two,
            "The user answered: \"Which store?\"=\"SQLite\", \"How much of it?\"=\"All, \"really\"\". Read the answers carefully \
             — they may request changes — and follow what they actually say.",
            &pairs,
        );
        check(&two, r#"{"Which store?":"SQLite"}"#, &[("Which store?", "SQLite")]);
        check(&two, r#"{"answers":{}}"#, &[]);
        check(&two, "Use SQLite. And all of it.", &[("Which store? / How much of it?", "Use SQLite.")]);
        check(&[], "Approved.", &[]);
    }
}

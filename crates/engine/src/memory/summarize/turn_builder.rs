//! Builds the turns of a summary from messages: a turn begins with the words of a person and ends before the next ones.
//!
//! The result of a turn is told by the last text of the model in it. Where that only announces a step, because the turn
//! was cut off or goes on elsewhere, by what was said on the way about causes and outcomes.

use super::statement::{
    Statement, StatementPurpose, TELLING_POINTS, clean_line, cut_text, read_statements, select_statements, shorten_text,
};
use super::turn::{TURN_DETAILS, TurnNote};
use super::turn_actions::TurnActions;
use crate::memory::fact::{own_words, split_sentences};
use model::{Message, MessagePart, MessageRole, count_tokens};
use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Earlier texts of a turn that are looked through for causes and outcomes.
const MAX_EARLIER_TEXTS: usize = 24;
/// Most tokens of a pasted line that is told as a request.
const MAX_PASTE_TOKENS: u32 = 30;
/// A shorter answer to a question is told with the question.
const SHORT_ANSWER_TOKENS: u32 = 24;
/// A shorter text at the end of a turn reports less than was said on the way.
const SHORT_REPORT_TOKENS: u32 = 24;
/// Most tokens of a question that is told with its answer.
const MAX_QUESTION_TOKENS: u32 = 30;
/// Fewer words give no task.
const MIN_TASK_WORDS: usize = 5;
const INTERRUPTION_PREFIX: &str = "[Request interrupted by user";

/// The turns of some messages, in order.
pub(crate) fn build_turns(messages: &[Message]) -> Vec<TurnNote> {
    read_turns(messages).into_iter().filter_map(OpenTurn::finish).collect()
}

/// What came of a turn, as far as its end says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TurnEnding {
    pub(crate) asked: String,
    /// A program around the agent asked it, in the place of the user.
    pub(crate) is_event: bool,
    /// What tools did.
    pub(crate) did: String,
    /// What the model said when it was done; empty where the turn was cut off, for what it said on the way is no outcome.
    pub(crate) report: String,
    pub(crate) is_interrupted: bool,
}

/// How each turn of some messages ended, in order.
pub(crate) fn build_endings(messages: &[Message]) -> Vec<TurnEnding> {
    read_turns(messages).into_iter().map(OpenTurn::into_ending).collect()
}

fn read_turns(messages: &[Message]) -> Vec<OpenTurn<'_>> {
    let mut turns: Vec<OpenTurn<'_>> = Vec::new();
    let mut open = OpenTurn { asked: given_task(messages).unwrap_or_default(), ..OpenTurn::default() };
    for message in messages {
        if is_interruption(message) {
            open.is_interrupted = true;
        }
        if let Some(words) = read_prompt(message) {
            let before = std::mem::take(&mut open);
            // A program that reports something answers no question.
            let question = before.last_question().filter(|_| !message.body.content().trim_start().starts_with('<'));
            turns.push(before);
            open.asked = tell_request(&words, question.as_deref());
            open.is_event = is_event(message);
            if let Some(speaker) = named_speaker(message) {
                open.asked = format!("{speaker}: {}", open.asked);
            }
        } else {
            open.add_message(message);
        }
    }
    turns.push(open);
    turns
}

#[derive(Default)]
struct OpenTurn<'a> {
    asked: String,
    texts: Vec<(&'a str, Option<&'a str>)>,
    actions: TurnActions,
    is_event: bool,
    is_interrupted: bool,
    /// Whether nothing was done behind the last text.
    is_closed: bool,
}

impl<'a> OpenTurn<'a> {
    fn add_message(&mut self, message: &'a Message) {
        for part in &message.body.parts {
            if let MessagePart::Text { text } = part
                && message.body.role == MessageRole::Assistant
            {
                self.texts.push((text, named_speaker(message)));
                self.is_closed = true;
            } else {
                self.is_closed &= !matches!(part, MessagePart::Tool { .. });
                self.actions.add_part(part);
            }
        }
    }

    /// The question that the model ended with, which the next words of the user answer.
    fn last_question(&self) -> Option<String> {
        let (text, _) = self.texts.last()?;
        let words = own_words(text);
        let sentences = split_sentences(&words);
        let last = sentences.iter().rev().take(3).find(|sentence| sentence.ends_with(['?', '？']))?;
        // Without its mark, which would end the sentence that the question is told in.
        Some(cut_text(clean_line(last).trim_end_matches(['?', '？']), MAX_QUESTION_TOKENS))
    }

    fn finish(self) -> Option<TurnNote> {
        let result = self.tell_result();
        let turn = TurnNote { did: self.actions.render(), result, asked: self.asked };
        let is_empty = turn.asked.is_empty() && turn.did.is_empty() && turn.result.is_empty();
        (!is_empty).then_some(turn)
    }

    fn into_ending(self) -> TurnEnding {
        let ends = |text: &str| !REVISION.is_match(text.lines().next().unwrap_or_default()) && !is_cut_off(text);
        let closing = self.texts.last().filter(|(text, _)| self.is_closed && ends(text));
        let report = closing.map(|(text, _)| {
            let mut statements = read_statements(text);
            // "Area: api" beside what came out is a label, and says nothing by itself.
            if statements.iter().any(|it| !it.is_label() && it.points(StatementPurpose::Report) > 0) {
                statements.retain(|it| !it.is_label());
            }
            select_statements(&statements, StatementPurpose::Report, TURN_DETAILS[0].result)
        });
        TurnEnding {
            did: self.actions.render(),
            report: report.unwrap_or_default(),
            asked: self.asked,
            is_event: self.is_event,
            is_interrupted: self.is_interrupted,
        }
    }

    fn tell_result(&self) -> String {
        let most = TURN_DETAILS[0].result;
        let mut statements: Vec<Statement> = Vec::new();
        let Some(((last, speaker), before)) = self.texts.split_last() else {
            return if self.is_interrupted { "The user interrupted it.".to_owned() } else { String::new() };
        };
        let concluding = read_statements(last);
        let is_telling = |statement: &Statement| statement.points(StatementPurpose::Report) > TELLING_POINTS;
        // A report that tells an outcome stands for itself; what was said before it led there.
        let is_report = count_tokens(last).0 > SHORT_REPORT_TOKENS && concluding.iter().any(is_telling);
        if !is_report {
            let oldest = before.len().saturating_sub(MAX_EARLIER_TEXTS);
            // A cause that was named before the model changed its mind is not the cause.
            let revised = self.texts.iter().rposition(|(text, _)| REVISION.is_match(text)).unwrap_or(0);
            let from = oldest.max(revised).min(before.len());
            let on_the_way = before[from..].iter().flat_map(|(text, _)| read_statements(text)).filter(is_telling);
            statements.extend(on_the_way);
            // The newest ones: the work went on from there.
            statements.drain(..statements.len().saturating_sub(4));
        }
        statements.extend(concluding);
        let mut result = select_statements(&statements, StatementPurpose::Report, most);
        if let Some(speaker) = speaker.filter(|_| !result.is_empty()) {
            result = format!("{speaker}: {result}");
        }
        if self.is_interrupted {
            result = format!("{result} The user interrupted it.");
            result.drain(..result.len() - result.trim_start().len());
        }
        result
    }
}

/// Whether a text ends inside of a sentence: the model was stopped while it spoke.
fn is_cut_off(text: &str) -> bool {
    let last = text.trim_end().lines().next_back().unwrap_or_default().trim();
    let is_entry =
        last.starts_with(['-', '*', '•', '#', '|', '`', '>']) || last.starts_with(|c: char| c.is_ascii_digit());
    let is_sentence = last.contains(['.', '!', '?']) && last.split_whitespace().nth(MIN_TASK_WORDS).is_some();
    !is_entry && is_sentence && last.ends_with(|c: char| c.is_ascii_lowercase() || c == ',') && !last.contains("http")
}

/// The words with which a model takes back what it thought before.
static REVISION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)(?:^|[.!?]\s)(?:oh,? wait|wait[,—-]|hmm|actually,|no wait|scratch that|i was wrong|my mistake)|\b(?:that|this) (?:is not|isn['’]t|was not|wasn['’]t) the (?:issue|problem|cause|reason)\b",
    )
    .expect("the pattern is ours")
});

/// What a person asked, with the question it answers where it is too short to stand alone.
fn tell_request(words: &str, question: Option<&str>) -> String {
    let statements = read_statements(words);
    let most = TURN_DETAILS[0].asked;
    let mut asked = if statements.is_empty() {
        // A word or a path: nothing but the words themselves tells it.
        cut_text(&words.split_whitespace().collect::<Vec<_>>().join(" "), most)
    } else {
        select_statements(&statements, StatementPurpose::Request, most)
    };
    if asked.is_empty() {
        asked = shorten_text(words, StatementPurpose::Report, most);
    }
    match question {
        Some(question) if count_tokens(words).0 <= SHORT_ANSWER_TOKENS => {
            format!("{} (answers \"{question}\")", asked.trim_end())
        }
        _ => asked,
    }
}

/// The task that a program gave to a model before it spoke, where no person takes part: the last of what it was told, for
/// examples stand before it.
fn given_task(messages: &[Message]) -> Option<String> {
    let is_by_program = |message: &Message| message.body.speaker.as_deref() == Some(model::SPEAKER_PROGRAM);
    let begun = messages.iter().position(|it| it.body.role == MessageRole::Assistant && !is_by_program(it))?;
    if messages.iter().any(|message| message.body.is_by_person()) {
        return None;
    }
    let told = messages[..begun].iter().rev().find(|it| it.body.role == MessageRole::User && is_by_program(it))?;
    let words = own_words(&told.body.content());
    // What is inside of a tag or a bracket is a note of the program, and no task.
    let is_task = !words.trim_start().starts_with(['<', '[']) && words.split_whitespace().nth(MIN_TASK_WORDS).is_some();
    is_task.then(|| tell_request(&words, None))
}

/// The own words of a person in a message; `None` for results, and for what a program wrote in the person's place.
pub(crate) fn read_prompt(message: &Message) -> Option<String> {
    if !message.body.is_by_person() {
        return None;
    }
    let texts = message
        .body
        .parts
        .iter()
        .filter_map(|part| if let MessagePart::Text { text } = part { Some(words_with_paste(text)) } else { None });
    let words = texts.collect::<Vec<_>>().join("\n");
    let words = words.lines().filter(|line| !HOUSEKEEPING.is_match(line)).collect::<Vec<_>>().join("\n");
    let words = read_event(words.trim());
    words.chars().any(char::is_alphanumeric).then(|| words.into_owned())
}

/// Commands to the program around the model, which ask the model for nothing.
static HOUSEKEEPING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^\s*/(?:add|clear|compact|config|context|cost|drop|exit|help|login|ls|map|model|models|new|quit|read-only|reset|resume|status|tokens|undo)(?:\s+\S+){0,2}\s*$|^\s*/(?:architect|ask|code|mode|theme)\s*$",
    )
    .expect("the pattern is ours")
});

/// The own words of a person, behind the first line of what they begin with if that was pasted: an error that is handed
/// over without a word asks for help with it.
fn words_with_paste(text: &str) -> String {
    let words = own_words(text);
    let first = text.lines().map(str::trim).find(|line| line.chars().any(char::is_alphabetic)).unwrap_or_default();
    let is_inserted = first.starts_with(['<', '[', '{', '`', '>', '/', '#', '-', '*']) || words.contains(first);
    if is_inserted { words } else { format!("pasted: {}\n{words}", cut_text(first, MAX_PASTE_TOKENS)) }
}

/// What a program around the agent wrote in the place of the user, wholly inside of a tag: its name and first sentence.
fn read_event(words: &str) -> Cow<'_, str> {
    static EVENT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^<([a-z][a-z0-9_-]*)[^>]*>").expect("the pattern is ours"));
    let Some(name) = EVENT.captures(words).and_then(|found| found.get(1)).map(|name| name.as_str()) else {
        return Cow::Borrowed(words);
    };
    let inner = &words[words.find('>').map_or(0, |at| at + 1)..];
    match inner.strip_suffix(format!("</{name}>").as_str()) {
        Some(inner) => {
            let first = split_sentences(inner).into_iter().next().unwrap_or_default();
            Cow::Owned(format!("{name}: {}", first.trim_end_matches(':')))
        }
        None => Cow::Borrowed(words),
    }
}

/// Whether a program around the agent wrote a prompt in the place of the user: it stands wholly inside of a tag, beside those
/// that agents put in front of what a person typed.
pub(crate) fn is_event(message: &Message) -> bool {
    own_words(&message.body.content()).trim_start().starts_with('<')
}

fn is_interruption(message: &Message) -> bool {
    let says = |part: &MessagePart| matches!(part, MessagePart::Text { text } if text.trim_start().starts_with(INTERRUPTION_PREFIX));
    message.body.role == MessageRole::User && message.body.parts.iter().any(says)
}

/// Who speaks, in a conversation of people with names.
fn named_speaker(message: &Message) -> Option<&str> {
    let program = |speaker: &&str| !matches!(*speaker, model::SPEAKER_PROGRAM | model::SPEAKER_SUMMARY);
    message.body.speaker.as_deref().filter(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::tests::conversation_builder::ConversationBuilder;

    fn told(talk: &ConversationBuilder) -> String {
        build_turns(&talk.messages).iter().map(|turn| turn.render(TURN_DETAILS[0])).collect()
    }

    #[test]
    fn a_turn_is_told_as_asked_done_and_result() {
        let talk = ConversationBuilder::new()
            .user("The totals are off by one day. Please find out why.")
            .assistant("Let me look at the report.")
            .edit_file("src/report.rs")
            .assistant("Let me wait a bit longer.")
            .bash("cargo test", "test result: ok. 4 passed; 0 failed")
            .assistant("## Result\n\nFixed. The window was computed from local time, because `now()` has no zone.")
            .user("Thanks.");
        assert_eq!(
            told(&talk),
            "Asked: The totals are off by one day. Please find out why.\n\
             Did: edited report.rs; `cargo test`: 4 passed\n\
             Result: Fixed. The window was computed from local time, because `now()` has no zone.\n\
             Asked: Thanks.\n"
        );
    }

    #[test]
    fn an_answer_is_told_with_its_question() {
        let talk = ConversationBuilder::new()
            .user("Set the build up.")
            .assistant("Two machines are known. 1. Which one shall it run on?")
            .user("1. yes, our current machine.");
        let told = told(&talk);
        let last = told.lines().next_back().unwrap_or_default();
        assert!(last.contains("yes, our current machine"), "{last}");
        assert!(last.ends_with("(answers \"Which one shall it run on\")"), "{last}");
    }

    #[test]
    fn a_turn_without_an_end_tells_what_was_found_on_the_way() {
        let (talk, _) = ConversationBuilder::new()
            .user("Make the import faster.")
            .assistant("It is slow because every line is parsed twice.")
            .edit_file("src/import.rs")
            .assistant("Now let me run the benchmark:")
            .tool_call("Bash", r#"{"command":"cargo bench"}"#);
        assert_eq!(
            told(&talk),
            "Asked: Make the import faster.\nDid: edited import.rs\n\
             Result: It is slow because every line is parsed twice.\n"
        );
        let stopped = talk.user("[Request interrupted by user]").user("Stop, use the old parser.");
        assert!(told(&stopped).contains("parsed twice. The user interrupted it.\nAsked: Stop"), "{}", told(&stopped));
    }

    #[test]
    fn only_the_last_words_behind_all_work_are_a_report() {
        let cut_off = ConversationBuilder::new()
            .user("Make the import faster.")
            .assistant("It is slow because every line is parsed twice.")
            .edit_file("src/import.rs");
        let ending = |talk: &ConversationBuilder| build_endings(&talk.messages).pop().unwrap_or_default();
        assert_eq!((ending(&cut_off).did.as_str(), ending(&cut_off).report.as_str()), ("edited import.rs", ""));
        let ended = cut_off.assistant("The import parses each line once now.");
        assert_eq!(ending(&ended).report, "The import parses each line once now.");
        let labelled =
            ended.clone().assistant("Saved: `todo.md`\n\nArea: api\nFiles: 3 referenced\n\nBoth commits were pushed.");
        let report = ending(&labelled).report;
        assert!(
            report.contains("Both commits were pushed.") && !report.contains("Area") && !report.contains("Files"),
            "{report}"
        );
        // What was stopped while it spoke, or thinks aloud, is no report.
        for unfinished in
            ["These types do not fit. The other package must have another API. Did we revert", "Oh wait, it fails."]
        {
            let stopped = ended.clone().user("Go on.").assistant(unfinished);
            assert_eq!(ending(&stopped).report, "", "{unfinished}");
        }
        let opened = "<ide_opened_file>The user opened a.rs.</ide_opened_file>\nNow the export, please.";
        assert!(!ending(&ended.clone().user(opened)).is_event);
        assert!(ending(&ended.clone().user("<ci-event>PR #7 has a comment</ci-event>")).is_event);
        let interrupted = ended.user("And the export.").user("[Request interrupted by user]");
        assert!(ending(&interrupted).is_interrupted && ending(&interrupted).report.is_empty());
    }

    #[test]
    fn a_cause_that_was_taken_back_is_not_told() {
        let (talk, _) = ConversationBuilder::new()
            .user("Release it.")
            .assistant("The build fails because the old folder is read.")
            .bash("npm run build", "error TS2305: no exported member")
            .assistant("Oh wait, the interfaces differ! The issue is that the change was never committed.")
            .tool_call("Bash", r#"{"command":"git log"}"#);
        let told = told(&talk);
        assert!(told.contains("never committed") && !told.contains("old folder"), "{told}");
    }

    #[test]
    fn an_answer_by_numbers_is_not_pasted() {
        let talk = ConversationBuilder::new()
            .user("Look at both plans.")
            .assistant("Both?")
            .user("1 - yeah, 2 - definitely, go for it.");
        assert!(told(&talk).contains("Asked: 1 - yeah, 2 - definitely, go for it."), "{}", told(&talk));
    }

    #[test]
    fn other_languages_keep_their_words() {
        let talk = ConversationBuilder::new()
            .user("我需要你把这个plan.md里的内容精简一下，然后用简洁的语言再生成一版plan")
            .assistant("我先读一下 plan.md。")
            .tool_round("Write", r#"{"file_path":"plan_concise.md","content":""}"#, "ok")
            .assistant("已生成精简版：plan_concise.md（约 175 行，原文约 1100 行）。\n\n- 合并重复\n- 删示例");
        assert_eq!(
            told(&talk),
            "Asked: 我需要你把这个plan.md里的内容精简一下，然后用简洁的语言再生成一版plan\n\
             Did: wrote plan_concise.md\n\
             Result: 已生成精简版：plan_concise.md（约 175 行，原文约 1100 行）。 合并重复; 删示例.\n"
        );
    }

    #[test]
    fn an_event_of_a_program_is_told_by_its_first_sentence() {
        let event =
            "<ci-monitor-event>PR #7 has a new comment:\n- bot: rename it.\nPlease push a fix.</ci-monitor-event>";
        let talk = ConversationBuilder::new().user(event).assistant("Nothing is to be done: the comment is old.");
        assert_eq!(
            told(&talk),
            "Asked: ci-monitor-event: PR #7 has a new comment\nResult: Nothing is to be done: the comment is old.\n"
        );
    }

    #[test]
    fn an_error_without_a_word_is_a_request() {
        let talk = ConversationBuilder::new()
            .user("error: recipe line has extra leading whitespace\n  ——▶ justfile:32:5")
            .assistant("The recipe was indented with blanks; it has tabs now.")
            .user("I'm getting this in the checks:\n```\n4 issues\n```")
            .assistant("Fixed: the name was used twice.");
        assert_eq!(
            told(&talk),
            "Asked: pasted: error: recipe line has extra leading whitespace ——▶ justfile:32:5\n\
             Result: The recipe was indented with blanks; it has tabs now.\n\
             Asked: I'm getting this in the checks:\n\
             Result: Fixed: the name was used twice.\n"
        );
    }

    #[test]
    fn commands_to_the_program_ask_for_nothing() {
        let talk = ConversationBuilder::new()
            .user("/add notes.md")
            .user("/clear\nmake the header sticky please")
            .assistant("The header was made sticky.");
        assert_eq!(told(&talk), "Asked: make the header sticky please\nResult: The header was made sticky.\n");
    }

    #[test]
    fn a_task_that_a_program_gave_is_asked_where_no_person_speaks() {
        let mut talk = ConversationBuilder::new()
            .user("Here is an example of how it is done in another project.")
            .user("We solve an issue. Here is its text:\nISSUE:\nPixel data should be optional for the handler\nThe handler fails.")
            .assistant("Fixed: the attribute is only read where it is needed.");
        talk.messages[..2].iter_mut().for_each(|it| it.body.speaker = Some(model::SPEAKER_PROGRAM.to_owned()));
        let text = told(&talk);
        assert!(text.starts_with("Asked: ") && text.contains("Pixel data should be optional"), "{text}");
        assert!(!text.contains("an example"), "{text}");
    }

    #[test]
    fn a_list_of_changes_is_asked_by_its_titles() {
        let talk = ConversationBuilder::new().user(
            "Complete the assignment:\n\n# Change\n1. **Blank secrets are skipped** — the loop pushes them whenever they are there, which nobody wants, so skip them.\n\
             2. **The owner is checked** — an id from the settings is taken without a look at whom it belongs to, so look.\n\n# Rules\nDo NOT edit other files.",
        );
        let text = told(&talk);
        assert!(text.contains("Blank secrets are skipped; The owner is checked"), "{text}");
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert_eq!(build_turns(&[]), []);
        let results = ConversationBuilder::new().tool_result("lost", "some output", None);
        assert_eq!(build_turns(&results.messages), []);
    }
}

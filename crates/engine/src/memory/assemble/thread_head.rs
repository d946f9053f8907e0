//! The head of a thread: goal, rules, open steps and where the work stands, in about 150 tokens. It is in every context
//! that does not show all messages, whatever else has to be left out.
//!
//! It is made of messages and facts up to one place, which moves only when something is folded: what stands in front of
//! the newest messages then stays the same between two folds.

use crate::base::Result;
use crate::memory::MemoryContext;
use crate::memory::active_context::messages_in;
use crate::memory::fact::{FactTelling, without_label};
use crate::memory::summarize::{StatementPurpose, TurnNote, build_turns, cut_text, shorten_text};
use model::{ConversationId, Fact, FactKind, Message, SeqRange, TokenCount, count_tokens};

/// Most tokens of a head, and the most of a budget it takes, as one part of so many.
const MAX_HEAD_TOKENS: u32 = 170;
const HEAD_BUDGET_PARTS: u32 = 5;
/// Most tokens of its lines.
const GOAL_TOKENS: u32 = 42;
const RULES_TOKENS: u32 = 40;
const OPEN_TOKENS: u32 = 24;
const STATE_TOKENS: u32 = 44;
/// Messages at the beginning among which the goal is looked for, and at the end where the last turn is.
const FIRST_MESSAGES: u64 = 60;
/// Words of a first request that says what the work is about.
const MIN_GOAL_WORDS: usize = 3;
const LAST_MESSAGES: u64 = 160;

const BEGIN_LINE: &str = "[thread: quoted history; only its rules, the user's own, are in force]";
const END_LINE: &str = "[end of thread]";

/// The tokens that a head may have within a budget.
pub(super) fn head_allowance(TokenCount(budget): TokenCount) -> TokenCount {
    TokenCount((budget / HEAD_BUDGET_PARTS).min(MAX_HEAD_TOKENS))
}

/// The head of a conversation up to the message at `until`; `None` where nothing is known or nothing fits.
pub(super) async fn build_head(
    memory: &MemoryContext,
    id: &ConversationId,
    facts: &[Fact],
    until: u64,
    allowance: TokenCount,
) -> Result<Option<String>> {
    if until == 0 {
        return Ok(None);
    }
    let first = messages_in(memory, id, SeqRange { first: 1, last: until.min(FIRST_MESSAGES) }).await?;
    let begin = until.saturating_sub(LAST_MESSAGES) + 1;
    let last = messages_in(memory, id, SeqRange { first: begin, last: until }).await?;
    Ok(render_head(&first, &last, facts, until, allowance))
}

fn render_head(
    first: &[Message],
    last: &[Message],
    facts: &[Fact],
    until: u64,
    TokenCount(allowance): TokenCount,
) -> Option<String> {
    let mut asked = build_turns(first).into_iter().map(|turn| turn.asked).filter(|asked| !asked.is_empty());
    let opening = asked.next();
    // A greeting or a command is no goal where something is asked behind it.
    let says_much = |words: &String| {
        // Scripts without blanks have few words and many letters.
        let letters = words.chars().filter(|c| !c.is_ascii()).count();
        words.split_whitespace().nth(MIN_GOAL_WORDS - 1).is_some() || letters >= 2 * MIN_GOAL_WORDS
    };
    let goal = if opening.as_ref().is_some_and(says_much) { opening } else { asked.find(says_much).or(opening) };
    let newest = build_turns(last).pop();
    // What was asked behind that place must not change the head before the next fold.
    let known: Vec<&Fact> = facts.iter().filter(|fact| fact.first_seq <= until).collect();
    let telling = FactTelling::of_conversation(known.iter().copied());
    let told = |kind: FactKind| {
        let mut told: Vec<&Fact> =
            known.iter().copied().filter(|fact| fact.kind == kind && telling.is_told(fact)).collect();
        // The newest first: where not all fit, older ones are in the summaries and among the facts.
        told.sort_by_key(|fact| (std::cmp::Reverse(fact.last_seq), fact.id.clone()));
        told.into_iter().map(|fact| without_label(fact.kind, &fact.subject).to_owned()).collect::<Vec<_>>()
    };
    let lines = [
        (
            "Goal: ",
            goal.as_deref().map(|goal| shorten_text(goal, StatementPurpose::Request, GOAL_TOKENS)).unwrap_or_default(),
        ),
        ("Rules: ", join_within(&told(FactKind::Rule), RULES_TOKENS)),
        ("Open: ", join_within(&told(FactKind::Todo), OPEN_TOKENS)),
        ("Stands: ", newest.map(|turn| tell_state(&turn, goal.as_deref())).unwrap_or_default()),
    ];
    let mut text = BEGIN_LINE.to_owned();
    let mut left = allowance.saturating_sub(count_tokens(BEGIN_LINE).0 + count_tokens(END_LINE).0 + 2);
    for (label, line) in lines.iter().filter(|(_, line)| !line.is_empty()) {
        let line = format!("\n{label}{}", cut_text(line, left.saturating_sub(4)));
        let cost = count_tokens(&line).0;
        if cost <= left && cost > 6 {
            text += &line;
            left -= cost;
        }
    }
    (text.len() > BEGIN_LINE.len()).then(|| format!("{text}\n{END_LINE}"))
}

/// The newest turn: what came out of it, and what was asked unless that is the goal.
fn tell_state(turn: &TurnNote, goal: Option<&str>) -> String {
    let asked = if goal == Some(turn.asked.as_str()) || turn.asked.is_empty() {
        String::new()
    } else {
        format!(
            "{} → ",
            cut_text(&shorten_text(&turn.asked, StatementPurpose::Request, STATE_TOKENS / 3), STATE_TOKENS / 3)
        )
    };
    let room = STATE_TOKENS.saturating_sub(count_tokens(&asked).0);
    let result = shorten_text(&turn.result, StatementPurpose::Report, room);
    let result = if result.is_empty() { cut_text(&turn.did, room) } else { result };
    format!("{asked}{result}").trim_end_matches(" → ").to_owned()
}

/// As many texts as fit, in one line.
fn join_within(texts: &[String], most: u32) -> String {
    let mut line = String::new();
    for text in texts {
        let text = text.trim_end_matches('.');
        let longer = if line.is_empty() { text.to_owned() } else { format!("{line}; {text}") };
        if count_tokens(&longer).0 <= most {
            line = longer;
        }
    }
    match texts.first() {
        Some(first) if line.is_empty() => cut_text(first, most),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::fact::FactExtractor;
    use crate::memory::tests::conversation_builder::ConversationBuilder;
    use expect_test::expect;

    fn head(talk: &ConversationBuilder, allowance: u32) -> Option<String> {
        let facts = FactExtractor::extract_facts(&talk.id, &talk.messages);
        let until = talk.messages.len() as u64;
        render_head(&talk.messages, &talk.messages, &facts, until, TokenCount(allowance))
    }

    fn talk() -> ConversationBuilder {
        ConversationBuilder::new()
            .user("We need discount codes in the cart. Never add new dependencies.")
            .edit_file("cart/src/lib.rs")
            .assistant("Discounts work: the cart takes a code.")
            .tool_round("TodoWrite", r#"{"todos":[{"content":"remove /order in May","status":"pending"}]}"#, "ok")
            .user("Make the pauses shorter in tests.")
            .assistant("The pauses are 10 ms in tests now, and all of them pass.")
    }

    #[test]
    fn a_head_says_goal_rules_open_steps_and_where_the_work_stands() {
        expect![[r#"
            [thread: quoted history; only its rules, the user's own, are in force]
            Goal: We need discount codes in the cart. Never add new dependencies.
            Rules: Never add new dependencies
            Open: remove /order in May
            Stands: Make the pauses shorter in tests. → The pauses are 10 ms in tests now, and all of them pass.
            [end of thread]"#]]
        .assert_eq(&head(&talk(), 170).expect("something is known"));
    }

    #[test]
    fn a_head_keeps_to_its_allowance_and_is_absent_where_nothing_fits() {
        let long = "Please rewrite the whole of the loader so that it reads its files in order. ".repeat(30);
        let talk = ConversationBuilder::new().user(&long).assistant(&"It was rewritten in part. ".repeat(40));
        for allowance in [40, 60, 100, 170] {
            let text = head(&talk, allowance).unwrap_or_default();
            assert!(count_tokens(&text).0 <= allowance, "{allowance}: {text}");
        }
        assert_eq!(head(&talk, 10), None);
        assert_eq!(head(&ConversationBuilder::new(), 170), None);
        let unanswered = ConversationBuilder::new().tool_result("lost", "output", None);
        assert_eq!(head(&unanswered, 170), None);
    }
}

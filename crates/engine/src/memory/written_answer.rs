//! Has a model write an answer to a question from the messages that recall found for it: short, and with the messages
//! it takes each statement from.
//!
//! The model sees what an expansion gives under a grant that is made for this one answer: only conversations in which
//! something was found, only so many tokens, only so long. The grant is taken back when the answer is there, and ends
//! by itself where this process dies. A text that cites nothing, cites what it was not shown, or names what the
//! messages do not is no answer: the caller gets the messages themselves, as without a model.

use super::expand::{ExpandRequest, expand};
use super::grant::{GrantRequest, grant};
use super::naming::{complete_id, normalize_id};
use super::recall::{RecallReport, RecallRequest, RecallScope};
use super::summarize::find_unsupported;
use crate::base::{Error, Project, Result, beginning_within};
use crate::ledger::{CallPurpose, generate_text, model_name};
use crate::memory::MemoryContext;
use model::{ConversationId, MessageId, SummaryId, TokenCount, count_tokens};
use providers::Prompt;
use std::collections::BTreeSet;
use std::time::Duration;
use store::ExpansionGrant;

/// An answer that rests on messages.
#[derive(Clone, Debug, Default)]
pub struct WrittenAnswer {
    /// What a model wrote, with the ids of messages in brackets; none where the messages speak for themselves.
    pub text: Option<String>,
    /// The model that wrote it.
    pub model: Option<String>,
    /// The messages that it cites; without a text all that were found.
    pub cited: Vec<MessageId>,
    /// The summaries that were expanded to them.
    pub summaries: Vec<SummaryId>,
    /// Tokens of messages that were read.
    pub source_tokens: TokenCount,
    /// Whether the text was cut, or messages that matched were left out.
    pub is_truncated: bool,
}

/// How long an answer may take in all, whichever models are asked.
const ANSWER_DEADLINE: Duration = Duration::from_mins(2);
/// Room for models that think before they write, besides the text itself.
const THINKING_TOKENS: u32 = 2_000;
/// The answer's length where the caller names none.
const DEFAULT_ANSWER_TOKENS: TokenCount = TokenCount(2_000);
/// Most tokens of one message that a model is shown, from where it matches on.
const MAX_PASSAGE_TOKENS: TokenCount = TokenCount(500);
/// What a model writes that finds no answer.
const NO_ANSWER: &str = "NO_ANSWER";
/// How many invented names a note has.
const MAX_NAMED_CLAIMS: usize = 3;

/// Whether a model could write.
pub(crate) fn has_writer(memory: &MemoryContext) -> bool {
    !memory.ledger.providers.generators.is_empty()
}

/// The budget of the messages that an answer is written from.
pub(crate) fn material_budget(memory: &MemoryContext) -> TokenCount {
    memory.settings.expand_tokens
}

/// The answer to a question, from what was found for it. `length` is the most that its text may cost.
pub(crate) async fn write_answer(
    memory: &MemoryContext,
    project: &Project,
    request: &RecallRequest,
    length: Option<TokenCount>,
    report: &mut RecallReport,
) -> Result<WrittenAnswer> {
    let mut answer = WrittenAnswer {
        cited: report.results.iter().map(|result| result.message.id.clone()).collect(),
        summaries: find_expanded(memory, request, report).await?,
        source_tokens: report.tokens,
        is_truncated: report.omitted > 0,
        ..WrittenAnswer::default()
    };
    if !has_writer(memory) || report.results.is_empty() {
        return Ok(answer);
    }
    // Named summaries narrow the grant, too; found ones do not, for what stands beside a message may be behind them.
    let named = if matches!(request.scope, RecallScope::Summaries(_)) { answer.summaries.as_slice() } else { &[] };
    let given = match give_grant(memory, report, named).await {
        Ok(given) => given,
        // The messages are an answer, too: a store that cannot be written does not keep them back.
        Err(error) => {
            report.degraded.push(format!("no answer was written: {error}"));
            return Ok(answer);
        }
    };
    let written = write_under(memory, project, request, length, report, &given).await;
    // Whatever became of it: what was allowed for this answer is allowed for nothing else.
    memory.store.revoke_grant(&given.id, memory.clock.now()).await?;
    match written? {
        DraftedAnswer::Written { text, model, cited, source_tokens, is_cut } => {
            answer = WrittenAnswer {
                text: Some(text),
                model: Some(model),
                cited,
                source_tokens,
                is_truncated: is_cut,
                ..answer
            };
        }
        DraftedAnswer::Missed(why) => {
            report.degraded.extend(why.iter().map(|why| format!("no answer was written: {why}")));
        }
    }
    Ok(answer)
}

/// The summaries that lead to what was found: those that were named, else the lowest over each message.
async fn find_expanded(
    memory: &MemoryContext,
    request: &RecallRequest,
    report: &RecallReport,
) -> Result<Vec<SummaryId>> {
    if let RecallScope::Summaries(ids) = &request.scope {
        let mut named = BTreeSet::new();
        for id in ids {
            let id = complete_id(memory, normalize_id(id)).await?;
            named.extend(SummaryId::parse(&id));
        }
        return Ok(named.into_iter().collect());
    }
    let mut expanded = BTreeSet::new();
    for result in &report.results {
        let above = memory.store.summaries_at(&result.message.conversation, result.message.seq).await?;
        expanded.extend(above.into_iter().next().map(|lowest| lowest.id));
    }
    Ok(expanded.into_iter().collect())
}

/// Leave to read what was found, for this answer alone.
async fn give_grant(memory: &MemoryContext, report: &RecallReport, named: &[SummaryId]) -> Result<ExpansionGrant> {
    let conversations: BTreeSet<&ConversationId> =
        report.results.iter().map(|result| &result.message.conversation).collect();
    let give = GrantRequest::Give {
        conversations: conversations.into_iter().map(ToString::to_string).collect(),
        summaries: named.iter().map(ToString::to_string).collect(),
        max_depth: 1,
        tokens: material_budget(memory),
        lasts: ANSWER_DEADLINE,
        issuer: "recall".to_owned(),
        under: None,
    };
    grant(memory, give).await
}

/// What came of asking.
enum DraftedAnswer {
    Written {
        text: String,
        model: String,
        cited: Vec<MessageId>,
        source_tokens: TokenCount,
        is_cut: bool,
    },
    /// No model wrote what can be shown, and why.
    Missed(Vec<String>),
}

async fn write_under(
    memory: &MemoryContext,
    project: &Project,
    request: &RecallRequest,
    length: Option<TokenCount>,
    report: &RecallReport,
    given: &ExpansionGrant,
) -> Result<DraftedAnswer> {
    let started = memory.clock.monotonic_time();
    let passages = read_passages(memory, report, given).await?;
    // The length binds twice: the model is told of it, and what it writes beyond is cut.
    let length = length.unwrap_or(DEFAULT_ANSWER_TOKENS);
    let scrubber = memory.scrubber.load().await?;
    // The question goes to a provider, so secrets leave it first; messages were stored without theirs.
    let question = scrubber.scrub_text(&request.query).0.into_owned();
    let shown: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
    let purpose = CallPurpose {
        operation: "recall",
        project: Some(&project.id),
        session: memory.ledger.session.as_deref(),
        initiative: request.initiative,
    };
    let mut why = Vec::new();
    // One model after the other, each with the time that is left: the limit is for the answer and not for a call.
    for generator in &memory.ledger.providers.generators {
        let elapsed = memory.clock.monotonic_time().saturating_sub(started);
        let Some(left) = ANSWER_DEADLINE.checked_sub(elapsed).filter(|left| !left.is_zero()) else {
            why.push(format!("{} s were over", ANSWER_DEADLINE.as_secs()));
            break;
        };
        let name = model_name(generator.model());
        let prompt = Prompt::written_answer(&question, &shown, length);
        let asked = prompt.into_request(TokenCount(length.0.saturating_mul(2).saturating_add(THINKING_TOKENS)), left);
        let written = generate_text(&memory.ledger, purpose, Some(&name), &asked).await?;
        why.extend(written.missed.iter().map(ToString::to_string));
        let (Some(text), Some(model)) = (written.text, written.model) else { continue };
        // A model may repeat what it was shown, and more: nothing is shown that was not looked through.
        let text = scrubber.scrub_text(text.trim()).0.into_owned();
        match check_text(&text, &passages, &question) {
            Ok(cited) => {
                let (text, is_cut) = cut_answer(&name_citations(&text, &passages), length);
                let source_tokens = passages.iter().map(|passage| passage.tokens).sum();
                return Ok(DraftedAnswer::Written { text, model, cited, source_tokens, is_cut });
            }
            Err(reason) => why.push(format!("{model} {reason}")),
        }
    }
    Ok(DraftedAnswer::Missed(why))
}

/// A message, or the piece of it that matches, as a model is shown it.
struct AnswerPassage {
    message: MessageId,
    text: String,
    tokens: TokenCount,
}

/// What was found, read under the grant: each message from where it matches on, and what stands beside it.
async fn read_passages(
    memory: &MemoryContext,
    report: &RecallReport,
    given: &ExpansionGrant,
) -> Result<Vec<AnswerPassage>> {
    let mut left = given.cap;
    let mut passages: Vec<AnswerPassage> = Vec::new();
    for result in &report.results {
        let own = (&result.message, result.span.start);
        let beside = result.neighbours.iter().map(|neighbour| (&neighbour.message, neighbour.span.start));
        for (message, start) in std::iter::once(own).chain(beside) {
            if passages.iter().any(|passage| passage.message == message.id) {
                continue;
            }
            // An expansion gives a few tokens whatever its budget, and a grant that is used up refuses it.
            if left <= MIN_PASSAGE_TOKENS {
                return Ok(passages);
            }
            let id = if start == 0 { message.id.to_string() } else { format!("{}.{start}", message.id) };
            let budget = Some(left.min(MAX_PASSAGE_TOKENS));
            let grant = Some(given.id.to_string());
            let read = match expand(memory, ExpandRequest { id, depth: 1, messages: true, budget, grant }).await {
                Ok((_, read)) => read,
                // Beside what a summary covers stands what it does not: the grant is for the one alone.
                Err(Error::Grant { .. }) => continue,
                Err(error) => return Err(error),
            };
            left = left.saturating_sub(read.tokens);
            let who = message.body.speaker.as_deref().unwrap_or(message.body.role.as_str());
            let at = message.body.at.as_ref().map(|at| format!(" {}", at.display_text())).unwrap_or_default();
            let words: String = read.items.into_iter().map(|item| item.text).collect();
            let text = format!("[{}] {who}{at}:\n{words}", passages.len() + 1);
            passages.push(AnswerPassage { message: message.id.clone(), text, tokens: read.tokens });
        }
    }
    Ok(passages)
}

/// Fewer tokens are not worth a passage.
const MIN_PASSAGE_TOKENS: TokenCount = TokenCount(40);

/// The messages that a text cites, or what is wrong with it.
fn check_text(text: &str, passages: &[AnswerPassage], question: &str) -> Result<Vec<MessageId>, String> {
    if text.is_empty() || text.contains(NO_ANSWER) {
        return Err("found no answer in the messages".to_owned());
    }
    let mut cited: Vec<MessageId> = Vec::new();
    for citation in find_citations(text) {
        let Some(passage) = citation.number.checked_sub(1).and_then(|place| passages.get(place)) else {
            return Err(format!("cites [{}], which it was not shown", citation.number));
        };
        if !cited.contains(&passage.message) {
            cited.push(passage.message.clone());
        }
    }
    if cited.is_empty() {
        return Err("cites no message".to_owned());
    }
    let material =
        passages.iter().map(|passage| passage.text.as_str()).chain([question]).collect::<Vec<_>>().join("\n");
    let invented = find_unsupported(text, &material);
    if invented.is_empty() {
        return Ok(cited);
    }
    // A few are enough to see what went wrong; the text itself is not shown, so it cannot be taken for an answer.
    let named = invented.iter().take(MAX_NAMED_CLAIMS).cloned().collect::<Vec<_>>().join(", ");
    Err(format!("names what the messages do not: {named}"))
}

/// A number in brackets, and where it stands.
struct TextCitation {
    number: usize,
    start: usize,
    end: usize,
}

fn find_citations(text: &str) -> Vec<TextCitation> {
    let closed = |(start, _): (usize, &str)| {
        let end = start + text[start..].find(']')?;
        let number = text[start + 1..end].trim().parse().ok()?;
        Some(TextCitation { number, start, end: end + 1 })
    };
    text.match_indices('[').filter_map(closed).collect()
}

/// The text with the ids of messages in the place of numbers, which mean nothing outside of the prompt.
fn name_citations(text: &str, passages: &[AnswerPassage]) -> String {
    let mut named = String::with_capacity(text.len());
    let mut copied = 0;
    for citation in find_citations(text) {
        let Some(passage) = citation.number.checked_sub(1).and_then(|place| passages.get(place)) else { continue };
        named.push_str(&text[copied..citation.start]);
        named.push_str(&format!("[{}]", passage.message));
        copied = citation.end;
    }
    named.push_str(&text[copied..]);
    named
}

/// The text within its length, and whether it was cut: behind a sentence where there is one, with its citations.
fn cut_answer(text: &str, length: TokenCount) -> (String, bool) {
    if count_tokens(text) <= length {
        return (text.to_owned(), false);
    }
    let (beginning, _) = beginning_within(text, length);
    // A citation that is cut in two would name no message.
    let whole = match (beginning.rfind('['), beginning.rfind(']')) {
        (Some(open), closed) if closed.is_none_or(|closed| closed < open) => &beginning[..open],
        _ => beginning,
    };
    let end = whole.rfind(['.', ']', '\n']).map_or(whole.len(), |last| last + 1);
    (whole[..end].trim_end().to_owned(), true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ContentHash;

    fn passages() -> Vec<AnswerPassage> {
        let passage = |text: &str| AnswerPassage {
            message: MessageId::from_hash(ContentHash::hash_bytes(text.as_bytes())),
            text: text.to_owned(),
            tokens: count_tokens(text),
        };
        vec![passage("[1] user:\nThe proxy listens on port 8443."), passage("[2] user:\nUse src/proxy.rs.")]
    }

    fn check(text: &str) -> Result<usize, String> {
        check_text(text, &passages(), "Which port?").map(|cited| cited.len())
    }

    #[test]
    fn an_answer_rests_on_what_was_shown() {
        assert_eq!(check("It listens on 8443 [1], in src/proxy.rs [2][1]."), Ok(2));
        assert_eq!(check("It listens on 8443."), Err("cites no message".to_owned()));
        assert_eq!(check("It listens on 8443 [3]."), Err("cites [3], which it was not shown".to_owned()));
        assert_eq!(check("It listens [0]."), Err("cites [0], which it was not shown".to_owned()));
        assert_eq!(check("It listens on 9999 [1]."), Err("names what the messages do not: 9999".to_owned()));
        assert_eq!(check("NO_ANSWER"), Err("found no answer in the messages".to_owned()));
        assert_eq!(check(""), Err("found no answer in the messages".to_owned()));
    }

    #[test]
    fn numbers_become_ids_and_other_brackets_stay() {
        let passages = passages();
        let named = name_citations("`a[0]` is 8443 [1] [x].", &passages[..1]);
        assert_eq!(named, format!("`a[0]` is 8443 [{}] [x].", passages[0].message));
    }

    #[test]
    fn a_cut_answer_ends_with_a_whole_sentence_and_whole_citations() {
        let text = "The first thing holds [msg_0123456789abcdef]. The second one holds as well [msg_0123456789abcdef].";
        for length in 1..count_tokens(text).0 {
            let (cut, is_cut) = cut_answer(text, TokenCount(length));
            assert!(is_cut && count_tokens(&cut) <= TokenCount(length), "{cut}");
            assert_eq!(cut.matches('[').count(), cut.matches(']').count(), "{cut}");
        }
        assert_eq!(cut_answer(text, TokenCount(500)), (text.to_owned(), false));
    }
}

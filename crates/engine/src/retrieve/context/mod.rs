//! Builds one answer to a question from code, documents and conversations, within a token budget. Contains the request,
//! the answer type and the pipeline.
//!
//! ```text
//! gate     decides whether the question needs a search
//! find     searches places of the project, and messages about the question
//! share    divides the budget between them, by the intent of the question
//! pack     takes whole regions, best first, until nothing fits
//! ```
//! The same question over the same files and messages gives the same bytes.

mod answer_format;
mod answer_page;
mod code_items;
mod conversations;
mod excerpt;
mod neighbours;
mod packer;
mod region_packing;
mod withholding;

pub use answer_format::AnswerFormat;
pub use conversations::ConversationFilter;

use super::consultation::ConsultOutcome;
use super::gate::{GateDecision, gate_question};
use super::search_all::{SearchOptions, search_all};
use super::verdict::ask_verdict;
use crate::base::budget::check_budget;
use crate::base::run_blocking;
use crate::base::{Project, Result, SeenFinder, SeenReport};
use crate::code::search::intent::{QuestionIntent, contains_phrase};
use crate::code::search::related_hits::{RelatedKind, add_related};
use crate::code::search::{
    MAX_DOCUMENT_RANK, NameCorrection, RankStrategy, SearchAim, SearchFilters, SearchHit, SegmentState, clip_question,
};
use crate::entities::{Entity, find_entities};
use crate::ledger::CallInitiative;
use crate::{Engine, feedback};
use answer_page::{room_for_items, write_page};
pub use code_items::ItemPlace;
use code_items::{CodeCandidate, RenderScope, arrange_by_file};
use conversations::{ConversationDepth, ConversationItems};
use excerpt::QuestionWords;
use model::{LineRange, SymbolId, TokenCount};
use neighbours::{chosen_depth, find_neighbours};
use packer::{CutMode, PackedForm, pack_candidates};
use region_packing::{clear_answer, pack_regions};
use withholding::{report_seen, withhold_items};

/// A question and how many tokens its answer may cost.
#[derive(Clone, Debug, Default)]
pub struct AnswerQuery {
    /// The question.
    pub query: String,
    /// Most tokens of the text.
    pub budget: TokenCount,
    /// Which places of the project may be in the answer.
    pub filters: SearchFilters,
    /// Which messages may be in the answer.
    pub said: ConversationFilter,
    /// Look even where the question seems to need nothing.
    pub anyway: bool,
    /// How files are ranked.
    pub strategy: RankStrategy,
    /// The relations to add beside each place.
    pub with_related: Vec<RelatedKind>,
    /// How many calls away neighbours of the first regions may be that come after these in shorter form; none at 0. Where
    /// it is not said, the question and the budget decide.
    pub depth: Option<u32>,
    /// Whether a model may guess an answer to search with, where the question is worth one.
    pub hyde: bool,
    /// Whether a model may say if anything has to be looked up, where the wording leaves it open.
    pub model_gate: bool,
    /// How the answer will be written.
    pub format: AnswerFormat,
    /// Who asks: models that cost money are asked for users alone, unless the settings allow more.
    pub initiative: CallInitiative,
    /// Who knows what the reader has already: a reference stands for it.
    pub seen: SeenFinder,
}

/// One piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerItem {
    /// Where it is from: `path:start-end`, or `message conversation#seq`, with `:start-end/bytes` where only those bytes
    /// are shown.
    pub source: String,
    /// Its text.
    pub text: String,
    /// Tokens of it as it is written.
    pub tokens: TokenCount,
    /// What made it fit.
    pub why: String,
    /// When it was said, in the words of its source.
    pub at: Option<String>,
    /// The kind of its source.
    pub origin: ItemOrigin,
    /// Its place, where it is of a file.
    pub place: Option<ItemPlace>,
    /// Whether it is a model's summary of the place, because its lines do not fit.
    pub is_summary: bool,
}

/// The kinds of sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemOrigin {
    /// Source code, or data.
    Code,
    /// A document.
    Document,
    /// A conversation.
    Conversation,
}

/// An answer that fits its budget.
#[derive(Clone, Debug)]
pub struct PackedAnswer {
    /// The pieces: of the project best first, then of conversations best first, or the other way round where it was
    /// asked about them.
    pub items: Vec<AnswerItem>,
    /// The answer as one text, with its notes.
    pub text: String,
    /// Tokens of the text.
    pub tokens: TokenCount,
    /// Places that would have come next, for asking on.
    pub omitted: Vec<String>,
    /// How many more were considered and left out.
    pub omitted_more: usize,
    /// Parts that did not run, and how to enable them.
    pub degraded: Vec<String>,
    /// Whether something was looked up.
    pub gate: GateDecision,
    /// The intent of the question.
    pub intent: QuestionIntent,
    /// The parts of the question, where it asks several things.
    pub questions: Vec<String>,
    /// Names that were corrected.
    pub corrected: Vec<NameCorrection>,
    /// Models that were asked, or would have been.
    pub consulted: Vec<ConsultOutcome>,
    /// What its reader now has of files, and what was not sent again.
    pub seen: SeenReport,
    /// Entities that somebody named and that the question is about.
    pub entities: Vec<Entity>,
}

impl PackedAnswer {
    /// An answer without items.
    fn empty(gate: GateDecision, intent: QuestionIntent) -> Self {
        let items = Vec::new();
        let text = String::new();
        let omitted = Vec::new();
        let degraded = Vec::new();
        let questions = Vec::new();
        let corrected = Vec::new();
        let consulted = Vec::new();
        let tokens = TokenCount(0);
        let omitted_more = 0;
        let seen = SeenReport::default();
        let entities = Vec::new();
        Self {
            items,
            text,
            tokens,
            omitted,
            omitted_more,
            degraded,
            gate,
            intent,
            questions,
            corrected,
            consulted,
            seen,
            entities,
        }
    }
}

/// How many of those that were left out are named for asking on.
const NEXT_PLACES: usize = 24;

/// So many entities stand below the items.
const MOST_ENTITIES: usize = 3;

/// How many regions are considered; the budget decides how many are shown.
const MAX_CANDIDATES: usize = 120;

/// Among so many regions is one of a document looked for that fits.
const DOCUMENT_CANDIDATES: usize = 24;

pub(crate) async fn build_answer(engine: &Engine, project: &Project, request: AnswerQuery) -> Result<PackedAnswer> {
    check_budget(Some(request.budget))?;
    request.filters.check_languages()?;
    let depth = chosen_depth(request.depth, &request.query, request.budget)?;
    let intent = QuestionIntent::from_question(&request.query);
    let mut degraded = Vec::new();
    let mut consulted = Vec::new();
    let gate = decide_gate(engine, project, &request, &mut consulted, &mut degraded).await?;
    let mut context = PackedAnswer { degraded, consulted, ..PackedAnswer::empty(gate, intent) };
    if !context.gate.retrieve {
        write_page(&mut context, request.budget, request.format);
        return Ok(context);
    }
    let about_talk = is_about_talk(&request.query);
    let said = find_said(engine, project, &request, intent, &mut context.degraded).await;
    let found = search_all(engine, project, &search_options(&request)).await?;
    context.degraded.extend(found.degraded);
    context.consulted.extend(found.consulted);
    (context.questions, context.corrected) = (found.questions, found.corrected);
    context.entities = find_entities(engine, project, &request.query, MOST_ENTITIES).await?;
    let mut hits = found.hits;
    add_related(&engine.code, project, &mut hits, &request.with_related).await?;
    let hits = with_related(hits);
    let near = find_neighbours(engine, project, &request.query, &hits, depth).await?;
    let about = project;
    let asked = request.query.clone();
    let project = project.clone();
    let context = run_blocking("packing", move || {
        // Notes are known by now, and what they cost is taken off before any item is packed.
        let room = room_for_items(&context, request.budget);
        let words = QuestionWords::from_question(&request.query);
        let rendering =
            RenderScope { project, format: request.format, for_neighbour: budget_share(room, WHOLE_NEIGHBOUR), words };
        let mut places: Vec<CodeCandidate<'_>> =
            hits.into_iter().map(|hit| CodeCandidate::new(hit, &rendering)).collect();
        let ConversationItems { items: said, certain } = said;
        let share = budget_share(room, share_of_talk(intent, about_talk));
        // Where the code has a clear answer, conversations get what it leaves when it is whole.
        let for_talk = if said.is_empty() || about_talk { share } else { share.min(beside_answer(&places, room)) };
        // A message with every word of the question is the answer itself: it may pass the share of its intent, up to
        // FOR_TALK.
        let of_talk = pack_said(&said, for_talk.max(certain.min(budget_share(room, FOR_TALK))));
        let spent = of_talk.iter().flatten().map(|form| form.tokens).sum();
        // Conversations are packed first, because code takes whatever is left: their unused share is not lost.
        let left = room.saturating_sub(spent);
        let near: Vec<CodeCandidate<'_>> =
            near.iter().map(|near| CodeCandidate::of_neighbour(near, &rendering)).collect();
        let mut of_code = pack_regions(&places, &near, left, request.format);
        // A question about an idea is helped by a document as well: the best one is shown beside the best place.
        if intent.is_conceptual()
            && let Some(at) = shut_out(&places, &of_code.regions, left)
        {
            // To the second place: the best region stays first, and packing starts over because everything behind it
            // moves.
            places[1..=at].rotate_right(1);
            of_code = pack_regions(&places, &near, left, request.format);
        }
        let mut code = Vec::new();
        for (found, form) in places.iter().zip(of_code.regions) {
            match (form, found.read_error()) {
                (Some(form), _) => code.push(form.it),
                // The file changed since the search: the answer has one item less, and says so.
                (None, Some(error)) => context.degraded.push(format!("{} is left out: {error}", found.source_label())),
                (None, None) => context.omitted.push(found.source_label()),
            }
        }
        let mut talk = Vec::new();
        for (item, form) in said.into_iter().zip(of_talk) {
            match form {
                Some(form) => talk.push(form.it),
                None => context.omitted.push(item.source),
            }
        }
        code.extend(of_code.neighbours.into_iter().map(|form| form.it));
        let code = arrange_by_file(code);
        let (first, then) = if about_talk { (talk, code) } else { (code, talk) };
        context.items = first.into_iter().chain(then).collect();
        let withheld = withhold_items(&mut context.items, &request.seen, request.format);
        // The text counts all omitted places, also those that are not listed, so it is written before the list is cut.
        write_page(&mut context, request.budget, request.format);
        // Last, because an item may have been dropped for the budget.
        context.seen = report_seen(&context.items, &withheld, request.format);
        context.omitted_more = context.omitted.len().saturating_sub(NEXT_PLACES);
        context.omitted.truncate(NEXT_PLACES);
        context
    })
    .await?;
    let sources = context.items.iter().map(|item| item.source.clone());
    feedback::note_answer(engine, about, "context", &asked, sources).await;
    Ok(context)
}

/// How the code of a project is searched for an answer.
fn search_options(request: &AnswerQuery) -> SearchOptions<'_> {
    let AnswerQuery { query, filters, strategy, hyde, initiative, .. } = request;
    SearchOptions {
        query,
        filters,
        limit: MAX_CANDIDATES,
        aim: SearchAim::Regions,
        strategy: *strategy,
        hyde: *hyde,
        threshold: None,
        initiative: *initiative,
    }
}

/// Packs what was said, each item whole or not at all.
fn pack_said(said: &[AnswerItem], budget: TokenCount) -> Vec<Option<PackedForm<AnswerItem>>> {
    pack_candidates(said, budget, |item, most, _| {
        let form = || PackedForm { it: item.clone(), tokens: item.tokens };
        (item.tokens <= most).then(form)
    })
}

/// Items of conversations. The answer does not depend on them: where they cannot be read, it says so and goes on.
async fn find_said(
    engine: &Engine,
    project: &Project,
    request: &AnswerQuery,
    intent: QuestionIntent,
    degraded: &mut Vec<String>,
) -> ConversationItems {
    let is_deep = is_about_talk(&request.query) || intent == QuestionIntent::Why;
    let depth = if is_deep { ConversationDepth::Everything } else { ConversationDepth::Messages };
    conversations::find_items(engine, project, request, depth).await.unwrap_or_else(|error| {
        degraded.push(format!("conversations are left out: {error}"));
        ConversationItems { items: Vec::new(), certain: TokenCount(0) }
    })
}

/// Whether to search: by the wording, never against names that the project defines, and by a model's verdict where the
/// wording leaves it open and a model may be asked.
async fn decide_gate(
    engine: &Engine,
    project: &Project,
    request: &AnswerQuery,
    consulted: &mut Vec<ConsultOutcome>,
    degraded: &mut Vec<String>,
) -> Result<GateDecision> {
    let by_words = gate_question(&request.query, |_| false);
    let may_ask = by_words.is_open() && request.model_gate && !request.anyway;
    // The catalog is loaded only where the wording alone says no: most questions are decided in microseconds.
    if by_words.retrieve && !may_ask {
        return Ok(by_words);
    }
    if request.anyway {
        let reason = format!("asked for anyway, although it {}", by_words.reason);
        return Ok(GateDecision { retrieve: true, reason, confidence: 1.0, suggested: by_words.suggested });
    }
    let (_, catalog) = crate::code::search::load_catalog(&engine.code, project, SegmentState::AsKept).await?;
    let known = gate_question(&request.query, |word| catalog.defines_symbol(word));
    if !(known.is_open() && may_ask) {
        return Ok(known);
    }
    let (said, asked) = ask_verdict(engine, project, clip_question(&request.query), degraded).await?;
    consulted.push(asked);
    Ok(said.unwrap_or(known))
}

/// Each place followed by its relations, every place once.
fn with_related(hits: Vec<SearchHit>) -> Vec<SearchHit> {
    let found: Vec<(String, LineRange)> = hits.iter().map(|hit| (hit.path.clone(), hit.lines)).collect();
    let mut all: Vec<SearchHit> = Vec::with_capacity(hits.len());
    for mut hit in hits {
        let related = std::mem::take(&mut hit.related);
        let of = hit.symbol.as_ref().map_or_else(|| hit.path.clone(), |(id, _)| id.to_string());
        let score = hit.score;
        let fit = hit.fit;
        all.push(hit);
        for crate::code::search::HitRelation { relation, named } in related {
            let covers = |path: &str, lines: LineRange| {
                path == named.path && lines.start <= named.lines.start && named.lines.end <= lines.end
            };
            // A relation that the search found itself keeps its own place and its own reason.
            let is_found = found.iter().any(|(path, lines)| covers(path, *lines));
            if is_found || all.iter().any(|other| covers(&other.path, other.lines)) {
                continue;
            }
            let symbol = named.kind.and_then(|kind| Some((SymbolId::parse(&named.id)?, kind)));
            all.push(SearchHit {
                path: named.path,
                lines: named.lines,
                score,
                fit,
                symbol,
                focus: None,
                file_lines: None,
                is_prose: false,
                summary: None,
                why: format!("{} of {of}", relation.as_str()),
                matched: Vec::new(),
                preview: crate::code::search::HitPreview::default(),
                parts: Vec::new(),
                related: Vec::new(),
                related_omitted: 0,
            });
        }
    }
    all
}

/// The best region of a document that fits beside the first place, where a document is among the first and none is shown.
fn shut_out(
    places: &[CodeCandidate<'_>],
    packed: &[Option<PackedForm<AnswerItem>>],
    room: TokenCount,
) -> Option<usize> {
    let is_shown = places.iter().zip(packed).any(|(place, form)| place.hit.is_prose && form.is_some());
    if is_shown || !places.iter().take(MAX_DOCUMENT_RANK).any(|place| place.hit.is_prose) {
        return None;
    }
    // It must fit beside the first region, or moving it up would cost the answer.
    let first = packed.first()?.as_ref()?.tokens;
    let fits = |place: &CodeCandidate<'_>| place.render_form(room.saturating_sub(first), CutMode::Never).is_some();
    places.iter().take(DOCUMENT_CANDIDATES).position(|place| place.hit.is_prose && fits(place))
}

/// The share of a budget that conversations may take where the answer is in them, in hundredths.
const FOR_TALK: u32 = 70;

/// Hundredths of the room that a neighbour may take whole.
const WHOLE_NEIGHBOUR: u32 = 20;

/// The tokens that remain beside a clear answer in full.
fn beside_answer(places: &[CodeCandidate<'_>], room: TokenCount) -> TokenCount {
    let answer = clear_answer(places).and_then(|first| first.render_form(room, CutMode::Never));
    room.saturating_sub(answer.map_or(TokenCount(0), |form| form.tokens))
}

/// The share of a budget that conversations may take, in hundredths.
fn share_of_talk(intent: QuestionIntent, about_talk: bool) -> u32 {
    if about_talk {
        return FOR_TALK;
    }
    match intent {
        QuestionIntent::List | QuestionIntent::Find => 15,
        QuestionIntent::Explain | QuestionIntent::Compare => 20,
        QuestionIntent::How => 25,
        QuestionIntent::Debug => 35,
        QuestionIntent::Why => 40,
    }
}

/// Whether a question asks for what was said or done before.
fn is_about_talk(question: &str) -> bool {
    let lower = question.to_lowercase();
    let phrases = [
        "we",
        "did i",
        "i said",
        "you said",
        "told",
        "decided",
        "decide",
        "discussed",
        "last time",
        "last week",
        "yesterday",
        "earlier",
        "previously",
        "conversation",
        "remember",
        "agreed",
    ];
    phrases.iter().any(|phrase| contains_phrase(&lower, phrase))
}

fn budget_share(budget: TokenCount, hundredths: u32) -> TokenCount {
    TokenCount((u64::from(budget.0) * u64::from(hundredths) / 100) as u32)
}

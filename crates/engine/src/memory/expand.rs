//! Expands a summary into the summaries and verbatim messages that it covers, page by page within a token budget.
//!
//! What does not fit is named by a handle (a cursor), and following handles gives every byte of every message exactly
//! once, in order. A message that is too long for one reply is cut at a byte and continues there.

use super::active_context::messages_in;
use super::grant::{ExpansionAllowance, allow_summary};
use super::naming::{complete_id, find_cited_message, malformed_id_error, normalize_id};
use crate::base::budget::{beginning_within, check_budget};
use crate::base::{Error, Result};
use crate::ledger::OF_EVENT;
use crate::memory::MemoryContext;
use model::{
    ConversationId, Message, MessageId, MessageRole, SeqRange, Summary, SummaryId, TokenCount, count_tokens,
    quote_headings,
};

/// What is wanted.
#[derive(Clone, Debug)]
pub struct ExpandRequest {
    /// A summary, a message, or the handle that an earlier expansion gave to go on with.
    pub id: String,
    /// Levels to go down.
    pub depth: u32,
    /// Whether messages are given wherever a leaf is reached, not only where a leaf itself is expanded.
    pub messages: bool,
    /// Most tokens of the text: the items with their headings, and the handle to go on with.
    pub budget: Option<TokenCount>,
    /// The grant that allows it, where a delegate of the agent asks.
    pub grant: Option<String>,
}

/// One thing a summary covers, or a piece of it.
#[derive(Clone, Debug)]
pub struct ExpandedItem {
    /// What it is.
    pub of: ExpandedKind,
    /// The piece of its content.
    pub text: String,
    /// Where the piece begins, in bytes.
    pub start: usize,
    /// How many bytes the content has.
    pub total: usize,
    /// Tokens of the piece.
    pub tokens: TokenCount,
}

/// What is expanded to.
#[derive(Clone, Debug)]
pub enum ExpandedKind {
    /// A summary.
    Summary(Box<Summary>),
    /// A message.
    Message(Box<Message>),
}

impl ExpandedItem {
    /// Whether it is all of the content.
    pub fn is_whole(&self) -> bool {
        self.start == 0 && self.text.len() == self.total
    }

    /// The item as text.
    pub fn render_item(&self) -> String {
        let (range, who, id) = match &self.of {
            ExpandedKind::Summary(summary) => (summary.range, "summary", summary.id.as_str()),
            ExpandedKind::Message(message) => {
                let range = SeqRange { first: message.seq, last: message.seq };
                (range, message.body.role.as_str(), message.id.as_str())
            }
        };
        let Self { text, start, total, .. } = self;
        let places = if range.first == range.last { range.first.to_string() } else { range.to_string() };
        let piece =
            if self.is_whole() { String::new() } else { format!(" bytes {start}-{} of {total}", start + text.len()) };
        format!("[{places} {who} {id}{piece}]\n{}\n\n", quote_headings(text))
    }
}

/// What a summary covers.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The items, in order.
    pub items: Vec<ExpandedItem>,
    /// Tokens of all of them, as they are written.
    pub tokens: TokenCount,
    /// The handle to go on with, where there is more.
    pub continue_with: Option<String>,
}

impl Expansion {
    /// The outputs of tools among the items that an event of an agent brought, and what each costs.
    pub(crate) fn outputs_of_events(&self) -> impl Iterator<Item = (&ConversationId, TokenCount)> {
        self.items.iter().filter_map(|item| {
            let ExpandedKind::Message(message) = &item.of else { return None };
            let is_of_event = message.body.external_id.as_ref().is_some_and(|id| id.starts_with(OF_EVENT));
            (message.body.role == MessageRole::Tool && is_of_event).then_some((&message.conversation, item.tokens))
        })
    }

    /// The line that names the handle, where there is one.
    pub fn continuation_line(&self) -> Option<String> {
        self.continue_with.as_deref().map(render_continuation)
    }
}

fn render_continuation(handle: &str) -> String {
    format!("… more: expand {handle}\n")
}

/// More levels than any conversation has: each level covers at least twice the messages of the one below.
const MAX_EXPAND_DEPTH: u32 = 64;

/// What a request asks for, and the id that it asks for it by, as that is written in full.
pub(crate) async fn expand(memory: &MemoryContext, mut request: ExpandRequest) -> Result<(String, Expansion)> {
    check_budget(request.budget)?;
    // Feedback compares ids with those of answers, so they are normalised before anything else.
    request.id = complete_id(memory, normalize_id(&request.id)).await?;
    if let Some(message) = find_cited_message(memory, &request.id).await? {
        request.id = message.to_string();
    }
    let expansion = build_expansion(memory, &request).await?;
    Ok((request.id, expansion))
}

async fn build_expansion(memory: &MemoryContext, request: &ExpandRequest) -> Result<Expansion> {
    if let Ok(id) = MessageId::parse(&request.id) {
        return expand_message(memory, &id, request, 0).await;
    }
    let place = ExpansionCursor::parse(request)?;
    let missing = || not_found(&request.id);
    let target = match &place.of {
        ExpansionTarget::Message(id) => return expand_message(memory, id, request, place.byte).await,
        ExpansionTarget::Summary(id) => memory.store.load_summary(id).await?.ok_or_else(missing)?,
    };
    let wanted = request.budget.unwrap_or(memory.settings.expand_tokens);
    let allowance = allow_summary(memory, request.grant.as_deref(), &target, place.depth, wanted).await?;
    let mut entries = Vec::new();
    list_entries(memory, &target, &place, &mut entries).await?;
    let expansion = fill_page(memory, &target.conversation, &place, &entries, allowance.token_limit()).await?;
    // Charged before the text is given: a grant that ran out meanwhile gives nothing.
    allowance.charge(memory, expansion.tokens).await?;
    Ok(expansion)
}

fn not_found(id: &str) -> Error {
    let hint = "epitome grep --scope summaries finds summaries, epitome history shows messages";
    Error::NotFound { what: "summary or message", id: id.to_owned(), hint: Some(hint.to_owned()) }
}

async fn expand_message(
    memory: &MemoryContext,
    id: &MessageId,
    request: &ExpandRequest,
    byte: usize,
) -> Result<Expansion> {
    let message = memory.store.load_message(id).await?.ok_or_else(|| not_found(&request.id))?;
    let wanted = request.budget.unwrap_or(memory.settings.expand_tokens);
    let allowance = ExpansionAllowance::for_message(memory, request.grant.as_deref(), &message, wanted).await?;
    let mut page = ExpansionPage::new(allowance.token_limit());
    let handle = |byte: usize| format!("{id}.{byte}");
    page.add_message(message, byte, &handle);
    let expansion = page.finish();
    allowance.charge(memory, expansion.tokens).await?;
    Ok(expansion)
}

/// What is expanded, how, and from where on.
struct ExpansionCursor {
    of: ExpansionTarget,
    depth: u32,
    messages: bool,
    entry: usize,
    byte: usize,
}

enum ExpansionTarget {
    Summary(SummaryId),
    Message(MessageId),
}

impl ExpansionCursor {
    /// `sum_…`, or `sum_….<depth>[m].<entry>.<byte>`, or `msg_….<byte>`.
    fn parse(request: &ExpandRequest) -> Result<Self> {
        let wrong = |reason: String| Error::Parameter { field: "id", reason };
        let mut pieces = request.id.split('.');
        let id = pieces.next().unwrap_or_default();
        let rest: Vec<&str> = pieces.collect();
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong(format!("`{}` is no handle", request.id)));
        // Depth 0 would return nothing.
        let depth = request.depth.clamp(1, MAX_EXPAND_DEPTH);
        if let Ok(message) = MessageId::parse(id)
            && let [byte] = rest.as_slice()
        {
            let byte = number(byte)?;
            return Ok(Self { of: ExpansionTarget::Message(message), depth, messages: true, entry: 0, byte });
        }
        let of = ExpansionTarget::Summary(SummaryId::parse(id).map_err(|_| {
            if let Some(kind) = describable_kind(id) {
                return wrong(format!("is `{id}`, {kind}: expand takes summaries and messages, describe takes it"));
            }
            let taken = "the id of a summary (`sum_…`) or a message (`msg_…`), the place of a message \
                         (`conversation#8`), or what `continue_with` of an earlier reply says";
            malformed_id_error(id).unwrap_or_else(|| wrong(format!("is `{id}`: expand takes {taken}")))
        })?);
        match rest.as_slice() {
            [] => Ok(Self { of, depth, messages: request.messages, entry: 0, byte: 0 }),
            [how, entry, byte] => {
                let messages = how.ends_with('m');
                let depth = number(how.trim_end_matches('m'))? as u32;
                Ok(Self {
                    of,
                    depth: depth.clamp(1, MAX_EXPAND_DEPTH),
                    messages,
                    entry: number(entry)?,
                    byte: number(byte)?,
                })
            }
            _ => Err(wrong(format!("`{}` is no handle", request.id))),
        }
    }

    fn format_cursor(&self, entry: usize, byte: usize) -> String {
        let id = match &self.of {
            ExpansionTarget::Summary(id) => id.as_str(),
            ExpansionTarget::Message(id) => id.as_str(),
        };
        format!("{id}.{}{}.{entry}.{byte}", self.depth, if self.messages { "m" } else { "" })
    }
}

/// The kind of an id that can be described but not expanded.
fn describable_kind(id: &str) -> Option<&'static str> {
    let kinds = [("art_", "an artifact"), ("conv_", "a conversation"), ("fact_", "a fact")];
    kinds.into_iter().find(|(prefix, _)| id.starts_with(prefix)).map(|(_, kind)| kind)
}

/// Something to give, without its text.
enum ExpansionEntry {
    Summary(SummaryId),
    Message(u64),
}

/// An entry that is not expanded yet.
enum PendingExpansion {
    Summary(Box<Summary>, u32),
    Messages(SeqRange),
}

/// What stands below a summary, in order.
async fn list_entries(
    memory: &MemoryContext,
    top: &Summary,
    place: &ExpansionCursor,
    entries: &mut Vec<ExpansionEntry>,
) -> Result<()> {
    let mut open = vec![PendingExpansion::Summary(Box::new(top.clone()), 0)];
    while let Some(next) = open.pop() {
        match next {
            PendingExpansion::Messages(range) => {
                entries.extend((range.first..=range.last).map(ExpansionEntry::Message));
            }
            PendingExpansion::Summary(summary, level) => {
                let leaf = summary.covers.is_empty();
                // A leaf is left out where its messages are given: they contain all of it.
                if level > 0 && !(leaf && place.messages) {
                    entries.push(ExpansionEntry::Summary(summary.id.clone()));
                }
                if leaf && (place.messages || level < place.depth) {
                    open.push(PendingExpansion::Messages(summary.range));
                } else if level < place.depth {
                    let below = load_children(memory, &summary).await?;
                    // Reversed onto a stack, so that entries come out in the order of the conversation.
                    open.extend(interleave_messages(summary.range, below, level + 1).into_iter().rev());
                }
            }
        }
    }
    Ok(())
}

async fn load_children(memory: &MemoryContext, summary: &Summary) -> Result<Vec<Summary>> {
    let mut children = Vec::new();
    for id in &summary.covers {
        // A summary that was redone is shown in its newest text.
        let id = memory.store.newest_redo(id).await?.unwrap_or_else(|| id.clone());
        children.push(memory.store.load_summary(&id).await?.ok_or_else(|| not_found(id.as_str()))?);
    }
    Ok(children)
}

/// Summaries and the messages between them, in order.
fn interleave_messages(range: SeqRange, children: Vec<Summary>, level: u32) -> Vec<PendingExpansion> {
    let mut open = Vec::new();
    let mut next = range.first;
    for child in children {
        if next < child.range.first {
            open.push(PendingExpansion::Messages(SeqRange { first: next, last: child.range.first - 1 }));
        }
        next = child.range.last + 1;
        open.push(PendingExpansion::Summary(Box::new(child), level));
    }
    if next <= range.last {
        open.push(PendingExpansion::Messages(SeqRange { first: next, last: range.last }));
    }
    open
}

/// Reads entries until the budget is used up.
async fn fill_page(
    memory: &MemoryContext,
    conversation: &ConversationId,
    place: &ExpansionCursor,
    entries: &[ExpansionEntry],
    budget: TokenCount,
) -> Result<Expansion> {
    let mut page = ExpansionPage::new(budget);
    for (at, entry) in entries.iter().enumerate().skip(place.entry) {
        // The byte of the handle belongs to the first entry of this page alone.
        let byte = if at == place.entry { place.byte } else { 0 };
        let handle = |byte: usize| place.format_cursor(at, byte);
        let goes_on = match entry {
            ExpansionEntry::Summary(id) => {
                let summary = memory.store.load_summary(id).await?.ok_or_else(|| not_found(id.as_str()))?;
                page.add_summary(summary, byte, &handle)
            }
            ExpansionEntry::Message(seq) => {
                let range = SeqRange { first: *seq, last: *seq };
                let message = messages_in(memory, conversation, range).await?.pop();
                page.add_message(message.ok_or_else(|| not_found(&format!("{conversation} {seq}")))?, byte, &handle)
            }
        };
        if !goes_on {
            break;
        }
        // Before the next entry is read: its heading alone would not fit.
        if page.is_full() && at + 1 < entries.len() {
            page.expansion.continue_with = Some(place.format_cursor(at + 1, 0));
            break;
        }
    }
    Ok(page.finish())
}

/// A reply that is being filled.
struct ExpansionPage {
    budget: TokenCount,
    expansion: Expansion,
}

/// The most tokens that the byte numbers of a piece add to its heading.
const PLACES: TokenCount = TokenCount(3);

/// A page shows this much of a text at least: one of nothing would lead to itself.
const MIN_PAGE_TOKENS: TokenCount = TokenCount(4);

impl ExpansionPage {
    fn new(budget: TokenCount) -> Self {
        Self { budget, expansion: Expansion { items: Vec::new(), tokens: TokenCount(0), continue_with: None } }
    }

    fn tokens_left(&self) -> TokenCount {
        self.budget.saturating_sub(self.expansion.tokens)
    }

    fn is_full(&self) -> bool {
        self.tokens_left() <= MIN_PAGE_TOKENS
    }

    fn add_summary(&mut self, summary: Summary, byte: usize, handle: &dyn Fn(usize) -> String) -> bool {
        let content = summary.content.clone();
        let tokens = summary.tokens;
        self.add_content(ExpandedKind::Summary(Box::new(summary)), &content, tokens, byte, handle)
    }

    fn add_message(&mut self, message: Message, byte: usize, handle: &dyn Fn(usize) -> String) -> bool {
        let content = message.body.content();
        let tokens = message.tokens;
        self.add_content(ExpandedKind::Message(Box::new(message)), &content, tokens, byte, handle)
    }

    /// Adds a content from a byte on, and says whether more may follow. `whole` is what all of it costs.
    fn add_content(
        &mut self,
        of: ExpandedKind,
        content: &str,
        whole: TokenCount,
        byte: usize,
        handle: &dyn Fn(usize) -> String,
    ) -> bool {
        let start = content.floor_char_boundary(byte);
        let total = content.len();
        let rest = &content[start..];
        let tokens = if start == 0 { whole } else { count_tokens(rest) };
        let mut item = ExpandedItem { of, text: String::new(), start, total, tokens };
        let around = count_tokens(&item.render_item()) + count_tokens(&render_continuation(&handle(total))) + PLACES;
        let left = self.tokens_left().saturating_sub(around);
        if tokens <= left {
            rest.clone_into(&mut item.text);
            self.push_item(item);
            return true;
        }
        // An item that does not fit beside others starts the next page instead of being cut.
        if !self.expansion.items.is_empty() {
            self.expansion.continue_with = Some(handle(start));
            return false;
        }
        // At least a few tokens, whatever the budget: an empty page would hand out its own handle again.
        let (text, tokens) = beginning_within(rest, left.max(MIN_PAGE_TOKENS));
        (item.text, item.tokens) = (text.to_owned(), tokens);
        self.expansion.continue_with = Some(handle(start + text.len()));
        self.push_item(item);
        false
    }

    fn push_item(&mut self, item: ExpandedItem) {
        self.expansion.tokens += count_tokens(&item.render_item());
        self.expansion.items.push(item);
    }

    fn finish(self) -> Expansion {
        self.expansion
    }
}

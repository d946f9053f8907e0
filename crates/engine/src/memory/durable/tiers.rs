//! Tiers, which say how near at hand a project keeps what its sessions work with: hot items are told when a session
//! begins, warm ones where a prompt is about them, cold ones to whoever asks.
//!
//! An item is a memory of its own kind; a memory of any other kind may be promoted as well. Where it stands follows from
//! the notes about it, so what leaves a tier is kept, and comes back when it is asked for.

use super::listing::load_active_where;
use super::lookup::{FoundMemory, rank_by_nearness};
use super::remember::{check_length, read_tags};
use crate::base::{Error, Project, Result};
use crate::memory::MemoryContext;
use crate::memory::naming::{complete_id, named_session, normalize_id, session_name};
use model::scrub::RuleName;
use model::{
    DurableMemory, MemoryEvent, MemoryId, MemoryKind, MemoryNote, MemoryStatement, MemoryTier, NewMemory, Timestamp,
    TokenCount, count_tokens,
};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use store::{MemoryBatch, MemoryScope};

/// When items move by themselves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TierSettings {
    /// Tokens of hot items of a project.
    pub hot_tokens: TokenCount,
    /// The time that an item is asked for which makes it hot.
    pub promote_after: u32,
    /// The nearness to a question from which an item that is recalled becomes hot.
    pub promote_nearness: f64,
    /// Cold items that a project keeps in the tier; older ones leave it, and stay memories.
    pub max_cold: u32,
    /// Whether hot items make room for new ones.
    pub spills: bool,
    /// Whether items become hot by being asked for.
    pub promotes: bool,
}

impl TierSettings {
    /// The settings where nothing else is set.
    pub const USUAL: Self = Self {
        hot_tokens: TokenCount(4_000),
        promote_after: 3,
        promote_nearness: 0.85,
        max_cold: 1_000,
        spills: true,
        promotes: true,
    };
}

/// An item on its way in.
#[derive(Clone, Debug, Default)]
pub struct NewTierItem {
    /// Its words.
    pub content: String,
    /// What it is, in a word of the caller's.
    pub item_type: Option<String>,
    /// How much it matters, from 0 to 1.
    pub relevance: Option<f64>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

/// What to do with items.
#[derive(Clone, Debug)]
pub enum TierAction {
    /// Keep one, hot.
    Add(NewTierItem),
    /// Move hot items further away: these, or so many of those that matter least, or half of them.
    Spill {
        /// Which.
        ids: Vec<String>,
        /// How many.
        count: Option<u32>,
        /// To where.
        target: MemoryTier,
    },
    /// Find items that are not hot.
    Recall {
        /// What they shall be about.
        query: String,
        /// Only those of these tiers; none for warm and cold.
        tiers: Vec<MemoryTier>,
        /// Whether what is near enough becomes hot; none as is set.
        promotes: Option<bool>,
        /// How many at most.
        limit: u32,
    },
    /// Make items or other memories hot.
    Promote(Vec<String>),
    /// Say how many there are, and show so many of them, hot ones first and those that matter most.
    Status(u32),
}

/// A request about tiers.
#[derive(Clone, Debug)]
pub struct TierRequest {
    /// The session whose items are meant, by name or id; none for those of the project. A new item is of the latest one
    /// then.
    pub session: Option<String>,
    /// What to do.
    pub action: TierAction,
}

/// An item.
#[derive(Clone, Debug)]
pub struct TierItem {
    /// The memory that holds it.
    pub memory: DurableMemory,
    /// What it is, in a word of its author's.
    pub item_type: String,
    /// How much it matters, from 0 to 1; of what was recalled how near it is to the question.
    pub relevance: f64,
    /// The sessions that stated it.
    pub sessions: Vec<String>,
    /// Its tokens.
    pub tokens: TokenCount,
}

/// What a tier holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TierTotal {
    /// Items.
    pub items: u64,
    /// Their tokens.
    pub tokens: u64,
}

/// What became of a request.
#[derive(Clone, Debug, Default)]
pub struct TierReport {
    /// The items: added, spilled, recalled or promoted.
    pub items: Vec<TierItem>,
    /// How many more there are.
    pub omitted: u64,
    /// What was moved further away to make room, or because that was asked for.
    pub spilled: Vec<MemoryId>,
    /// To where.
    pub target: Option<MemoryTier>,
    /// What became hot.
    pub promoted: Vec<MemoryId>,
    /// What the tiers hold now.
    pub totals: BTreeMap<MemoryTier, TierTotal>,
    /// The rules by which secrets were replaced, one for each secret.
    pub secrets: Vec<RuleName>,
}

/// How much an item matters whose author says nothing.
const USUAL_RELEVANCE: f64 = 0.5;
/// What an item is whose author says nothing.
const USUAL_TYPE: &str = "note";
/// Characters of the word for what an item is.
const MAX_TYPE_CHARS: usize = 64;
/// The likeness of meaning from which an item is found that shares no word with the question.
const LEAST_MEANING: f64 = 0.45;

impl TierItem {
    fn from_memory(memory: DurableMemory) -> Self {
        let is_item = memory.body.kind == MemoryKind::Item;
        let said = memory.metadata.iter().filter_map(|said| serde_json::from_str::<Value>(said).ok());
        let said: Vec<Value> = said.filter(|_| is_item).collect();
        let newest = said.last();
        let item_type = newest.and_then(|said| said["type"].as_str()).unwrap_or(memory.body.kind.as_str()).to_owned();
        let relevance = newest.and_then(|said| said["relevance"].as_f64()).unwrap_or(USUAL_RELEVANCE).clamp(0.0, 1.0);
        let mut sessions: Vec<String> = Vec::new();
        for session in said.iter().filter_map(|said| said["session"].as_str()) {
            if !sessions.iter().any(|known| known == session) {
                sessions.push(session.to_owned());
            }
        }
        let tokens = count_tokens(&memory.body.content);
        Self { memory, item_type, relevance, sessions, tokens }
    }

    fn is_of(&self, session: Option<&str>) -> bool {
        // A memory that is no item belongs to the project and to none of its sessions.
        session.is_none_or(|session| self.sessions.is_empty() || self.sessions.iter().any(|known| known == session))
    }
}

pub(crate) async fn manage_tiers(
    memory: &MemoryContext,
    project: &Project,
    request: TierRequest,
) -> Result<TierReport> {
    let named = match request.session.as_deref().filter(|session| !session.trim().is_empty()) {
        Some(session) => Some(named_session(memory, project, session).await?),
        None => None,
    };
    let looked_at = named.as_deref();
    let shelf = TierShelf { memory, project };
    let mut report = match request.action {
        TierAction::Add(new) => {
            let session = session_name(memory, project, looked_at).await?;
            shelf.add_item(&session, new).await?
        }
        TierAction::Spill { ids, count, target } => shelf.spill(looked_at, &ids, count, target).await?,
        TierAction::Recall { query, tiers, promotes, limit } => {
            shelf.recall(looked_at, &query, &tiers, promotes, limit as usize).await?
        }
        TierAction::Promote(ids) => shelf.promote(&ids).await?,
        TierAction::Status(limit) => {
            let mut items = shelf.load_items(looked_at).await?;
            items.reverse();
            items.sort_by_key(|item| item.memory.tier);
            let omitted = items.len().saturating_sub(limit as usize) as u64;
            items.truncate(limit as usize);
            TierReport { items, omitted, ..TierReport::default() }
        }
    };
    for (tier, _) in MemoryTier::ALL {
        report.totals.entry(tier).or_default();
    }
    for item in shelf.load_items(looked_at).await? {
        let total = report.totals.entry(item.memory.tier.unwrap_or(MemoryTier::Cold)).or_default();
        total.items += 1;
        total.tokens += u64::from(item.tokens.0);
    }
    Ok(report)
}

/// The items of a project.
struct TierShelf<'m> {
    memory: &'m MemoryContext,
    project: &'m Project,
}

impl TierShelf<'_> {
    /// What stands in a tier, the least that matters first.
    async fn load_items(&self, session: Option<&str>) -> Result<Vec<TierItem>> {
        let scope = MemoryScope::Project(self.project.id.clone());
        let author = &self.memory.author;
        // What a colleague shares stands in tiers of theirs.
        let is_in_tier = |memory: &DurableMemory| memory.tier.is_some() && author.owns(memory.body.author.as_deref());
        let in_tier = load_active_where(self.memory, scope, is_in_tier).await?;
        let mut items: Vec<TierItem> = in_tier.into_iter().map(TierItem::from_memory).collect();
        items.retain(|item| item.is_of(session));
        items.sort_by(|a, b| {
            let order = a.relevance.total_cmp(&b.relevance).then(a.memory.last_note.cmp(&b.memory.last_note));
            order.then_with(|| a.memory.id.cmp(&b.memory.id))
        });
        Ok(items)
    }

    fn now(&self) -> Timestamp {
        self.memory.clock.now()
    }

    async fn write_notes(&self, notes: Vec<(MemoryId, MemoryEvent)>) -> Result<()> {
        if notes.is_empty() {
            return Ok(());
        }
        let at = self.now();
        let notes = notes.into_iter().map(|(id, event)| (id, MemoryNote { at, event })).collect();
        Ok(self.memory.store.write_memories(MemoryBatch { memories: Vec::new(), notes }).await?)
    }

    async fn load_item(&self, id: &MemoryId) -> Result<TierItem> {
        let found = self.memory.store.load_memory(id).await?.filter(DurableMemory::is_active);
        let found = found.filter(|found| self.memory.author.owns(found.body.author.as_deref()));
        let hint = Some("epitome tier status and epitome memories list what there is".to_owned());
        found.map(TierItem::from_memory).ok_or_else(|| Error::NotFound { what: "item", id: id.to_string(), hint })
    }

    async fn add_item(&self, session: &str, new: NewTierItem) -> Result<TierReport> {
        self.memory.check_enabled("keep an item")?;
        if new.content.trim().is_empty() {
            let reason = "is empty: say what to keep at hand".to_owned();
            return Err(Error::Parameter { field: "content", reason });
        }
        let relevance = new.relevance.unwrap_or(USUAL_RELEVANCE);
        if !(0.0..=1.0).contains(&relevance) {
            let reason = format!("is {relevance}, and has to be from 0 to 1");
            return Err(Error::Parameter { field: "relevance", reason });
        }
        let scrubber = self.memory.scrubber.load().await?;
        let mut secrets = Vec::new();
        let mut scrub = |text: &str| {
            let (clean, found) = scrubber.scrub_text(text);
            secrets.extend(found.into_iter().map(|found| found.rule));
            clean.into_owned()
        };
        let content = scrub(new.content.trim());
        check_length(&content)?;
        let item_type = scrub(new.item_type.as_deref().unwrap_or(USUAL_TYPE).trim());
        if item_type.chars().count() > MAX_TYPE_CHARS {
            let reason = format!("has more than {MAX_TYPE_CHARS} characters");
            return Err(Error::Parameter { field: "type", reason });
        }
        let tags = read_tags(&new.tags, &mut scrub)?;
        let now = self.now();
        let item = NewMemory {
            content,
            kind: MemoryKind::Item,
            project: Some(self.project.id.clone()),
            author: self.memory.author.owner(),
            conversation: None,
            depth: 0,
            created: now,
        };
        let id = item.id();
        let metadata = json!({ "type": item_type, "relevance": relevance, "session": session }).to_string();
        let certainty = MemoryStatement::ASKED_FOR;
        let statement = MemoryStatement { certainty, tags, sources: Vec::new(), metadata: Some(metadata), said: now };
        let spilled = self.make_room(count_tokens(&item.content), &id).await?;
        // One transaction: an item that no tier holds would be told to nobody.
        let events = [MemoryEvent::Stated(statement), MemoryEvent::Placed(Some(MemoryTier::Hot))];
        let mut notes: Vec<_> = events.into_iter().map(|event| (id.clone(), MemoryNote { at: now, event })).collect();
        let warm = MemoryNote { at: now, event: MemoryEvent::Placed(Some(MemoryTier::Warm)) };
        notes.extend(spilled.iter().map(|spilled| (spilled.clone(), warm.clone())));
        self.memory.store.write_memories(MemoryBatch { memories: vec![item], notes }).await?;
        let target = (!spilled.is_empty()).then_some(MemoryTier::Warm);
        Ok(TierReport { items: vec![self.load_item(&id).await?], spilled, target, secrets, ..TierReport::default() })
    }

    /// The hot items that make room for one of so many tokens: the half that matters least. Those of all sessions count,
    /// because every session of the project is told them.
    async fn make_room(&self, tokens: TokenCount, id: &MemoryId) -> Result<Vec<MemoryId>> {
        let settings = self.memory.settings.tiers;
        if !settings.spills {
            return Ok(Vec::new());
        }
        let mut hot = self.load_items(None).await?;
        hot.retain(|item| item.memory.tier == Some(MemoryTier::Hot) && item.memory.id != *id);
        let held: u64 = hot.iter().map(|item| u64::from(item.tokens.0)).sum();
        if held + u64::from(tokens.0) <= u64::from(settings.hot_tokens.0) {
            return Ok(Vec::new());
        }
        Ok(hot.iter().take(hot.len().div_ceil(2)).map(|item| item.memory.id.clone()).collect())
    }

    async fn spill(
        &self,
        session: Option<&str>,
        ids: &[String],
        count: Option<u32>,
        target: MemoryTier,
    ) -> Result<TierReport> {
        self.memory.check_enabled("spill items")?;
        if target == MemoryTier::Hot {
            let reason = "is `hot`, where the items are: choose `warm` or `cold`".to_owned();
            return Err(Error::Parameter { field: "target", reason });
        }
        let mut chosen = self.load_items(session).await?;
        chosen.retain(|item| item.memory.tier == Some(MemoryTier::Hot));
        if ids.is_empty() {
            let half = chosen.len().div_ceil(2);
            chosen.truncate(count.map_or(half, |count| count as usize));
        } else {
            let mut wanted = Vec::new();
            for id in ids {
                let id = parse_id(self.memory, id).await?;
                let Some(item) = chosen.iter().find(|item| item.memory.id == id) else {
                    let hint = Some("only hot items can be spilled: epitome tier status".to_owned());
                    return Err(Error::NotFound { what: "hot item", id: id.to_string(), hint });
                };
                wanted.push(item.clone());
            }
            chosen = wanted;
        }
        let spilled: Vec<MemoryId> = chosen.iter().map(|item| item.memory.id.clone()).collect();
        let place = |id: &MemoryId| (id.clone(), MemoryEvent::Placed(Some(target)));
        self.write_notes(spilled.iter().map(place).collect()).await?;
        self.trim_cold().await?;
        for item in &mut chosen {
            item.memory.tier = Some(target);
        }
        Ok(TierReport { items: chosen, spilled, target: Some(target), ..TierReport::default() })
    }

    /// Cold items beyond the limit leave the tier, those that were put there first.
    async fn trim_cold(&self) -> Result<()> {
        let mut cold = self.load_items(None).await?;
        cold.retain(|item| item.memory.tier == Some(MemoryTier::Cold));
        cold.sort_by_key(|item| Reverse(item.memory.last_note));
        let over = cold.iter().skip(self.memory.settings.tiers.max_cold as usize);
        self.write_notes(over.map(|item| (item.memory.id.clone(), MemoryEvent::Placed(None))).collect()).await
    }

    async fn recall(
        &self,
        session: Option<&str>,
        query: &str,
        tiers: &[MemoryTier],
        promotes: Option<bool>,
        limit: usize,
    ) -> Result<TierReport> {
        let wanted = if tiers.is_empty() { &[MemoryTier::Warm, MemoryTier::Cold][..] } else { tiers };
        let mut items = self.load_items(session).await?;
        items.retain(|item| item.memory.tier.is_some_and(|tier| wanted.contains(&tier)));
        let known = items.into_iter().map(|item| item.memory).collect();
        let is_near = |words: f64, meaning: f64| words > 0.0 || meaning >= LEAST_MEANING;
        let found = rank_by_nearness(known, query, self.memory.embedder.as_deref(), is_near);
        let omitted = found.len().saturating_sub(limit) as u64;
        let settings = self.memory.settings.tiers;
        let promotes = promotes.unwrap_or(settings.promotes) && self.memory.settings.enabled;
        let (mut report, mut notes) = (TierReport { omitted, ..TierReport::default() }, Vec::new());
        for FoundMemory { memory, nearness, .. } in found.into_iter().take(limit) {
            let mut item = TierItem { relevance: nearness, ..TierItem::from_memory(memory) };
            item.memory.used += 1;
            notes.push((item.memory.id.clone(), MemoryEvent::Used));
            let is_due = nearness >= settings.promote_nearness || item.memory.used >= settings.promote_after;
            if promotes && is_due && item.memory.tier != Some(MemoryTier::Hot) {
                item.memory.tier = Some(MemoryTier::Hot);
                notes.push((item.memory.id.clone(), MemoryEvent::Placed(Some(MemoryTier::Hot))));
                report.promoted.push(item.memory.id.clone());
            }
            report.items.push(item);
        }
        if self.memory.settings.enabled {
            self.write_notes(notes).await?;
        }
        Ok(report)
    }

    async fn promote(&self, ids: &[String]) -> Result<TierReport> {
        self.memory.check_enabled("promote items")?;
        if ids.is_empty() {
            let reason = "is needed: the ids of what is to become hot".to_owned();
            return Err(Error::Parameter { field: "item_ids", reason });
        }
        let mut report = TierReport::default();
        for id in ids {
            let mut item = self.load_item(&parse_id(self.memory, id).await?).await?;
            if item.memory.tier.replace(MemoryTier::Hot) != Some(MemoryTier::Hot) {
                report.promoted.push(item.memory.id.clone());
            }
            report.items.push(item);
        }
        let place = |id: &MemoryId| (id.clone(), MemoryEvent::Placed(Some(MemoryTier::Hot)));
        self.write_notes(report.promoted.iter().map(place).collect()).await?;
        Ok(report)
    }
}

async fn parse_id(memory: &MemoryContext, id: &str) -> Result<MemoryId> {
    let wanted = complete_id(memory, normalize_id(id)).await?;
    let hint = Some("epitome tier status and epitome memories list what there is".to_owned());
    MemoryId::parse(&wanted).map_err(|_| Error::NotFound { what: "item", id: wanted, hint })
}

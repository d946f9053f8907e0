//! The entities and links of a project as they stand: made from all statements about them, kept in memory until another
//! statement is stored.

use crate::base::{Error, Result};
use model::terms::each_term;
use model::{EdgeKind, EntityId, EntityKind, EntityLinkId, EntityState, ProjectId, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use store::{EntityStatements, Store};

/// An entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    /// Its id.
    pub id: EntityId,
    /// What it is.
    pub kind: EntityKind,
    /// Its name.
    pub name: String,
    /// What is known of it.
    pub content: Option<String>,
    /// The same in short.
    pub summary: Option<String>,
    /// What else is kept with it, as a JSON object.
    pub metadata: Option<String>,
    /// The file it is about.
    pub file: Option<String>,
    /// When it was first stated.
    pub created: Timestamp,
    /// When it was last stated.
    pub updated: Timestamp,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityLink {
    /// Its id.
    pub id: EntityLinkId,
    /// The id where it starts.
    pub source: String,
    /// The id where it leads.
    pub target: String,
    /// How the two are related.
    pub relationship: EdgeKind,
    /// How sure that is, in hundredths.
    pub weight: u32,
    /// What else is kept with it, as a JSON object.
    pub metadata: Option<String>,
    /// When it was first stated.
    pub created: Timestamp,
}

#[derive(Default)]
pub(crate) struct EntityTable {
    entities: BTreeMap<EntityId, Entity>,
    links: BTreeMap<EntityLinkId, EntityLink>,
    by_name: HashMap<String, Vec<EntityId>>,
    by_end: HashMap<String, Vec<EntityLinkId>>,
}

/// How many ids an error lists.
const MAX_LISTED_IDS: usize = 5;

impl EntityTable {
    fn new(statements: EntityStatements) -> Self {
        let mut table = Self::default();
        for it in statements.entities {
            let id = it.id();
            if it.state == EntityState::Removed {
                table.entities.remove(&id);
                continue;
            }
            let created = table.entities.get(&id).map_or(it.at, |known| known.created);
            let entity = Entity {
                id: id.clone(),
                kind: it.kind,
                name: it.name,
                content: it.content,
                summary: it.summary,
                metadata: it.metadata,
                file: it.file,
                created,
                updated: it.at,
            };
            table.entities.insert(id, entity);
        }
        for it in statements.links {
            let id = it.id();
            if it.state == EntityState::Removed {
                table.links.remove(&id);
                continue;
            }
            let known = table.links.get(&id);
            let created = known.map_or(it.at, |known| known.created);
            let metadata = it.metadata.or_else(|| known.and_then(|known| known.metadata.clone()));
            let (source, target, relationship, weight) = (it.source, it.target, it.relationship, it.weight);
            let link = EntityLink { id: id.clone(), source, target, relationship, weight, metadata, created };
            table.links.insert(id, link);
        }
        for entity in table.entities.values() {
            table.by_name.entry(entity.name.to_lowercase()).or_default().push(entity.id.clone());
        }
        for link in table.links.values() {
            for end in [&link.source, &link.target] {
                table.by_end.entry(end.clone()).or_default().push(link.id.clone());
            }
        }
        table
    }

    pub(super) fn entity(&self, id: &EntityId) -> Option<&Entity> {
        self.entities.get(id)
    }

    pub(super) fn entities(&self) -> impl Iterator<Item = &Entity> {
        self.entities.values()
    }

    pub(super) fn link(&self, id: &EntityLinkId) -> Option<&EntityLink> {
        self.links.get(id)
    }

    /// The link of an id as somebody wrote it.
    pub(super) fn find_link(&self, text: &str) -> Option<&EntityLink> {
        EntityLinkId::parse(text.trim()).ok().and_then(|id| self.links.get(&id))
    }

    /// The links that start or end at an id.
    pub(super) fn links_of(&self, end: &str) -> impl Iterator<Item = &EntityLink> {
        self.by_end.get(end).into_iter().flatten().filter_map(|id| self.links.get(id))
    }

    /// The entity of an id or of a name, which must be that of one alone.
    pub(super) fn find_entity(&self, field: &'static str, text: &str) -> Result<Option<EntityId>> {
        let text = text.trim();
        if let Ok(id) = EntityId::parse(text) {
            return Ok(self.entities.contains_key(&id).then_some(id));
        }
        match self.by_name.get(&text.to_lowercase()).map(Vec::as_slice) {
            None | Some([]) => Ok(None),
            Some([id]) => Ok(Some(id.clone())),
            Some(several) => {
                let named = several.iter().take(MAX_LISTED_IDS).filter_map(|id| self.entities.get(id));
                let named: Vec<String> = named.map(|it| format!("{} ({})", it.id, it.kind.as_str())).collect();
                let reason = format!("is `{text}`, the name of {} entities: {}", several.len(), named.join(", "));
                Err(Error::Parameter { field, reason })
            }
        }
    }

    /// Entities that a question is about, best first.
    pub(super) fn find_about(&self, question: &str, most: usize) -> Vec<Entity> {
        let asked = terms_of(question);
        if self.entities.is_empty() || asked.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<(usize, &Entity)> = Vec::new();
        for entity in self.entities.values() {
            let named = terms_of(&entity.name);
            let texts = [Some(entity.name.as_str()), entity.content.as_deref(), entity.summary.as_deref()];
            let own: BTreeSet<String> = texts.into_iter().flatten().flat_map(terms_of).collect();
            let shared = asked.intersection(&own).count();
            let is_named = !named.is_empty() && named.is_subset(&asked);
            if is_named || (shared > 1 && shared * 2 > asked.len()) {
                found.push((shared + if is_named { asked.len() } else { 0 }, entity));
            }
        }
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
        found.into_iter().take(most).map(|(_, entity)| entity.clone()).collect()
    }
}

fn terms_of(text: &str) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    each_term(text, |term| {
        // Short words are in every text.
        if term.len() > 2 {
            terms.insert(term.to_owned());
        }
    });
    terms
}

/// The tables of the last few projects, each with the revision that it was made from.
#[derive(Default)]
pub(crate) struct EntityCache(Mutex<Vec<KeptTable>>);

struct KeptTable {
    project: ProjectId,
    revision: (u64, u64),
    table: Arc<EntityTable>,
}

/// A server may serve several projects at once.
const MOST_KEPT: usize = 4;

impl EntityCache {
    pub(super) async fn load(&self, store: &dyn Store, project: &ProjectId) -> Result<Arc<EntityTable>> {
        let revision = store.entity_revision(project).await?;
        if revision == (0, 0) {
            return Ok(Arc::default());
        }
        let kept = {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.iter()
                .find(|kept| kept.project == *project && kept.revision == revision)
                .map(|kept| Arc::clone(&kept.table))
        };
        if let Some(table) = kept {
            return Ok(table);
        }
        // Statements added since the revision was read make the table newer than it says, and it is made once more.
        let table = Arc::new(EntityTable::new(store.load_entities(project).await?));
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.project != *project);
        kept.push(KeptTable { project: project.clone(), revision, table: Arc::clone(&table) });
        let excess = kept.len().saturating_sub(MOST_KEPT);
        kept.drain(..excess);
        Ok(table)
    }
}

//! The entities and links of a project as they stand: made from all statements about them, kept in memory until another
//! statement is stored.

use crate::base::{Error, Result};
use model::terms::each_term;
use model::{EdgeKind, EntityId, EntityKind, EntityLinkId, EntityState, ProjectId, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use store::{EntityRevision, EntityStatements, Store};

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

#[derive(Clone, Default)]
pub(crate) struct EntityTable {
    entities: BTreeMap<EntityId, Entity>,
    links: BTreeMap<EntityLinkId, EntityLink>,
    by_name: HashMap<String, BTreeSet<EntityId>>,
    by_end: HashMap<String, BTreeSet<EntityLinkId>>,
    /// By the words of their names and texts.
    by_term: HashMap<String, BTreeSet<EntityId>>,
}

/// How many ids an error lists.
const MAX_LISTED_IDS: usize = 5;

impl EntityTable {
    /// Takes in statements that were added behind those it has. The same ones again change nothing.
    fn apply(&mut self, statements: EntityStatements) {
        for it in statements.entities {
            // What is said of the project itself is no entity in it (`projects` reads it).
            if it.kind == EntityKind::Project {
                continue;
            }
            let id = it.id();
            let known = self.entities.remove(&id);
            for term in known.iter().flat_map(own_terms) {
                self.by_term.entry(term).or_default().remove(&id);
            }
            if it.state == EntityState::Removed {
                continue;
            }
            let created = known.map_or(it.at, |known| known.created);
            self.by_name.entry(it.name.to_lowercase()).or_default().insert(id.clone());
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
            for term in own_terms(&entity) {
                self.by_term.entry(term).or_default().insert(id.clone());
            }
            self.entities.insert(id, entity);
        }
        for it in statements.links {
            if it.source == it.project.as_str() {
                continue;
            }
            let id = it.id();
            if it.state == EntityState::Removed {
                self.links.remove(&id);
                continue;
            }
            let known = self.links.get(&id);
            let created = known.map_or(it.at, |known| known.created);
            let metadata = it.metadata.or_else(|| known.and_then(|known| known.metadata.clone()));
            for end in [&it.source, &it.target] {
                self.by_end.entry(end.clone()).or_default().insert(id.clone());
            }
            let (source, target, relationship, weight) = (it.source, it.target, it.relationship, it.weight);
            let link = EntityLink { id: id.clone(), source, target, relationship, weight, metadata, created };
            self.links.insert(id, link);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    pub(super) fn links(&self) -> impl Iterator<Item = &EntityLink> {
        self.links.values()
    }

    /// The entities at the other ends of the links of an id.
    pub(super) fn entities_linked_to(&self, id: &str) -> impl Iterator<Item = &Entity> {
        self.links_of(id).filter_map(move |link| {
            let other = if link.source == id { &link.target } else { &link.source };
            EntityId::parse(other).ok().and_then(|other| self.entities.get(&other))
        })
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
        let named = self.by_name.get(&text.to_lowercase()).into_iter().flatten();
        let named: Vec<&Entity> = named.filter_map(|id| self.entities.get(id)).collect();
        match named.as_slice() {
            [] => Ok(None),
            [entity] => Ok(Some(entity.id.clone())),
            several => {
                let listed = several.iter().take(MAX_LISTED_IDS);
                let listed: Vec<String> = listed.map(|it| format!("{} ({})", it.id, it.kind.as_str())).collect();
                let reason = format!("is `{text}`, the name of {} entities: {}", several.len(), listed.join(", "));
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
        let mut shared: HashMap<&EntityId, usize> = HashMap::new();
        for id in asked.iter().filter_map(|term| self.by_term.get(term)).flatten() {
            *shared.entry(id).or_default() += 1;
        }
        let mut found: Vec<(usize, &Entity)> = Vec::new();
        for (id, shared) in shared {
            let Some(entity) = self.entities.get(id) else { continue };
            let named = terms_of(&entity.name);
            let is_named = !named.is_empty() && named.is_subset(&asked);
            if is_named || (shared > 1 && shared * 2 > asked.len()) {
                found.push((shared + if is_named { asked.len() } else { 0 }, entity));
            }
        }
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.id.cmp(&b.1.id)));
        found.into_iter().take(most).map(|(_, entity)| entity.clone()).collect()
    }
}

/// The words of an entity, each once.
fn own_terms(entity: &Entity) -> BTreeSet<String> {
    let texts = [Some(entity.name.as_str()), entity.content.as_deref(), entity.summary.as_deref()];
    texts.into_iter().flatten().flat_map(terms_of).collect()
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
    revision: EntityRevision,
    table: Arc<EntityTable>,
}

/// A server may serve several projects at once.
const MOST_KEPT: usize = 4;

impl EntityCache {
    pub(super) async fn load(&self, store: &dyn Store, project: &ProjectId) -> Result<Arc<EntityTable>> {
        let revision = store.entity_revision(project).await?;
        if (revision.entities, revision.links) == (0, 0) {
            return Ok(Arc::default());
        }
        let known = {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            match kept.iter().position(|kept| kept.project == *project) {
                Some(at) if kept[at].revision == revision => return Ok(Arc::clone(&kept[at].table)),
                at => at.map(|at| kept.remove(at)),
            }
        };
        // Taken out of the cache, so that what was added is put into it where nobody else reads it.
        let known = known.filter(|known| known.revision.rewrites == revision.rewrites);
        let (after, mut table) = known.map_or_else(Default::default, |known| (known.revision, known.table));
        // Statements added since the revision was read make the table newer than it says; they are taken in again.
        let statements = store.load_entities(project, after).await?;
        Arc::make_mut(&mut table).apply(statements);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.project != *project);
        kept.push(KeptTable { project: project.clone(), revision, table: Arc::clone(&table) });
        let excess = kept.len().saturating_sub(MOST_KEPT);
        kept.drain(..excess);
        Ok(table)
    }
}

//! Entities that people and agents name themselves (a concept, a person, a decision), and links between them and anything
//! that has an id. What is stored are statements, one behind the other: the newest about an entity or a link counts.

use crate::{ContentHash, DigestBuilder, EdgeKind, EntityId, EntityLinkId, ProjectId, Timestamp};

/// What an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntityKind {
    /// A file.
    File,
    /// A module.
    Module,
    /// A class.
    Class,
    /// A function.
    Function,
    /// A method.
    Method,
    /// An interface.
    Interface,
    /// A type.
    Type,
    /// A document.
    Document,
    /// A section of one.
    Section,
    /// Something that is required.
    Requirement,
    /// What a user wants.
    UserStory,
    /// A session.
    Session,
    /// A message.
    Message,
    /// Something that was decided.
    Decision,
    /// Something that is asked.
    Question,
    /// An idea of the domain.
    Concept,
    /// Somebody.
    Person,
    /// Something that is built with.
    Technology,
    /// A way of building.
    Pattern,
    /// A project itself: what people call it. Not one of the entities in it.
    Project,
}

crate::enum_words! {
    pub EntityKind {
        File = "file",
        Module = "module",
        Class = "class",
        Function = "function",
        Method = "method",
        Interface = "interface",
        Type = "type",
        Document = "document",
        Section = "section",
        Requirement = "requirement",
        UserStory = "user_story",
        Session = "session",
        Message = "message",
        Decision = "decision",
        Question = "question",
        Concept = "concept",
        Person = "person",
        Technology = "technology",
        Pattern = "pattern",
        Project = "project",
    }
}

/// What a statement says of its entity or link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntityState {
    /// It is as stated.
    Stated,
    /// It counts no more.
    Removed,
}

crate::enum_words! {
    pub EntityState {
        Stated = "stated",
        Removed = "removed",
    }
}

/// A statement about an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityStatement {
    /// Of which project it is.
    pub project: ProjectId,
    /// Whether it is there.
    pub state: EntityState,
    /// What it is.
    pub kind: EntityKind,
    /// Its name; with its kind the same for all statements about it.
    pub name: String,
    /// What is known of it.
    pub content: Option<String>,
    /// The same in short.
    pub summary: Option<String>,
    /// What else is kept with it, as a JSON object.
    pub metadata: Option<String>,
    /// The file it is about.
    pub file: Option<String>,
    /// When that was said.
    pub at: Timestamp,
}

impl EntityStatement {
    /// The id of its entity, which follows from project, kind and name.
    pub fn id(&self) -> EntityId {
        EntityId::from_hash(digest("entity", &[self.project.as_str(), self.kind.as_str(), &self.name]))
    }

    /// What names the statement among all about its entity: the entity's id, and a digest of what it says.
    pub fn statement_id(&self) -> String {
        let texts = [&self.content, &self.summary, &self.metadata, &self.file];
        let start = DigestBuilder::new("entity statement").add_field(self.state.as_str().as_bytes());
        let said = texts.iter().fold(start, |digest, text| digest.add_optional(text.as_deref().map(str::as_bytes)));
        join_statement_id(self.id().as_str(), said.add_field(&self.at.0.to_le_bytes()).finish())
    }
}

/// A statement about a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityLinkStatement {
    /// Of which project it is.
    pub project: ProjectId,
    /// Whether it is there.
    pub state: EntityState,
    /// Where it starts: the id of an entity, a symbol, a file or a requirement.
    pub source: String,
    /// Where it leads.
    pub target: String,
    /// How the two are related.
    pub relationship: EdgeKind,
    /// How sure that is, in hundredths.
    pub weight: u32,
    /// What else is kept with it, as a JSON object.
    pub metadata: Option<String>,
    /// When that was said.
    pub at: Timestamp,
}

impl EntityLinkStatement {
    /// The id of its link, which follows from both ends and how they are related.
    pub fn id(&self) -> EntityLinkId {
        let fields = [self.project.as_str(), &self.source, &self.target, self.relationship.as_str()];
        EntityLinkId::from_hash(digest("entity link", &fields))
    }

    /// What names the statement among all about its link: the link's id, and a digest of what it says.
    pub fn statement_id(&self) -> String {
        let said = DigestBuilder::new("entity link statement")
            .add_field(self.state.as_str().as_bytes())
            .add_field(&self.weight.to_le_bytes())
            .add_optional(self.metadata.as_deref().map(str::as_bytes))
            .add_field(&self.at.0.to_le_bytes());
        join_statement_id(self.id().as_str(), said.finish())
    }
}

/// Digits of the digest in the id of a statement.
const STATEMENT_DIGITS: usize = 16;

fn join_statement_id(subject: &str, said: ContentHash) -> String {
    format!("{subject}.{}", &said.to_string()[..STATEMENT_DIGITS])
}

fn digest(domain: &'static str, fields: &[&str]) -> ContentHash {
    let start = DigestBuilder::new(domain);
    fields.iter().fold(start, |digest, field| digest.add_field(field.as_bytes())).finish()
}

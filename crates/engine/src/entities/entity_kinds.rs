//! Words for types of entities and relationships, as callers write them.

use crate::base::{Error, Result};
use model::{EdgeKind, EntityKind, SymbolKind};

/// The type of an entity that is to be kept.
pub(super) fn read_kind(word: &str) -> Result<EntityKind> {
    named_kind(word).ok_or_else(|| {
        let words: Vec<&str> = kind_words().collect();
        let reason = format!("is `{}`, which is no type of an entity: one of {}", word.trim(), words.join(", "));
        Error::Parameter { field: "type", reason }
    })
}

/// The type of that word, among those that entities in a project can have.
fn named_kind(word: &str) -> Option<EntityKind> {
    EntityKind::parse(word.trim()).filter(|kind| *kind != EntityKind::Project)
}

fn kind_words() -> impl Iterator<Item = &'static str> {
    EntityKind::ALL.iter().filter(|(kind, _)| *kind != EntityKind::Project).map(|(_, word)| *word)
}

pub(super) fn read_relationship(field: &'static str, word: &str) -> Result<EdgeKind> {
    EdgeKind::parse(word.trim()).ok_or_else(|| {
        let words: Vec<&str> = EdgeKind::ALL.iter().map(|(_, word)| *word).collect();
        let reason = format!("is `{}`, which is no relationship: one of {}", word.trim(), words.join(", "));
        Error::Parameter { field, reason }
    })
}

/// Which entities: a type, or one of the finer kinds of symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedKind {
    Entity(EntityKind),
    Symbol(SymbolKind),
}

impl WantedKind {
    pub(super) fn parse(word: &str) -> Option<Self> {
        let word = word.trim();
        named_kind(word).map(Self::Entity).or_else(|| SymbolKind::parse(word).map(Self::Symbol))
    }

    pub(super) fn read(word: &str) -> Result<Self> {
        match Self::parse(word) {
            Some(kind) => Ok(kind),
            None => read_kind(word).map(Self::Entity),
        }
    }

    /// Whether an entity of a type is meant: a struct is a class in the words of this model, a trait an interface.
    pub(super) fn fits(self, kind: &str) -> bool {
        match self {
            Self::Symbol(wanted) => wanted.as_str() == kind,
            Self::Entity(EntityKind::Class) => matches!(kind, "class" | "struct"),
            Self::Entity(EntityKind::Interface) => matches!(kind, "interface" | "trait"),
            Self::Entity(EntityKind::Type) => matches!(kind, "type" | "enum"),
            // A document is a file, too.
            Self::Entity(EntityKind::File) => matches!(kind, "file" | "document"),
            Self::Entity(wanted) => wanted.as_str() == kind,
        }
    }
}

/// What a walk is told to keep to: words of relationships, of types, or of both.
#[derive(Clone, Debug, Default)]
pub(super) struct WantedTypes {
    relationships: Vec<EdgeKind>,
    kinds: Vec<WantedKind>,
}

impl WantedTypes {
    pub(super) fn read(words: &[String]) -> Result<Self> {
        let mut wanted = Self::default();
        for word in words {
            match (EdgeKind::parse(word.trim()), WantedKind::parse(word)) {
                (Some(relationship), _) => wanted.relationships.push(relationship),
                (None, Some(kind)) => wanted.kinds.push(kind),
                (None, None) => {
                    let relationships = EdgeKind::ALL.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(", ");
                    let kinds = kind_words().collect::<Vec<_>>().join(", ");
                    let reason = format!(
                        "has `{}`, which is no relationship ({relationships}) and no type of an entity ({kinds})",
                        word.trim()
                    );
                    return Err(Error::Parameter { field: "types", reason });
                }
            }
        }
        Ok(wanted)
    }

    /// Whether a relationship is walked along.
    pub(super) fn has_relationship(&self, relationship: EdgeKind) -> bool {
        self.relationships.is_empty() || self.relationships.contains(&relationship)
    }

    /// Whether types of ends are named.
    pub(super) fn has_kinds(&self) -> bool {
        !self.kinds.is_empty()
    }

    /// Whether an end of a type is shown.
    pub(super) fn fits_kind(&self, kind: &str) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|wanted| wanted.fits(kind))
    }
}

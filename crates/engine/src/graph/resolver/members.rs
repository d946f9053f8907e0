//! What types have: members, fields, and the types they are made from.

use super::names::QuickMap;
use std::collections::HashSet;

/// Members of all types of a project.
#[derive(Default)]
pub(super) struct Members {
    /// Type, name and symbol.
    own: Vec<(u32, u32, u32)>,
    /// Type, name, and the file and place of what is said about the field.
    fields: Vec<(u32, u32, u32, u32)>,
    /// Type and what it is made from or keeps the promises of.
    bases: Vec<(u32, u32)>,
    /// Types that something from outside of the project has a part in.
    open: HashSet<u32>,
    /// The type of each member that does not stand in it.
    owners: QuickMap<u32, u32>,
}

impl Members {
    pub(super) fn add_members(&mut self, members: Vec<(u32, u32, u32)>) {
        self.own.extend(members);
        self.own.sort_unstable();
        self.own.dedup();
    }

    pub(super) fn add_fields(&mut self, mut fields: Vec<(u32, u32, u32, u32)>) {
        fields.sort_unstable();
        self.fields = fields;
    }

    pub(super) fn add_bases(&mut self, bases: Vec<(u32, Option<u32>)>) {
        for (of, base) in bases {
            match base {
                Some(base) if base != of => self.bases.push((of, base)),
                Some(_) => {}
                None => {
                    self.open.insert(of);
                }
            }
        }
        // In the order they are written, which is the order they are asked in.
        self.bases.sort_by_key(|(of, _)| *of);
        let mut seen = HashSet::new();
        self.bases.retain(|pair| seen.insert(*pair));
    }

    pub(super) fn add_owner(&mut self, member: u32, owner: u32) {
        self.owners.insert(member, owner);
    }

    /// The members of a name that a type has itself.
    pub(super) fn of(&self, of: u32, name: u32) -> impl DoubleEndedIterator<Item = u32> {
        let start = self.own.partition_point(|(a, b, _)| (*a, *b) < (of, name));
        let length = self.own[start..].partition_point(|(a, b, _)| (*a, *b) <= (of, name));
        self.own[start..start + length].iter().map(|(_, _, symbol)| *symbol)
    }

    /// What is said about a field that a type has itself: files and places.
    pub(super) fn fields(&self, of: u32, name: u32) -> impl Iterator<Item = (u32, u32)> {
        let start = self.fields.partition_point(|(a, b, ..)| (*a, *b) < (of, name));
        let length = self.fields[start..].partition_point(|(a, b, ..)| (*a, *b) <= (of, name));
        self.fields[start..start + length].iter().map(|(_, _, file, binding)| (*file, *binding))
    }

    /// What a type is made from or keeps the promises of, as far as it is in the project.
    pub(super) fn bases(&self, of: u32) -> impl Iterator<Item = u32> {
        let start = self.bases.partition_point(|(a, _)| *a < of);
        self.bases[start..].iter().take_while(move |(a, _)| *a == of).map(|(_, base)| *base)
    }

    /// Whether a type may have members that come from outside of the project.
    pub(super) fn is_open(&self, of: u32) -> bool {
        self.open.contains(&of)
    }

    /// Whether a symbol has members at all.
    pub(super) fn has_any(&self, of: u32) -> bool {
        let member = self.own.partition_point(|(a, ..)| *a < of);
        let field = self.fields.partition_point(|(a, ..)| *a < of);
        self.own.get(member).is_some_and(|it| it.0 == of) || self.fields.get(field).is_some_and(|it| it.0 == of)
    }

    pub(super) fn owner(&self, member: u32) -> Option<u32> {
        self.owners.get(&member).copied()
    }
}

//! What other files can see of a file: where it changed, edges that start elsewhere may lead elsewhere.
//!
//! Resolution follows names, so a change reaches another file only through a name that file mentions. What is seen of
//! a file is therefore kept by name, with the names it rests on in turn: a function that gives back a `Session` looks
//! different when `Session` does. Whatever cannot be told by name counts as seen by all.

use super::bytes::{Damaged, Reader};
use super::uses::{Extension, Node, Taken, Uses};
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use syntax::ReferenceKind;

/// What is seen of one file.
pub(crate) struct Surface {
    entries: Vec<Entry>,
    /// What is not seen by name: the package it says it is in, and what it passes on whole.
    whole: u64,
}

/// One thing that is seen under a name.
struct Entry {
    name: String,
    /// Equal where the thing looks the same.
    look: u64,
    /// The names it rests on.
    rests_on: HashSet<String>,
}

/// What became of a surface.
pub(crate) enum Difference {
    /// These names look different.
    Names(HashSet<String>),
    /// Anything may.
    Anything,
}

/// Whether a file mentions one of some names; damaged bytes mention nothing.
pub(crate) fn mentions(uses: &[u8], names: &HashSet<String>) -> bool {
    let Ok(own) = Reader::new(uses).list(Reader::text) else { return false };
    own.iter().any(|name| names.contains(*name))
}

/// Whether a file mentions another one by its name, as an import of something that is no code would.
pub(crate) fn names_file(uses: &[u8], path: &str) -> bool {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    let stem = file_name.split('.').find(|part| !part.is_empty()).unwrap_or(file_name);
    let Ok(own) = Reader::new(uses).list(Reader::text) else { return false };
    own.iter().any(|name| name.contains(stem))
}

impl Surface {
    pub(crate) fn of(uses: &[u8]) -> Result<Self, Damaged> {
        Ok(Builder::new(&Uses::decode(uses)?).build())
    }

    /// Whether there is anything to see.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How a file looks different after a change.
    pub(crate) fn difference(&self, after: &Self) -> Difference {
        if self.whole != after.whole {
            return Difference::Anything;
        }
        let mut looks: BTreeMap<&str, (Vec<u64>, Vec<u64>)> = BTreeMap::new();
        for entry in &self.entries {
            looks.entry(&entry.name).or_default().0.push(entry.look);
        }
        for entry in &after.entries {
            looks.entry(&entry.name).or_default().1.push(entry.look);
        }
        let changed = looks.into_iter().filter(|(_, (before, after))| before != after);
        Difference::Names(changed.map(|(name, _)| name.to_owned()).collect())
    }

    /// The names of this file that rest on one of some names.
    pub(crate) fn resting_on<'s>(&'s self, names: &'s HashSet<String>) -> impl Iterator<Item = &'s str> {
        let rests = |entry: &&Entry| entry.rests_on.iter().any(|name| names.contains(name));
        self.entries.iter().filter(rests).map(|entry| entry.name.as_str())
    }
}

/// Containers are followed so far outward; deeper nesting is told apart by its inner part.
const DEEPEST: usize = 32;

struct Builder<'u> {
    uses: &'u Uses<'u>,
    /// For each node how it looks.
    looks: Vec<u64>,
    surface: Surface,
}

impl<'u> Builder<'u> {
    fn new(uses: &'u Uses<'u>) -> Self {
        let mut looks: Vec<u64> = Vec::with_capacity(uses.nodes.len());
        for node in &uses.nodes {
            let inner: Vec<u64> = parts(*node).map(|part| looks[part as usize]).collect();
            let name = name(*node).map(|name| uses.names[name as usize]);
            looks.push(digest(&(std::mem::discriminant(node), inner, name)));
        }
        let whole = uses.package.map(|package| uses.names[package as usize]);
        Self { uses, looks, surface: Surface { entries: Vec::new(), whole: digest(&whole) } }
    }

    fn build(mut self) -> Surface {
        let uses = self.uses;
        for at in 0..uses.definitions.len() as u32 {
            let definition = &uses.definitions[at as usize];
            let parent = definition.parent.map(|parent| self.place(parent));
            let look = ("definition", self.place(at), parent, definition.is_written_out());
            self.see(self.called(at), &look, &[]);
        }
        for reference in &uses.references {
            let is_base = matches!(reference.kind, ReferenceKind::Extends | ReferenceKind::Implements);
            if let Some(within) = reference.within.filter(|_| is_base) {
                let look = (reference.kind == ReferenceKind::Extends, self.looks[reference.target as usize]);
                self.see(self.called(within), &("base", look), &[reference.target]);
            }
        }
        for (function, says) in uses.returns.iter().chain(&uses.results) {
            self.see(self.called(*function), &("gives", self.place(*function), self.looks[*says as usize]), &[*says]);
        }
        self.see_bindings();
        self.see_imports();
        for extension in &uses.extensions {
            let nodes: Vec<u32> = std::iter::once(extension.owner).chain(extension.seen_as).collect();
            let looks: Vec<u64> = nodes.iter().map(|node| self.looks[*node as usize]).collect();
            let members: Vec<u64> = extension.members.iter().map(|member| self.place(*member)).collect();
            let seen: HashSet<&str> = extension.members.iter().map(|member| self.called(*member)).collect();
            let owners = self.names_in(&nodes);
            for name in seen.into_iter().map(str::to_owned).chain(owners) {
                self.see(&name, &("extension", &looks, &members), &nodes);
            }
        }
        self.surface
    }

    /// Variables of the file and fields are seen under their names; what is inside of a function only through what it
    /// is seen to give back.
    fn see_bindings(&mut self) {
        let uses = self.uses;
        let telling: HashSet<u32> = uses.results.iter().map(|(function, _)| *function).collect();
        for binding in &uses.bindings {
            let within = binding.within.map(|within| self.place(within));
            let name = uses.names[binding.name as usize];
            let look = (name, binding.is_field, binding.is_type, self.looks[binding.says as usize], within);
            match binding.within {
                Some(within) if !binding.is_field => {
                    if telling.contains(&within) {
                        self.see(self.called(within), &("local", look), &[binding.says]);
                    }
                }
                _ => self.see(name, &("binding", look), &[binding.says]),
            }
            // What a type stands for is seen by who uses the type, and need not be named.
            let around =
                |extension: &&Extension| extension.lines.0 <= binding.line && binding.line <= extension.lines.1;
            for extension in uses.extensions.iter().filter(around).filter(|_| binding.is_field) {
                for owner in self.names_in(&[extension.owner]) {
                    self.see(&owner, &("binding", look), &[binding.says]);
                }
            }
        }
    }

    fn see_imports(&mut self) {
        let uses = self.uses;
        for import in &uses.imports {
            let module = uses.names[import.module as usize];
            let alias = import.alias.map(|alias| uses.names[alias as usize]);
            let (taken, what) = match import.what {
                Taken::Name(name) => (Some(uses.names[name as usize]), 0),
                Taken::Module => (None, 1),
                Taken::All => (None, 2),
            };
            let look = ("import", module, alias, taken, what, import.is_exported);
            if import.what == Taken::All {
                self.surface.whole = digest(&(self.surface.whole, look));
                continue;
            }
            let last = words(module).last();
            let rests_on = taken.into_iter().chain([module]).chain(words(module)).map(str::to_owned).collect();
            for name in [alias.or(taken), last.filter(|_| taken.is_none() && alias.is_none())].into_iter().flatten() {
                let entry = Entry { name: name.to_owned(), look: digest(&look), rests_on: HashSet::clone(&rests_on) };
                self.surface.entries.push(entry);
            }
        }
    }

    fn see(&mut self, name: &str, look: &impl Hash, nodes: &[u32]) {
        let entry = Entry { name: name.to_owned(), look: digest(look), rests_on: self.names_in(nodes) };
        self.surface.entries.push(entry);
    }

    fn called(&self, definition: u32) -> &'u str {
        self.uses.names[self.uses.definitions[definition as usize].name as usize]
    }

    /// A definition by what it is and whom it belongs to, not by its number, which shifts.
    fn place(&self, definition: u32) -> u64 {
        let mut chain = Vec::new();
        let mut next = Some(definition);
        while let Some(at) = next.filter(|_| chain.len() < DEEPEST) {
            let definition = &self.uses.definitions[at as usize];
            let written = definition.chain.map(|chain| self.uses.names[chain as usize]);
            chain.push((self.called(at), definition.kind, written));
            next = definition.container;
        }
        digest(&chain)
    }

    /// Every name in some expressions.
    fn names_in(&self, nodes: &[u32]) -> HashSet<String> {
        let (mut found, mut seen, mut next) = (HashSet::new(), HashSet::new(), nodes.to_vec());
        while let Some(at) = next.pop() {
            if seen.insert(at) {
                let node = self.uses.nodes[at as usize];
                found.extend(name(node).map(|name| self.uses.names[name as usize].to_owned()));
                next.extend(parts(node));
            }
        }
        found
    }
}

/// The expressions an expression is made of.
fn parts(node: Node) -> impl Iterator<Item = u32> {
    let parts = match node {
        Node::Call(of) | Node::New(of) | Node::Item(of) | Node::Member(of, _) => [Some(of), None],
        Node::Of(a, b) | Node::List(a, b) | Node::Either(a, b) => [Some(a), Some(b)],
        Node::Name(_) | Node::This | Node::Super | Node::Literal | Node::Unknown => [None, None],
    };
    parts.into_iter().flatten()
}

/// The name that an expression itself says.
fn name(node: Node) -> Option<u32> {
    match node {
        Node::Name(name) | Node::Member(_, name) => Some(name),
        Node::Call(_)
        | Node::New(_)
        | Node::Item(_)
        | Node::Of(..)
        | Node::List(..)
        | Node::Either(..)
        | Node::This
        | Node::Super
        | Node::Literal
        | Node::Unknown => None,
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

fn digest(look: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    look.hash(&mut hasher);
    hasher.finish()
}

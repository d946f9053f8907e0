//! What other files can see of a file: where it changed, edges that start elsewhere may lead elsewhere.
//!
//! Resolution follows names, so a change reaches another file only through a name that file mentions. What is seen of
//! a file is therefore kept by name, with the names it rests on in turn: a function that gives back a `Session` looks
//! different when `Session` does. What a file passes on whole is not seen by name, and told apart.

use super::names::{Names, words};
use crate::graph::uses::{Extension, Node, Taken, Uses};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use syntax::ReferenceKind;

/// What is seen of one file.
pub(super) struct Surface {
    entries: Vec<Entry>,
    /// The package it says it is in.
    package: Option<u32>,
    /// What it passes on whole: how that looks.
    globs: Vec<u64>,
}

/// One thing that is seen under a name.
struct Entry {
    name: u32,
    /// Equal where the thing looks the same.
    look: u64,
    /// Whether it is only a hint at what a function gives back, which may be the same for other hints.
    is_hint: bool,
    /// The names it rests on.
    rests_on: BTreeSet<u32>,
}

impl Surface {
    pub(super) fn of(uses: &Uses<'_>, names: &Names) -> Self {
        Builder::new(uses, names).build()
    }

    /// Every name that something is seen under.
    pub(super) fn names(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().map(|entry| entry.name)
    }

    pub(super) fn package(&self) -> Option<u32> {
        self.package
    }

    /// Whether it is seen in another package after a change: then everything looks different.
    pub(super) fn is_elsewhere(&self, after: &Self) -> bool {
        self.package != after.package
    }

    /// Whether what is passed on whole is something else after a change.
    pub(super) fn passes_on_other(&self, after: &Self) -> bool {
        self.globs != after.globs
    }

    /// The names that look different after a change.
    pub(super) fn difference(&self, after: &Self) -> Vec<u32> {
        self.different(after, |entry| !entry.is_hint)
    }

    /// The names of functions of which other things hint at what they give back.
    pub(super) fn hinted(&self, after: &Self) -> Vec<u32> {
        self.different(after, |entry| entry.is_hint)
    }

    fn different(&self, after: &Self, is_meant: impl Fn(&Entry) -> bool) -> Vec<u32> {
        let mut looks: BTreeMap<u32, (Vec<u64>, Vec<u64>)> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| is_meant(entry)) {
            looks.entry(entry.name).or_default().0.push(entry.look);
        }
        for entry in after.entries.iter().filter(|entry| is_meant(entry)) {
            looks.entry(entry.name).or_default().1.push(entry.look);
        }
        looks.into_iter().filter(|(_, (before, after))| before != after).map(|(name, _)| name).collect()
    }

    /// The names that rest on one that `is_meant`.
    pub(super) fn resting_on(&self, is_meant: impl Fn(u32) -> bool) -> impl Iterator<Item = u32> {
        let rests = move |entry: &&Entry| entry.rests_on.iter().any(|name| is_meant(*name));
        self.entries.iter().filter(rests).map(|entry| entry.name)
    }
}

/// Containers are followed so far outward; deeper nesting is told apart by its inner part.
const DEEPEST: usize = 32;

struct Builder<'u> {
    uses: &'u Uses<'u>,
    names: &'u Names,
    /// For each node how it looks.
    looks: Vec<u64>,
    surface: Surface,
}

impl<'u> Builder<'u> {
    fn new(uses: &'u Uses<'u>, names: &'u Names) -> Self {
        let mut looks: Vec<u64> = Vec::with_capacity(uses.nodes.len());
        for node in &uses.nodes {
            let inner: Vec<u64> = parts(*node).map(|part| looks[part as usize]).collect();
            looks.push(digest(&(std::mem::discriminant(node), inner, name(*node))));
        }
        let surface = Surface { entries: Vec::new(), package: uses.package, globs: Vec::new() };
        Self { uses, names, looks, surface }
    }

    fn build(mut self) -> Surface {
        let uses = self.uses;
        for at in 0..uses.definitions.len() as u32 {
            let definition = &uses.definitions[at as usize];
            let parent = definition.parent.map(|parent| self.place(parent));
            let look = ("definition", self.place(at), parent, definition.is_prototype);
            self.see(self.called(at), &look, &[]);
        }
        for reference in &uses.references {
            let is_base = matches!(reference.kind, ReferenceKind::Extends | ReferenceKind::Implements);
            if let Some(within) = reference.within.filter(|_| is_base) {
                let look = (reference.kind == ReferenceKind::Extends, self.looks[reference.target as usize]);
                self.see(self.called(within), &("base", look), &[reference.target]);
            }
        }
        for (function, says) in &uses.returns {
            self.see(self.called(*function), &("gives", self.place(*function), self.looks[*says as usize]), &[*says]);
        }
        for (function, says) in &uses.results {
            self.hint(*function, self.looks[*says as usize], *says);
        }
        self.see_bindings();
        self.see_imports();
        for extension in &uses.extensions {
            let nodes: Vec<u32> = std::iter::once(extension.owner).chain(extension.seen_as).collect();
            let looks: Vec<u64> = nodes.iter().map(|node| self.looks[*node as usize]).collect();
            let members: Vec<u64> = extension.members.iter().map(|member| self.place(*member)).collect();
            let seen: BTreeSet<u32> = extension.members.iter().map(|member| self.called(*member)).collect();
            for name in seen.into_iter().chain(self.names_in(&nodes)) {
                self.see(name, &("extension", &looks, &members), &nodes);
            }
        }
        self.surface
    }

    /// Variables of the file and fields are seen under their names; what is inside of a function only through what it
    /// is seen to give back.
    fn see_bindings(&mut self) {
        let uses = self.uses;
        let telling = self.telling();
        for binding in &uses.bindings {
            let within = binding.within.map(|within| self.place(within));
            let look = (binding.name, binding.is_field, binding.is_type, self.looks[binding.says as usize], within);
            match binding.within {
                Some(within) if !binding.is_field => {
                    if telling.get(&within).is_some_and(|names| names.contains(&binding.name)) {
                        self.hint(within, digest(&look), binding.says);
                    }
                }
                _ => self.see(binding.name, &("binding", look), &[binding.says]),
            }
            // What a type stands for is seen by who uses the type, and need not be named.
            let around =
                |extension: &&Extension| extension.lines.0 <= binding.line && binding.line <= extension.lines.1;
            for extension in uses.extensions.iter().filter(around).filter(|_| binding.is_field) {
                for owner in self.names_in(&[extension.owner]) {
                    self.see(owner, &("binding", look), &[binding.says]);
                }
            }
        }
    }

    fn see_imports(&mut self) {
        for import in &self.uses.imports {
            let (taken, what) = match import.what {
                Taken::Name(name) => (Some(name), 0),
                Taken::Module => (None, 1),
                Taken::All => (None, 2),
            };
            let within = import.within.map(|within| self.place(within));
            let look = digest(&("import", import.module, import.alias, taken, what, import.is_exported, within));
            if import.what == Taken::All {
                self.surface.globs.push(look);
                continue;
            }
            let parts = words(self.names.text(import.module)).filter_map(|word| self.names.find(word));
            let parts: Vec<u32> = parts.collect();
            let last = parts.last().copied().filter(|_| taken.is_none() && import.alias.is_none());
            let rests_on: BTreeSet<u32> = taken.into_iter().chain([import.module]).chain(parts).collect();
            for name in [import.alias.or(taken), last].into_iter().flatten() {
                self.surface.entries.push(Entry { name, look, is_hint: false, rests_on: rests_on.clone() });
            }
        }
    }

    /// The variables that what a function is seen to give back comes from.
    fn telling(&self) -> BTreeMap<u32, BTreeSet<u32>> {
        let mut telling: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (function, says) in &self.uses.results {
            telling.entry(*function).or_default().extend(self.names_in(&[*says]));
        }
        let mut is_growing = !telling.is_empty();
        while is_growing {
            is_growing = false;
            for binding in &self.uses.bindings {
                let names = binding.within.and_then(|within| telling.get_mut(&within));
                let Some(names) = names.filter(|names| names.contains(&binding.name)) else { continue };
                let before = names.len();
                names.extend(self.names_in(&[binding.says]));
                is_growing |= names.len() > before;
            }
        }
        telling
    }

    fn see(&mut self, name: u32, look: &impl Hash, nodes: &[u32]) {
        let entry = Entry { name, look: digest(look), is_hint: false, rests_on: self.names_in(nodes) };
        self.surface.entries.push(entry);
    }

    fn hint(&mut self, function: u32, look: u64, says: u32) {
        let (name, look) = (self.called(function), digest(&(self.place(function), look)));
        self.surface.entries.push(Entry { name, look, is_hint: true, rests_on: self.names_in(&[says]) });
    }

    fn called(&self, definition: u32) -> u32 {
        self.uses.definitions[definition as usize].name
    }

    /// A definition by what it is and whom it belongs to, not by its number, which shifts.
    fn place(&self, definition: u32) -> u64 {
        let mut chain = Vec::new();
        let mut next = Some(definition);
        while let Some(at) = next.filter(|_| chain.len() < DEEPEST) {
            let definition = &self.uses.definitions[at as usize];
            chain.push((definition.name, definition.kind, definition.chain));
            next = definition.container;
        }
        digest(&chain)
    }

    /// Every name in some expressions.
    fn names_in(&self, nodes: &[u32]) -> BTreeSet<u32> {
        let (mut found, mut seen, mut next) = (BTreeSet::new(), BTreeSet::new(), nodes.to_vec());
        while let Some(at) = next.pop() {
            if seen.insert(at) {
                let node = self.uses.nodes[at as usize];
                found.extend(name(node));
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

fn digest(look: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    look.hash(&mut hasher);
    hasher.finish()
}

//! Hashes the public API of a file by name: where what other files see of it changes, their edges may lead elsewhere
//! (`invalidation.rs`). Resolution follows names, so a change reaches another file only through a name that file
//! mentions. Each entry has the names it rests on: a function that returns a `Session` looks different when `Session`
//! does. Glob re-exports have no name and are kept separately.

use super::names::{NameInterner, split_words};
use crate::code::graph::uses::{ExpressionNode, FileUses, ImportSelector, InternedExtension, InternedParameter};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use syntax::ReferenceKind;

/// What others see of one file.
pub(super) struct PublicApi {
    entries: Vec<ApiEntry>,
    /// The package that the file declares.
    package: Option<u32>,
    /// Hashes of its glob re-exports.
    globs: Vec<u64>,
}

/// One entry that others see under a name.
struct ApiEntry {
    name: u32,
    /// A hash that is equal where the entry looks the same.
    look: u64,
    /// Whether the entry is a return expression, which may change while the returned type stays the same.
    is_hint: bool,
    /// The names that the entry rests on.
    rests_on: BTreeSet<u32>,
}

impl PublicApi {
    pub(super) fn from_uses(uses: &FileUses<'_>, names: &NameInterner) -> Self {
        ApiBuilder::new(uses, names).build()
    }

    /// Every name that has an entry.
    pub(super) fn entry_names(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().map(|entry| entry.name)
    }

    pub(super) fn package_name(&self) -> Option<u32> {
        self.package
    }

    /// Whether the file is in another package after a change: then every name of it looks different.
    pub(super) fn is_elsewhere(&self, after: &Self) -> bool {
        self.package != after.package
    }

    /// Whether the glob re-exports differ after a change.
    pub(super) fn passes_on_other(&self, after: &Self) -> bool {
        self.globs != after.globs
    }

    /// The names whose entries differ after a change.
    pub(super) fn changed_names(&self, after: &Self) -> Vec<u32> {
        self.compare_entries(after, |entry| !entry.is_hint)
    }

    /// The names of functions whose return expressions differ after a change.
    pub(super) fn changed_hints(&self, after: &Self) -> Vec<u32> {
        self.compare_entries(after, |entry| entry.is_hint)
    }

    fn compare_entries(&self, after: &Self, is_meant: impl Fn(&ApiEntry) -> bool) -> Vec<u32> {
        let mut looks: BTreeMap<u32, (Vec<u64>, Vec<u64>)> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| is_meant(entry)) {
            looks.entry(entry.name).or_default().0.push(entry.look);
        }
        for entry in after.entries.iter().filter(|entry| is_meant(entry)) {
            looks.entry(entry.name).or_default().1.push(entry.look);
        }
        // Lists and not sets: a second overload with the same hash is a change as well.
        looks.into_iter().filter(|(_, (before, after))| before != after).map(|(name, _)| name).collect()
    }

    /// The names whose entries rest on a name for which `is_meant` holds.
    pub(super) fn resting_on(&self, is_meant: impl Fn(u32) -> bool) -> impl Iterator<Item = u32> {
        let rests = move |entry: &&ApiEntry| entry.rests_on.iter().any(|name| is_meant(*name));
        self.entries.iter().filter(rests).map(|entry| entry.name)
    }
}

/// Containers are hashed this far outward; deeper nesting is distinguished by its inner part.
const MAX_HASHED_CONTAINERS: usize = 32;

struct ApiBuilder<'u> {
    uses: &'u FileUses<'u>,
    names: &'u NameInterner,
    /// The hash of each node.
    looks: Vec<u64>,
    surface: PublicApi,
}

impl<'u> ApiBuilder<'u> {
    fn new(uses: &'u FileUses<'u>, names: &'u NameInterner) -> Self {
        let mut looks: Vec<u64> = Vec::with_capacity(uses.nodes.len());
        for node in &uses.nodes {
            // Nodes come after their parts, which `FileUses::decode` checks. Numbers of nodes shift with every edit, so
            // the hash is made of structure and names.
            let inner: Vec<u64> = node_parts(*node).map(|part| looks[part as usize]).collect();
            looks.push(digest_of(&(std::mem::discriminant(node), inner, node_name(*node))));
        }
        let surface = PublicApi { entries: Vec::new(), package: uses.package, globs: Vec::new() };
        Self { uses, names, looks, surface }
    }

    fn build(mut self) -> PublicApi {
        let uses = self.uses;
        for at in 0..uses.definitions.len() as u32 {
            let definition = &uses.definitions[at as usize];
            let parent = definition.parent.map(|parent| self.definition_digest(parent));
            // The word is part of the hash: entries of different kinds must not look equal.
            // Which of several functions of one name is called depends on what each of them takes.
            let parameters = definition.parameters.as_deref().unwrap_or_default();
            let types: Vec<u32> = parameters.iter().map(|parameter| parameter.says).collect();
            let takes = |parameter: &InternedParameter| {
                (self.looks[parameter.says as usize], parameter.is_repeated, parameter.has_default)
            };
            let takes: Vec<_> = parameters.iter().map(takes).collect();
            let look = ("definition", self.definition_digest(at), parent, definition.is_prototype, takes);
            self.add_entry(self.definition_name(at), &look, &types);
        }
        for reference in &uses.references {
            let is_base = matches!(reference.kind, ReferenceKind::Extends | ReferenceKind::Implements);
            if let Some(within) = reference.within.filter(|_| is_base) {
                let look = (reference.kind == ReferenceKind::Extends, self.looks[reference.target as usize]);
                self.add_entry(self.definition_name(within), &("base", look), &[reference.target]);
            }
        }
        for (function, says) in &uses.returns {
            self.add_entry(
                self.definition_name(*function),
                &("gives", self.definition_digest(*function), self.looks[*says as usize]),
                &[*says],
            );
        }
        for (function, says) in &uses.results {
            self.add_hint(*function, self.looks[*says as usize], *says);
        }
        self.see_bindings();
        self.see_imports();
        for extension in &uses.extensions {
            let nodes: Vec<u32> = std::iter::once(extension.owner).chain(extension.seen_as).collect();
            let looks: Vec<u64> = nodes.iter().map(|node| self.looks[*node as usize]).collect();
            let members: Vec<u64> = extension.members.iter().map(|member| self.definition_digest(*member)).collect();
            let seen: BTreeSet<u32> = extension.members.iter().map(|member| self.definition_name(*member)).collect();
            for name in seen.into_iter().chain(self.names_in(&nodes)) {
                self.add_entry(name, &("extension", &looks, &members), &nodes);
            }
        }
        self.surface
    }

    /// Variables of the file and fields are seen under their names; a variable inside of a function only through what
    /// the function returns.
    fn see_bindings(&mut self) {
        let uses = self.uses;
        let telling = self.result_variables();
        for binding in &uses.bindings {
            let within = binding.within.map(|within| self.definition_digest(within));
            let look = (binding.name, binding.is_field, binding.is_type, self.looks[binding.says as usize], within);
            match binding.within {
                Some(within) if !binding.is_field => {
                    if telling.get(&within).is_some_and(|names| names.contains(&binding.name)) {
                        self.add_hint(within, digest_of(&look), binding.says);
                    }
                }
                _ => self.add_entry(binding.name, &("binding", look), &[binding.says]),
            }
            // `type Target = Store;` in an `impl`: code that uses the owner depends on it without a mention of
            // `Target`, so it counts under the owner's name as well.
            let around =
                |extension: &&InternedExtension| extension.lines.0 <= binding.line && binding.line <= extension.lines.1;
            for extension in uses.extensions.iter().filter(around).filter(|_| binding.is_field) {
                for owner in self.names_in(&[extension.owner]) {
                    self.add_entry(owner, &("binding", look), &[binding.says]);
                }
            }
        }
    }

    fn see_imports(&mut self) {
        for import in &self.uses.imports {
            let (taken, what) = match import.what {
                ImportSelector::Name(name) => (Some(name), 0),
                ImportSelector::Module => (None, 1),
                ImportSelector::All => (None, 2),
            };
            let within = import.within.map(|within| self.definition_digest(within));
            let look = digest_of(&("import", import.module, import.alias, taken, what, import.is_exported, within));
            // A glob has no name under which other files could see it.
            if import.what == ImportSelector::All {
                self.surface.globs.push(look);
                continue;
            }
            let parts =
                split_words(self.names.name_text(import.module)).filter_map(|word| self.names.find_number(word));
            let parts: Vec<u32> = parts.collect();
            let last = parts.last().copied().filter(|_| taken.is_none() && import.alias.is_none());
            // A change of any part of the path may lead the import elsewhere.
            let rests_on: BTreeSet<u32> = taken.into_iter().chain([import.module]).chain(parts).collect();
            for name in [import.alias.or(taken), last].into_iter().flatten() {
                self.surface.entries.push(ApiEntry { name, look, is_hint: false, rests_on: rests_on.clone() });
            }
        }
    }

    /// The variables that the return expressions of each function use.
    fn result_variables(&self) -> BTreeMap<u32, BTreeSet<u32>> {
        let mut telling: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (function, says) in &self.uses.results {
            telling.entry(*function).or_default().extend(self.names_in(&[*says]));
        }
        // A returned variable may have its value from another one, so names are added until none is new.
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

    fn add_entry(&mut self, name: u32, look: &impl Hash, nodes: &[u32]) {
        let entry = ApiEntry { name, look: digest_of(look), is_hint: false, rests_on: self.names_in(nodes) };
        self.surface.entries.push(entry);
    }

    fn add_hint(&mut self, function: u32, look: u64, says: u32) {
        let name = self.definition_name(function);
        let look = digest_of(&(self.definition_digest(function), look));
        self.surface.entries.push(ApiEntry { name, look, is_hint: true, rests_on: self.names_in(&[says]) });
    }

    fn definition_name(&self, definition: u32) -> u32 {
        self.uses.definitions[definition as usize].name
    }

    /// A hash of a definition by name, kind and containers; its number shifts with every edit.
    fn definition_digest(&self, definition: u32) -> u64 {
        let mut containers = Vec::new();
        let mut next = Some(definition);
        while let Some(at) = next.filter(|_| containers.len() < MAX_HASHED_CONTAINERS) {
            let definition = &self.uses.definitions[at as usize];
            containers.push((definition.name, definition.kind, definition.qualified_name));
            next = definition.container;
        }
        digest_of(&containers)
    }

    /// Every name in some expressions.
    fn names_in(&self, nodes: &[u32]) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut next = nodes.to_vec();
        while let Some(at) = next.pop() {
            if seen.insert(at) {
                let node = self.uses.nodes[at as usize];
                found.extend(node_name(node));
                next.extend(node_parts(node));
            }
        }
        found
    }
}

/// The expressions an expression is made of.
fn node_parts(node: ExpressionNode) -> impl Iterator<Item = u32> {
    let parts = match node {
        ExpressionNode::Call(of)
        | ExpressionNode::New(of)
        | ExpressionNode::Item(of)
        | ExpressionNode::Member(of, _) => [Some(of), None],
        ExpressionNode::Of(a, b) | ExpressionNode::List(a, b) | ExpressionNode::Either(a, b) => [Some(a), Some(b)],
        ExpressionNode::Name(_)
        | ExpressionNode::This
        | ExpressionNode::Super
        | ExpressionNode::Literal
        | ExpressionNode::Builtin(_)
        | ExpressionNode::Unknown => [None, None],
    };
    parts.into_iter().flatten()
}

/// The name in an expression itself, without its parts.
fn node_name(node: ExpressionNode) -> Option<u32> {
    match node {
        ExpressionNode::Name(name) | ExpressionNode::Member(_, name) | ExpressionNode::Builtin(name) => Some(name),
        ExpressionNode::Call(_)
        | ExpressionNode::New(_)
        | ExpressionNode::Item(_)
        | ExpressionNode::Of(..)
        | ExpressionNode::List(..)
        | ExpressionNode::Either(..)
        | ExpressionNode::This
        | ExpressionNode::Super
        | ExpressionNode::Literal
        | ExpressionNode::Unknown => None,
    }
}

fn digest_of(look: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    look.hash(&mut hasher);
    hasher.finish()
}

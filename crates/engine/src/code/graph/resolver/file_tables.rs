//! One file as resolution holds it: what it defines and uses, with names in the numbers of the project, ordered for
//! lookups.

use super::SymbolAt;
use super::kinds::is_function;
use super::modules::ImportTarget;
use super::names::{NameInterner, QuickMap};
use crate::code::graph::uses::{ExpressionNode, FileUses, ImportSelector, InternedDefinition};
use model::SymbolKind;
use std::collections::HashSet;
use std::ops::Range;
use syntax::ModuleStyle;

/// A file and its tables; without any where it is gone, and its number waits for another one.
#[derive(Default)]
pub(super) struct FileTables {
    pub(super) path: String,
    /// Its language, as a place among all.
    pub(super) language: Option<usize>,
    /// Every name it mentions, in order of number.
    pub(super) mentioned: Vec<u32>,
    /// Bindings are in order of what they stand in, name and line.
    pub(super) uses: FileUses<'static>,
    /// Members that stand in what they belong to: by that, name and place.
    members: Vec<(u32, u32, u32)>,
    /// Definitions by the definition around them and name.
    scopes: Vec<(Option<u32>, u32, u32)>,
    /// Definitions that are given to a type from outside.
    given: HashSet<u32>,
    /// Imports by what they stand in and what they are called here.
    imported: Vec<(Option<u32>, u32, u32)>,
    /// Imports that take everything.
    pub(super) globs: Vec<u32>,
    /// What the module of each import is.
    pub(super) targets: Vec<ImportTarget>,
    /// For imports that make the first part of their module known, what that is.
    pub(super) firsts: Vec<ImportTarget>,
    /// The type that each extension gives members to.
    pub(super) owners: Vec<Option<SymbolAt>>,
    /// The types of the members that are given to one.
    owned: QuickMap<u32, SymbolAt>,
    /// What it says types are made from.
    pub(super) bases: Vec<(SymbolAt, Option<SymbolAt>)>,
}

impl FileTables {
    /// Takes over what was read, under the names of the project.
    pub(super) fn new(
        path: String,
        language: Option<usize>,
        mut uses: FileUses<'static>,
        mut mentioned: Vec<u32>,
    ) -> Self {
        mentioned.sort_unstable();
        mentioned.dedup();
        uses.bindings.sort_by_key(|binding| (binding.within, binding.name, binding.line));
        // What is given to a type from outside is no name of the place where that is done.
        let members = uses.extensions.iter().flat_map(|extension| &extension.members);
        let given: HashSet<u32> = members.copied().collect();
        // Nor is a member of something that is written inside of a function.
        let is_inner = |definition: &InternedDefinition| {
            let parent = definition.parent.map(|parent| uses.definitions[parent as usize].kind);
            definition.kind == SymbolKind::Method && parent.is_some_and(is_function)
        };
        let definitions = uses.definitions.iter().zip(0..);
        let definitions = definitions.filter(|(definition, at)| !given.contains(at) && !is_inner(definition));
        let mut scopes: Vec<_> = definitions.map(|(definition, at)| (definition.parent, definition.name, at)).collect();
        scopes.sort_unstable();
        let holds = |definition: &InternedDefinition| {
            let container = definition.container.filter(|_| definition.parent == definition.container);
            container.filter(|container| !is_function(uses.definitions[*container as usize].kind))
        };
        let members = uses.definitions.iter().zip(0..);
        let members = members.filter_map(|(definition, at)| Some((holds(definition)?, definition.name, at)));
        let mut members: Vec<_> = members.collect();
        members.sort_unstable();
        Self {
            path,
            language,
            mentioned,
            uses,
            members,
            scopes,
            given,
            imported: Vec::new(),
            globs: Vec::new(),
            targets: Vec::new(),
            firsts: Vec::new(),
            owners: Vec::new(),
            owned: QuickMap::default(),
            bases: Vec::new(),
        }
    }

    /// Notes what each import is called in this file: like the package that a directory declares itself to be, where
    /// nothing else is said.
    pub(super) fn name_imports(
        &mut self,
        names: &mut NameInterner,
        style: ModuleStyle,
        package_of: impl Fn(u32) -> Option<u32>,
    ) {
        self.imported.clear();
        self.globs.clear();
        for (import, at) in self.uses.imports.iter().zip(0..) {
            let called = match (import.alias, import.what) {
                (Some(alias), _) => alias,
                (None, ImportSelector::Name(name)) => name,
                (None, ImportSelector::All) => {
                    self.globs.push(at);
                    continue;
                }
                (None, ImportSelector::Module) => {
                    if style == ModuleStyle::Directory
                        && let ImportTarget::Directory(directory) = self.targets[at as usize]
                        && let Some(package) = package_of(directory)
                    {
                        self.imported.push((import.within, package, at));
                        continue;
                    }
                    if style == ModuleStyle::Namespace {
                        self.globs.push(at);
                    }
                    let called = default_name(names.name_text(import.module), style).to_owned();
                    names.intern_name(&called)
                }
            };
            self.imported.push((import.within, called, at));
        }
        self.imported.sort_unstable();
    }

    /// The definitions of a name directly in another definition, or at the top.
    pub(super) fn definitions_named(&self, within: Option<u32>, name: u32) -> impl DoubleEndedIterator<Item = u32> {
        equal_range(&self.scopes, within, name).iter().map(|(_, _, at)| *at)
    }

    /// The members of a name that stand in a definition.
    pub(super) fn members_named(&self, of: u32, name: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.members.partition_point(|(a, b, _)| (*a, *b) < (of, name));
        let named = self.members[start..].iter().take_while(move |(a, b, _)| (*a, *b) == (of, name));
        named.map(|(_, _, place)| *place)
    }

    /// Whether any members stand in a definition.
    pub(super) fn has_members(&self, of: u32) -> bool {
        let start = self.members.partition_point(|(a, ..)| *a < of);
        self.members.get(start).is_some_and(|(a, ..)| *a == of)
    }

    /// Notes the type that each extension gives members to.
    pub(super) fn set_owners(&mut self, owners: Vec<Option<SymbolAt>>) {
        self.owned.clear();
        for (extension, owner) in self.uses.extensions.iter().zip(&owners) {
            let Some(owner) = *owner else { continue };
            self.owned.extend(extension.members.iter().map(|member| (*member, owner)));
        }
        self.owners = owners;
    }

    /// The type that a definition is given to as a member.
    pub(super) fn member_owner(&self, definition: u32) -> Option<SymbolAt> {
        self.owned.get(&definition).copied()
    }

    /// What the imports of the file are called in it.
    pub(super) fn import_names(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.imported.iter().map(|(_, name, import)| (*name, *import))
    }

    /// The imports that a name stands for in a definition, or at the top.
    pub(super) fn imports_named(&self, within: Option<u32>, name: u32) -> impl DoubleEndedIterator<Item = u32> {
        equal_range(&self.imported, within, name).iter().map(|(_, _, at)| *at)
    }

    /// What is said about a name in a definition, or at the top, in order of line.
    pub(super) fn bindings_named(&self, within: Option<u32>, name: u32) -> Range<u32> {
        let bindings = &self.uses.bindings;
        let start = bindings.partition_point(|binding| (binding.within, binding.name) < (within, name));
        let length = bindings[start..].partition_point(|binding| (binding.within, binding.name) <= (within, name));
        start as u32..(start + length) as u32
    }

    /// Whether a definition is given to a type from outside.
    pub(super) fn is_given(&self, definition: u32) -> bool {
        self.given.contains(&definition)
    }

    /// A definition as its id has it after the path.
    pub(super) fn symbol_chain(&self, names: &NameInterner, at: u32) -> String {
        let definition = &self.uses.definitions[at as usize];
        let name = names.name_text(definition.chain.unwrap_or(definition.name));
        match definition.container {
            Some(container) if definition.chain.is_none() => format!("{}.{name}", self.symbol_chain(names, container)),
            _ => name.to_owned(),
        }
    }

    /// The type that is given members around a line.
    pub(super) fn extended_type(&self, line: u32) -> Option<SymbolAt> {
        let extensions = self.uses.extensions.iter().zip(&self.owners);
        let around = extensions.filter(|(extension, _)| extension.lines.0 <= line && line <= extension.lines.1);
        around.max_by_key(|(extension, _)| extension.lines.0).and_then(|(_, owner)| *owner)
    }

    pub(super) fn node_at(&self, place: u32) -> ExpressionNode {
        self.uses.nodes[place as usize]
    }
}

fn equal_range(list: &[(Option<u32>, u32, u32)], within: Option<u32>, name: u32) -> &[(Option<u32>, u32, u32)] {
    let start = list.partition_point(|(scope, called, _)| (*scope, *called) < (within, name));
    let length = list[start..].partition_point(|(scope, called, _)| (*scope, *called) <= (within, name));
    &list[start..start + length]
}

/// What a module is called where it is imported without another name.
fn default_name(module: &str, style: ModuleStyle) -> &str {
    match style {
        // `import a.b` makes `a` known.
        ModuleStyle::Dotted => module.split('.').next().unwrap_or(module),
        ModuleStyle::Directory => {
            let mut parts = module.rsplit('/').filter(|part| !is_version(part));
            let last = parts.next().unwrap_or(module);
            let last = last.split_once(".v").map_or(last, |(name, _)| name);
            last.rsplit('-').next().unwrap_or(last)
        }
        ModuleStyle::Namespace | ModuleStyle::Crate => module.rsplit(['.', ':', '\\']).next().unwrap_or(module),
        ModuleStyle::None | ModuleStyle::Path | ModuleStyle::Specifier => {
            let last = module.rsplit(['/', '.']).find(|part| !part.is_empty());
            last.unwrap_or(module)
        }
    }
}

/// `v2`, the last part of a path of a later version.
fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

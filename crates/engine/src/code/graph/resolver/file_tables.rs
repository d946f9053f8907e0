//! The symbol tables of one file in the resolver: definitions, imports, bindings and references of the file, with
//! interned names, sorted for lookups by scope and name.

use super::SymbolAt;
use super::modules::ImportTarget;
use super::names::{NameInterner, QuickMap};
use crate::code::graph::uses::{ExpressionNode, FileUses, ImportSelector, InternedDefinition};
use model::SymbolKind;
use std::collections::HashSet;
use std::ops::Range;
use syntax::ModuleStyle;

/// A file and its tables; empty once the file is removed and its number waits for another file.
#[derive(Default)]
pub(super) struct FileTables {
    pub(super) path: String,
    /// Its language, as a place among all.
    pub(super) language: Option<usize>,
    /// Every name it mentions, in order of number.
    pub(super) mentioned: Vec<u32>,
    /// Bindings are in order of scope, name and line.
    pub(super) uses: FileUses<'static>,
    /// Members that are written in their owner: owner, name and place.
    members: Vec<(u32, u32, u32)>,
    /// Definitions by the definition around them and name.
    scopes: Vec<(Option<u32>, u32, u32)>,
    /// Definitions that an extension adds to a type.
    given: HashSet<u32>,
    /// Imports by scope and local name.
    imported: Vec<(Option<u32>, u32, u32)>,
    /// Glob imports.
    pub(super) globs: Vec<u32>,
    /// The target of each import's module.
    pub(super) targets: Vec<ImportTarget>,
    /// The target of the first part of each module, for imports that bind that part.
    pub(super) firsts: Vec<ImportTarget>,
    /// The type that each extension adds members to.
    pub(super) owners: Vec<Option<SymbolAt>>,
    /// The types of members that extensions add.
    owned: QuickMap<u32, SymbolAt>,
    /// Types and their bases, as the file states them.
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
        // Bindings are found by a binary search for scope and name, in order of line.
        uses.bindings.sort_by_key(|binding| (binding.within, binding.name, binding.line));
        // `impl User { fn name() }`: `name` is no bare name of the scope around the `impl`.
        let members = uses.extensions.iter().flat_map(|extension| &extension.members);
        let given: HashSet<u32> = members.copied().collect();
        // Neither is a method of a class or object that is written inside of a function.
        let is_inner = |definition: &InternedDefinition| {
            let parent = definition.parent.map(|parent| uses.definitions[parent as usize].kind);
            definition.kind == SymbolKind::Method && parent.is_some_and(SymbolKind::is_function)
        };
        let definitions = uses.definitions.iter().zip(0..);
        let definitions = definitions.filter(|(definition, at)| !given.contains(at) && !is_inner(definition));
        let mut scopes: Vec<_> = definitions.map(|(definition, at)| (definition.parent, definition.name, at)).collect();
        scopes.sort_unstable();
        let holds = |definition: &InternedDefinition| {
            let container = definition.container.filter(|_| definition.parent == definition.container);
            container.filter(|container| !uses.definitions[*container as usize].kind.is_function())
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

    /// Records the local name of each import: the package that a directory declares, where the import gives no alias.
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
                    // Go: `import "example.com/go-yaml"` binds the name of its package clause, which the path need not
                    // show.
                    if style == ModuleStyle::Directory
                        && let ImportTarget::Directory(directory) = self.targets[at as usize]
                        && let Some(package) = package_of(directory)
                    {
                        self.imported.push((import.within, package, at));
                        continue;
                    }
                    // `using A.B;` (C#) brings in every name of the namespace, and `B` can be followed as well.
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

    /// The members with a name that are written in a definition.
    pub(super) fn members_named(&self, of: u32, name: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.members.partition_point(|(a, b, _)| (*a, *b) < (of, name));
        let named = self.members[start..].iter().take_while(move |(a, b, _)| (*a, *b) == (of, name));
        named.map(|(_, _, place)| *place)
    }

    /// Whether any members are written in a definition.
    pub(super) fn has_members(&self, of: u32) -> bool {
        let start = self.members.partition_point(|(a, ..)| *a < of);
        self.members.get(start).is_some_and(|(a, ..)| *a == of)
    }

    /// Records the type that each extension adds members to.
    pub(super) fn set_owners(&mut self, owners: Vec<Option<SymbolAt>>) {
        self.owned.clear();
        for (extension, owner) in self.uses.extensions.iter().zip(&owners) {
            let Some(owner) = *owner else { continue };
            self.owned.extend(extension.members.iter().map(|member| (*member, owner)));
        }
        self.owners = owners;
    }

    /// The type that an extension adds a definition to.
    pub(super) fn member_owner(&self, definition: u32) -> Option<SymbolAt> {
        self.owned.get(&definition).copied()
    }

    /// The local names of the file's imports.
    pub(super) fn import_names(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.imported.iter().map(|(_, name, import)| (*name, *import))
    }

    /// The imports with a local name in a definition, or at the top.
    pub(super) fn imports_named(&self, within: Option<u32>, name: u32) -> impl DoubleEndedIterator<Item = u32> {
        equal_range(&self.imported, within, name).iter().map(|(_, _, at)| *at)
    }

    /// The bindings of a name in a definition, or at the top, in order of line.
    pub(super) fn bindings_named(&self, within: Option<u32>, name: u32) -> Range<u32> {
        let bindings = &self.uses.bindings;
        let start = bindings.partition_point(|binding| (binding.within, binding.name) < (within, name));
        let length = bindings[start..].partition_point(|binding| (binding.within, binding.name) <= (within, name));
        start as u32..(start + length) as u32
    }

    /// Whether an extension adds a definition to a type.
    pub(super) fn is_given(&self, definition: u32) -> bool {
        self.given.contains(&definition)
    }

    /// The qualified name of a definition: its id without the path.
    pub(super) fn qualified_name(&self, names: &NameInterner, at: u32) -> String {
        let definition = &self.uses.definitions[at as usize];
        let name = names.name_text(definition.qualified_name.unwrap_or(definition.name));
        match definition.container {
            Some(container) if definition.qualified_name.is_none() => {
                format!("{}.{name}", self.qualified_name(names, container))
            }
            _ => name.to_owned(),
        }
    }

    /// The type that the extension around a line adds members to.
    pub(super) fn extended_type(&self, line: u32) -> Option<SymbolAt> {
        let extensions = self.uses.extensions.iter().zip(&self.owners);
        let around = extensions.filter(|(extension, _)| extension.lines.0 <= line && line <= extension.lines.1);
        // Of nested extensions the innermost starts last.
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

/// The local name of a module that is imported without an alias.
fn default_name(module: &str, style: ModuleStyle) -> &str {
    match style {
        // `import a.b` makes `a` known.
        ModuleStyle::Dotted => module.split('.').next().unwrap_or(module),
        ModuleStyle::Directory => {
            // `example.com/yaml/v2`, `gopkg.in/yaml.v3` and `example.com/go-yaml` are all called `yaml` by convention;
            // the package clause of an external module cannot be read.
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

//! What other files offer: names of modules, through what they pass on, and the modules that paths lead to.

use super::SymbolAt;
use super::evaluate::{Evaluation, Place};
use super::modules::Target;
use super::names::Names;
use super::paths;
use super::value::{Known, Value};
use crate::graph::uses::Taken;
use model::SymbolKind;
use syntax::ModuleStyle;

/// What a module offers where no name is asked for.
const DEFAULT: [&str; 3] = ["default", "module.exports", "return"];

/// Gives numbers to names that are asked for whether or not a file has them.
pub(super) fn number_fixed(names: &mut Names) {
    for name in DEFAULT {
        names.number(name);
    }
}

/// Whether a name stands for what a module offers as a whole.
pub(super) fn is_default(names: &Names, name: u32) -> bool {
    DEFAULT.contains(&names.text(name))
}

impl Evaluation<'_> {
    /// What an import stands for.
    pub(super) fn import(&mut self, file: u32, at: u32) -> Known {
        let key = (file, at, self.wants_type);
        if let Some(known) = self.imports.get(&key) {
            return known.clone().unwrap_or_else(Known::none);
        }
        self.imports.insert(key, None);
        let known = self.deeper(|this| this.follow(file, at));
        self.imports.insert(key, Some(known.clone()));
        known
    }

    fn follow(&mut self, file: u32, at: u32) -> Known {
        let tables = self.on.file(file);
        let import = &tables.uses.imports[at as usize];
        let module = match tables.targets[at as usize] {
            Target::Outside => return Known::outside(),
            Target::File(found) => Value::File(found),
            Target::Directory(found) => Value::Directory(found),
            Target::Itself => {
                let Taken::Name(name) = import.what else { return Known::none() };
                let place = Place { file, within: None, line: u32::MAX };
                return self.in_scope(name, file, None).or_else(|| self.spoken(file, None, name, place.line));
            }
            Target::ByName => return self.follow_by_name(file, at),
        };
        match import.what {
            // A file that offers no whole is taken for what it offers by name.
            Taken::Name(name) if is_default(&self.on.names, name) => {
                let whole = if let Value::File(found) = module { self.offered(found) } else { Known::none() };
                whole.or_else(|| Known::one(module))
            }
            Taken::Name(name) => self.module_member(&module, name).or_else(Known::outside),
            Taken::Module if import.alias.is_none() && self.style(file) == ModuleStyle::Dotted => {
                as_module(tables.firsts.get(at as usize).copied()).or_else(Known::outside)
            }
            Taken::Module | Taken::All => Known::one(module),
        }
    }

    /// An import whose module is followed name by name.
    fn follow_by_name(&mut self, file: u32, at: u32) -> Known {
        let import = &self.on.file(file).uses.imports[at as usize];
        let module = self.on.names.text(import.module);
        let outer = Place { file, within: import.within, line: import.line };
        let found = if self.style(file) == ModuleStyle::Crate {
            match import.what {
                Taken::Name(name) if module.is_empty() => return self.crate_or_below(name, outer),
                Taken::Name(_) | Taken::Module | Taken::All => {
                    self.wanting(false, |this| this.module_at(module, outer))
                }
            }
        } else {
            self.full_name(file, module)
        };
        match import.what {
            Taken::Name(name) => self.members_of(&found, name).or_else(Known::outside),
            Taken::Module | Taken::All => found.or_else(Known::outside),
        }
    }

    /// What a module offers under a name.
    pub(super) fn module_member(&mut self, module: &Value, name: u32) -> Known {
        self.deeper(|this| match module {
            Value::File(file) => this.file_member(*file, None, name),
            Value::Directory(directory) => this.directory_member(*directory, name),
            Value::Namespace(family, namespace) => this.namespace_member(*family, *namespace, name),
            Value::Symbol(symbol) => this.file_member(symbol.file, Some(symbol.place), name),
            Value::Type(_)
            | Value::Instance(_)
            | Value::Bound(..)
            | Value::Holder(_)
            | Value::Outside
            | Value::Unknown => Known::none(),
        })
    }

    /// What a file, or a module inside of it, offers under a name.
    fn file_member(&mut self, file: u32, scope: Option<u32>, name: u32) -> Known {
        let tables = self.on.file(file);
        let style = self.style(file);
        let passes_on =
            |import: u32| style != ModuleStyle::Specifier || tables.uses.imports[import as usize].is_exported;
        let mut found = self.defined(file, scope, name);
        if found.is_none() {
            for import in tables.imported(scope, name).filter(|import| passes_on(*import)) {
                found.join(self.import(file, import));
            }
        }
        found = found.or_else(|| self.spoken(file, scope, name, u32::MAX));
        if scope.is_none() {
            found = found.or_else(|| self.below_module(name, file));
        }
        let mut found = found.or_else(|| {
            if let Some(found) = self.brought_in(name, file, scope) {
                return found;
            }
            let mut found = Known::none();
            let globs = tables.globs.iter().filter(|glob| tables.uses.imports[**glob as usize].within == scope);
            for glob in globs.filter(|glob| passes_on(**glob)) {
                found.join(self.glob_member(file, *glob, name));
            }
            found
        });
        let offers_whole = matches!(style, ModuleStyle::Specifier | ModuleStyle::Dotted | ModuleStyle::Path);
        if offers_whole && found.is_none() && scope.is_none() && !is_default(&self.on.names, name) {
            let offered = self.offered(file);
            let offered = self.expand(offered);
            found = self.members_of(&offered, name);
            found.values.retain(Value::is_ours);
        }
        found
    }

    /// What a file is when it is imported as a whole.
    pub(super) fn offered(&mut self, file: u32) -> Known {
        let mut found = Known::none();
        for name in DEFAULT.iter().filter_map(|name| self.on.names.find(name)) {
            found = found.or_else(|| self.module_member(&Value::File(file), name));
        }
        found
    }

    /// A name that everything is taken from somewhere for.
    pub(super) fn taken_with_all(&mut self, name: u32, file: u32, scope: Option<u32>) -> Known {
        if let Some(found) = self.brought_in(name, file, scope) {
            return found;
        }
        let tables = self.on.file(file);
        let mut found = Known::none();
        for glob in tables.globs.iter().filter(|glob| tables.uses.imports[**glob as usize].within == scope) {
            found = found.or_else(|| self.glob_member(file, *glob, name));
        }
        found
    }

    fn glob_member(&mut self, file: u32, glob: u32, name: u32) -> Known {
        let key = (file, glob, self.wants_type);
        // A ring of modules that pass on all of each other ends where it began.
        if matches!(self.imports.get(&key), Some(None)) {
            return Known::none();
        }
        let from = self.import(file, glob);
        let before = self.imports.insert(key, None);
        let found = self.members_of(&from, name);
        if let Some(before) = before {
            self.imports.insert(key, before);
        }
        if found.is_ours() { found } else { Known::none() }
    }

    /// A member of each of several modules or types; nothing where none has it.
    fn members_of(&mut self, of: &Known, name: u32) -> Known {
        let mut found = Known::none().at_most(of.sure);
        for value in &of.values {
            found.join(match value {
                Value::File(_) | Value::Directory(_) | Value::Namespace(..) => self.module_member(value, name),
                Value::Symbol(symbol) if self.on.definition(*symbol).kind == SymbolKind::Module => {
                    self.module_member(value, name)
                }
                Value::Symbol(of) | Value::Type(of) | Value::Instance(of) => self.type_member(*of, name),
                Value::Bound(..) | Value::Holder(_) | Value::Outside | Value::Unknown => Known::none(),
            });
        }
        found
    }

    /// A module below a file that is found by where it lies.
    pub(super) fn below_module(&mut self, name: u32, file: u32) -> Known {
        let Some(traits) = self.on.traits(file) else { return Known::none() };
        let text = self.on.names.text(name);
        match traits.style {
            ModuleStyle::Crate => {
                let child = self.on.crates.child(&self.on.paths, file, text);
                child.map_or_else(Known::none, |child| Known::one(Value::File(child)))
            }
            ModuleStyle::Dotted => {
                let path = &self.on.file(file).path;
                let is_index = traits.indexes.iter().any(|index| index == paths::stem(path));
                let below = is_index.then(|| super::modules::below(&self.on.paths, paths::parent(path), text, traits));
                as_module(below.flatten())
            }
            ModuleStyle::None
            | ModuleStyle::Path
            | ModuleStyle::Specifier
            | ModuleStyle::Directory
            | ModuleStyle::Namespace => Known::none(),
        }
    }

    fn directory_member(&mut self, directory: u32, name: u32) -> Known {
        let found = self.in_directory(directory, name, None, None);
        found.or_else(|| {
            let path = self.on.paths.directory_path(directory);
            let text = self.on.names.text(name);
            let dotted = self.on.languages.iter().filter(|traits| traits.style == ModuleStyle::Dotted);
            let mut below = dotted.filter_map(|traits| super::modules::below(&self.on.paths, path, text, traits));
            as_module(below.find(|_| !self.is_package_directory(directory)))
        })
    }

    fn is_package_directory(&self, directory: u32) -> bool {
        let inside = self.on.paths.inside(directory).iter();
        inside.copied().any(|file| self.style(file) == ModuleStyle::Directory)
    }

    /// A name of the files of one directory that are one package, other than `asking`.
    pub(super) fn in_directory(
        &mut self,
        directory: u32,
        name: u32,
        package: Option<u32>,
        asking: Option<u32>,
    ) -> Known {
        let mut found = Known::none();
        let wanted = asking.and_then(|file| self.on.traits(file)).map(|traits| traits.family);
        for file in self.on.paths.inside(directory) {
            let Some(traits) = self.on.traits(*file) else { continue };
            let is_same = match wanted {
                Some(family) => traits.family == family,
                None => traits.style == ModuleStyle::Directory,
            };
            let declares = self.on.file(*file).uses.package;
            if is_same && Some(*file) != asking && (package.is_none() || declares == package) {
                found.join(self.defined(*file, None, name));
            }
        }
        found
    }

    /// The module that a path leads to: `crate::a::b`.
    fn module_at(&mut self, path: &str, place: Place) -> Known {
        let mut parts = path.split("::").map(str::trim).filter(|part| !part.is_empty());
        let Some(first) = parts.next() else { return Known::none() };
        let mut found = match first {
            "self" | "Self" => self.module_around(place),
            _ => match self.on.names.find(first) {
                Some(name) => self.crate_or_below(name, place),
                None => Known::outside(),
            },
        };
        for part in parts {
            found = match self.on.names.find(part) {
                _ if part == "super" => self.above(&found),
                Some(name) => self.members_of(&found, name),
                None => Known::none(),
            };
        }
        found
    }

    /// The first name of a path: a crate of the project, or something in reach.
    fn crate_or_below(&mut self, name: u32, place: Place) -> Known {
        self.other_crate(name, place.file).or_else(|| self.name(name, place))
    }

    /// Another crate of the project.
    pub(super) fn other_crate(&mut self, name: u32, file: u32) -> Known {
        if self.style(file) != ModuleStyle::Crate {
            return Known::none();
        }
        let root = self.on.crates.named(&self.on.paths, file, self.on.names.text(name));
        root.map_or_else(Known::none, |root| Known::one(Value::File(root)))
    }

    /// The module that a place is in.
    pub(super) fn module_around(&self, place: Place) -> Known {
        let definitions = &self.on.file(place.file).uses.definitions;
        let mut at = place.within;
        while let Some(here) = at {
            if definitions[here as usize].kind == SymbolKind::Module {
                return Known::one(Value::Symbol(SymbolAt::new(place.file, here)));
            }
            at = definitions[here as usize].parent;
        }
        Known::one(Value::File(place.file))
    }

    pub(super) fn module_above(&self, place: Place) -> Known {
        let around = self.module_around(place);
        self.above(&around)
    }

    fn above(&self, of: &Known) -> Known {
        let outer = |value: &Value| {
            if let Value::File(file) = value {
                return self.on.crates.parent(&self.on.paths, *file).map(Value::File);
            }
            let SymbolAt { file, place } = value.symbol()?;
            let within = self.on.file(file).uses.definitions[place as usize].parent;
            self.module_around(Place { file, within, line: 0 }).values.pop()
        };
        Known::many(of.values.iter().filter_map(outer))
    }

    /// What a full name leads to: the longest namespace it starts with, and from there member by member.
    fn full_name(&mut self, file: u32, path: &str) -> Known {
        let Some(family) = self.on.traits(file).map(|traits| traits.family) else { return Known::none() };
        let path = super::modules::plain(path);
        let ends = std::iter::once(path.len()).chain(path.rmatch_indices('.').map(|(at, _)| at));
        let known = ends.into_iter().find_map(|end| {
            let namespace = self.on.names.find(&path[..end])?;
            self.on.namespaces.is_known(family, namespace).then_some((end, namespace))
        });
        let (mut found, rest) = match known {
            Some((end, namespace)) => (Known::one(Value::Namespace(family, namespace)), &path[end..]),
            None => return self.top_of_project(file, family, &path),
        };
        for part in rest.split('.').filter(|part| !part.is_empty()) {
            let Some(name) = self.on.names.find(part) else { return Known::none() };
            found = self.members_of(&found, name);
        }
        found
    }

    /// What stands in no namespace, by its name alone.
    fn top_of_project(&mut self, file: u32, family: u32, path: &str) -> Known {
        let mut parts = path.split('.');
        let first = parts.next().and_then(|part| self.on.names.find(part));
        let Some(first) = first else { return Known::none() };
        let all = self.on.tops(family, first);
        let all = all.into_iter().filter(|symbol| self.on.namespaces.package(symbol.file).is_none());
        let mut found = self.one_of(all.collect(), file);
        for part in parts {
            let Some(name) = self.on.names.find(part) else { return Known::none() };
            found = self.members_of(&found, name);
        }
        found
    }

    fn namespace_member(&mut self, family: u32, namespace: u32, name: u32) -> Known {
        let members = self.on.namespaces.members(family, namespace, name).to_vec();
        let (asking, _) = self.on.namespaces.places(family, namespace).first().copied().unwrap_or_default();
        let found = self.one_of(members, asking);
        let found = found.or_else(|| {
            let (outer, inner) = (self.on.names.text(namespace), self.on.names.text(name));
            let below = self.on.names.find(&format!("{outer}.{inner}"));
            let below = below.filter(|below| self.on.namespaces.is_known(family, *below));
            below.map_or_else(Known::none, |below| Known::one(Value::Namespace(family, below)))
        });
        // A module that is one file may pass on what it takes from others.
        found.or_else(|| match self.on.namespaces.places(family, namespace) {
            [(file, None)] if self.on.traits(*file).is_some_and(|traits| !traits.has_implicit_this) => {
                self.taken_with_all(name, *file, None)
            }
            _ => Known::none(),
        })
    }

    /// A name of the namespace that code is in, or of one around it.
    pub(super) fn in_namespaces(&mut self, family: u32, namespace: u32, name: u32, asking: u32) -> Known {
        let text = self.on.names.text(namespace);
        let ends = std::iter::once(text.len()).chain(text.rmatch_indices('.').map(|(at, _)| at));
        for end in ends {
            let Some(outer) = self.on.names.find(&text[..end]) else { continue };
            let members = self.on.namespaces.members(family, outer, name).to_vec();
            let found = self.one_of(members, asking).or_else(|| {
                let below = self.on.names.find(&format!("{}.{}", &text[..end], self.on.names.text(name)));
                let below = below.filter(|below| self.on.namespaces.is_known(family, *below));
                below.map_or_else(Known::none, |below| Known::one(Value::Namespace(family, below)))
            });
            if !found.is_none() {
                return found;
            }
        }
        Known::none()
    }
}

/// A file or directory as a module.
fn as_module(target: Option<Target>) -> Known {
    match target {
        Some(Target::File(found)) => Known::one(Value::File(found)),
        Some(Target::Directory(found)) => Known::one(Value::Directory(found)),
        Some(Target::Itself | Target::ByName | Target::Outside) | None => Known::none(),
    }
}

//! Namespaces and packages: what files declare all or parts of themselves to be in, and what is found there by name.
//!
//! Languages write full names in their own ways, `a.b`, `a::b`, `a\b`; here they are all `a.b`.

use crate::graph::resolver::file::File;
use crate::graph::resolver::names::{Names, QuickMap};
use crate::graph::resolver::traits::Traits;
use model::SymbolKind;
use std::collections::HashSet;
use syntax::ModuleStyle;

/// A file, and the module in it that is meant, where that is not all of it.
type Declared = (u32, Option<u32>);

/// Everything that is declared in some namespace.
#[derive(Default)]
pub(in crate::graph::resolver) struct Namespaces {
    /// Symbols by family of languages, namespace and name.
    members: QuickMap<(u32, u32, u32), Vec<u32>>,
    /// Where a namespace is declared, by family and full name.
    places: QuickMap<(u32, u32), Vec<Declared>>,
    /// The full names of modules inside of files.
    modules: QuickMap<u32, u32>,
    /// The full names of what files are in as a whole.
    packages: QuickMap<u32, u32>,
    /// Every namespace, and everything that some namespace is below.
    known: HashSet<(u32, u32)>,
}

impl Namespaces {
    pub(in crate::graph::resolver) fn new(files: &[File], languages: &[Traits], names: &mut Names) -> Self {
        let mut all = Self::default();
        for (file, at) in files.iter().zip(0..) {
            let Some(traits) = file.language.map(|language| &languages[language]) else { continue };
            if matches!(traits.style, ModuleStyle::Namespace | ModuleStyle::Path) {
                all.add(file, at, traits, names);
            }
        }
        all
    }

    fn add(&mut self, file: &File, at: u32, traits: &Traits, names: &mut Names) {
        let package = file.uses.package.map(|package| plain(names.text(package)));
        if let Some(package) = &package {
            let full = self.declare(traits.family, package, names);
            self.packages.insert(at, full);
            self.places.entry((traits.family, full)).or_default().push((at, None));
        }
        for (definition, place) in file.uses.definitions.iter().zip(0..) {
            if definition.kind == SymbolKind::Module {
                let chain = plain(file.chain(names, place).split('~').next().unwrap_or_default());
                let full = match &package {
                    Some(package) => format!("{package}.{chain}"),
                    None => chain,
                };
                let full = self.declare(traits.family, &full, names);
                self.modules.insert(file.first + place, full);
                self.places.entry((traits.family, full)).or_default().push((at, Some(place)));
            }
        }
        for (definition, place) in file.uses.definitions.iter().zip(0..) {
            let namespace = match definition.parent {
                Some(parent) => self.modules.get(&(file.first + parent)).copied(),
                None => self.packages.get(&at).copied(),
            };
            if let Some(namespace) = namespace.filter(|_| !file.is_given(place)) {
                let key = (traits.family, namespace, definition.name);
                self.members.entry(key).or_default().push(file.first + place);
            }
        }
    }

    fn declare(&mut self, family: u32, full: &str, names: &mut Names) -> u32 {
        let number = names.number(full);
        if self.known.insert((family, number)) {
            for (end, _) in full.match_indices('.') {
                let outer = names.number(&full[..end]);
                self.known.insert((family, outer));
            }
        }
        number
    }

    /// What a namespace has under a name.
    pub(in crate::graph::resolver) fn members(&self, family: u32, namespace: u32, name: u32) -> &[u32] {
        self.members.get(&(family, namespace, name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// Where a namespace is declared.
    pub(in crate::graph::resolver) fn places(&self, family: u32, namespace: u32) -> &[Declared] {
        self.places.get(&(family, namespace)).map(Vec::as_slice).unwrap_or_default()
    }

    /// The full name of a module inside of a file.
    pub(in crate::graph::resolver) fn module(&self, symbol: u32) -> Option<u32> {
        self.modules.get(&symbol).copied()
    }

    /// The full name of what a file is in as a whole.
    pub(in crate::graph::resolver) fn package(&self, file: u32) -> Option<u32> {
        self.packages.get(&file).copied()
    }

    pub(in crate::graph::resolver) fn is_known(&self, family: u32, namespace: u32) -> bool {
        self.known.contains(&(family, namespace))
    }
}

/// A full name with dots between its parts.
pub(in crate::graph::resolver) fn plain(name: &str) -> String {
    name.split(['.', ':', '\\', '/']).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

//! The project-wide index of symbols by name, for uses whose owner (the type of the receiver) is unknown: such a use is
//! resolved if only one symbol of the project has its name.

use super::SymbolAt;
use super::file_tables::FileTables;
use super::language_traits::LanguageTraits;
use super::names::QuickMap;
use super::paths::PathIndex;
use model::SymbolKind;
use syntax::ModuleStyle;

/// Every symbol of a project by name, in order.
#[derive(Default)]
pub(super) struct SymbolsByName {
    /// Symbols by family of languages and name.
    by_name: QuickMap<(u32, u32), Vec<SymbolAt>>,
    /// Functions that extensions add to types from outside of the project, by family and name.
    given: QuickMap<(u32, u32), Vec<SymbolAt>>,
}

impl SymbolsByName {
    pub(super) fn add_file(&mut self, at: u32, file: &FileTables, traits: &LanguageTraits, paths: &PathIndex) {
        for (name, place) in visible_names(file) {
            let symbols = self.by_name.entry((traits.family, name)).or_default();
            paths.insert_symbol(symbols, SymbolAt { file: at, place });
        }
    }

    pub(super) fn remove_file(&mut self, at: u32, file: &FileTables, traits: &LanguageTraits) {
        for (name, _) in visible_names(file) {
            remove_symbols(&mut self.by_name, (traits.family, name), at);
        }
    }

    /// Records what a file adds to types from outside of the project, once owners are known.
    pub(super) fn add_given(&mut self, at: u32, file: &FileTables, traits: &LanguageTraits, paths: &PathIndex) {
        for (name, place) in given_outside(file, traits) {
            let symbols = self.given.entry((traits.family, name)).or_default();
            paths.insert_symbol(symbols, SymbolAt { file: at, place });
        }
    }

    pub(super) fn remove_given(&mut self, at: u32, file: &FileTables, traits: &LanguageTraits) {
        for (name, _) in given_outside(file, traits) {
            remove_symbols(&mut self.given, (traits.family, name), at);
        }
    }

    /// The functions with a name that extensions add to types from outside of the project.
    pub(super) fn external_extensions(&self, family: u32, name: u32) -> &[SymbolAt] {
        self.given.get(&(family, name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// The symbols with a name in a family of languages.
    pub(super) fn symbols_named(&self, family: u32, name: u32) -> &[SymbolAt] {
        self.by_name.get(&(family, name)).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Definitions that other files may mean by their name: names and places.
fn visible_names(file: &FileTables) -> impl Iterator<Item = (u32, u32)> + '_ {
    let definitions = &file.uses.definitions;
    definitions.iter().zip(0..).filter_map(|(definition, place)| {
        let is_local = definition.parent.is_some_and(|parent| definitions[parent as usize].kind.is_function());
        // `return { run() {} }`: a method inside of a function belongs to an object that can leave the function.
        (!is_local || definition.kind == SymbolKind::Method).then_some((definition.name, place))
    })
}

/// Functions that extensions add to types from outside of the project: names and places.
fn given_outside<'f>(file: &'f FileTables, traits: &LanguageTraits) -> impl Iterator<Item = (u32, u32)> + 'f {
    // In other styles an owner that was not found is an object that the resolver does not follow (JavaScript), or one
    // of many types that implement the same trait (Rust).
    let counts = matches!(traits.style, ModuleStyle::Namespace | ModuleStyle::None);
    let outside = file.uses.extensions.iter().zip(&file.owners).filter(move |(_, owner)| counts && owner.is_none());
    outside.flat_map(|(extension, _)| &extension.members).filter_map(|member| {
        let definition = &file.uses.definitions[*member as usize];
        definition.kind.is_function().then_some((definition.name, *member))
    })
}

fn remove_symbols(map: &mut QuickMap<(u32, u32), Vec<SymbolAt>>, key: (u32, u32), file: u32) {
    if let Some(symbols) = map.get_mut(&key) {
        symbols.retain(|symbol| symbol.file != file);
        if symbols.is_empty() {
            map.remove(&key);
        }
    }
}

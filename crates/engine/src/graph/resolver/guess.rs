//! Names without a known owner: what in the project is called so.

use super::build::is_function;
use super::file::File;
use super::names::QuickMap;
use super::traits::Traits;
use model::SymbolKind;
use syntax::ModuleStyle;

/// Everything of a project by what it is called.
#[derive(Default)]
pub(super) struct Guesses {
    /// Symbols by family of languages and name, in order of number.
    by_name: QuickMap<(u32, u32), Vec<u32>>,
    /// Functions that are given to something from outside of the project, by family and name.
    given: QuickMap<(u32, u32), Vec<u32>>,
}

impl Guesses {
    pub(super) fn new(files: &[File], languages: &[Traits]) -> Self {
        let mut all = Self::default();
        for file in files {
            let Some(traits) = file.language.map(|at| &languages[at]) else { continue };
            for (definition, at) in file.uses.definitions.iter().zip(0..) {
                let is_local =
                    definition.parent.is_some_and(|parent| is_function(file.uses.definitions[parent as usize].kind));
                if !is_local || definition.kind == SymbolKind::Method {
                    all.by_name.entry((traits.family, definition.name)).or_default().push(file.first + at);
                }
            }
        }
        all
    }

    /// Notes what is given to types that are not in the project, once it is known which are.
    pub(super) fn add_given(&mut self, files: &[File], languages: &[Traits]) {
        for file in files {
            let Some(traits) = file.language.map(|at| &languages[at]) else { continue };
            // Elsewhere it is an object that nobody follows, or one of many that keep the same promise.
            if !matches!(traits.style, ModuleStyle::Namespace | ModuleStyle::None) {
                continue;
            }
            let outside = file.uses.extensions.iter().zip(&file.owners).filter(|(_, owner)| owner.is_none());
            for member in outside.flat_map(|(extension, _)| &extension.members) {
                let definition = &file.uses.definitions[*member as usize];
                if is_function(definition.kind) {
                    self.given.entry((traits.family, definition.name)).or_default().push(file.first + member);
                }
            }
        }
    }

    /// What is given to something from outside of the project under a name.
    pub(super) fn given(&self, family: u32, name: u32) -> &[u32] {
        self.given.get(&(family, name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// What is called so in a family of languages.
    pub(super) fn called(&self, family: u32, name: u32) -> &[u32] {
        self.by_name.get(&(family, name)).map(Vec::as_slice).unwrap_or_default()
    }

    /// The same, as far as it stands at the top of its file.
    pub(super) fn tops(&self, files: &[File], family: u32, name: u32) -> Vec<u32> {
        let is_top = |symbol: &u32| {
            let file = &files[files.partition_point(|file| file.first <= *symbol) - 1];
            let definition = &file.uses.definitions[(*symbol - file.first) as usize];
            definition.parent.is_none() && definition.container.is_none()
        };
        self.called(family, name).iter().copied().filter(is_top).collect()
    }
}

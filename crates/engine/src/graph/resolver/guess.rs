//! Names without a known owner: what in the project is called so.

use super::build::is_function;
use super::file::File;
use super::names::QuickMap;
use super::traits::Traits;
use model::SymbolKind;

/// Everything of a project by what it is called.
#[derive(Default)]
pub(super) struct Guesses {
    /// Symbols by family of languages and name, in order of number.
    by_name: QuickMap<(u32, u32), Vec<u32>>,
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

//! Infers what files state about types, for the member table: which type each extension or `impl` block adds members
//! to, fields, and base types.
//!
//! Inference runs in stages over all of these files, and each stage uses the results of the ones before it. What other
//! files state stays as it is.

use super::evaluator::{ExpressionEvaluator, ExpressionSite};
use super::members::TypeContributions;
use super::value::AbstractValue;
use super::{InferenceStage, Resolver, SymbolAt};
use rayon::prelude::*;
use syntax::ReferenceKind;

impl Resolver {
    /// Removes what a file states about types.
    pub(super) fn forget_types(&mut self, file: u32) {
        let said = self.type_contributions(file);
        self.members.remove_said(file, &said);
        self.members.remove_bases(file, &self.files[file as usize].bases);
        if let Some(language) = self.file_tables(file).language {
            self.guesses.remove_given(file, &self.files[file as usize], &self.languages[language]);
        }
    }

    /// Infers what some files state about types.
    pub(super) fn infer_types(&mut self, files: &[u32]) {
        let asked = &*self;
        // Owners come first: the fields in an `impl` and the bases that it states are recorded under its owner.
        let owners: Vec<_> = files.par_iter().map(|file| extension_owners(asked, *file)).collect();
        for (file, owners) in files.iter().zip(owners) {
            self.files[*file as usize].set_owners(owners);
        }
        for file in files {
            let said = self.type_contributions(*file);
            self.members.add_said(*file, &said, &self.paths);
            if let Some(language) = self.file_tables(*file).language {
                let tables = &self.files[*file as usize];
                self.guesses.add_given(*file, tables, &self.languages[language], &self.paths);
            }
        }
        let asked = &*self;
        // Bases come last: the name of a base may be reached through a member or a field.
        let bases: Vec<_> = files.par_iter().map(|file| declared_bases(asked, *file)).collect();
        for (file, bases) in files.iter().zip(bases) {
            self.members.add_bases(*file, &bases, &self.paths);
            self.files[*file as usize].bases = bases;
        }
    }

    /// The members that a file adds to types, and its fields, wherever in their type they are stated.
    fn type_contributions(&self, file: u32) -> TypeContributions {
        let tables = self.file_tables(file);
        let mut said = TypeContributions::default();
        for (extension, owner) in tables.uses.extensions.iter().zip(&tables.owners) {
            let Some(owner) = *owner else { continue };
            said.given.extend(
                extension
                    .members
                    .iter()
                    .map(|&place| (owner, tables.uses.definitions[place as usize].name, SymbolAt { file, place })),
            );
        }
        for (binding, place) in tables.uses.bindings.iter().zip(0..).filter(|(binding, _)| binding.is_field) {
            let inside = binding.within.and_then(|within| self.type_around(file, within, InferenceStage::Given));
            // `type Target = Store;` is written in an `impl` and in no definition, so its line has to say which `impl` that
            // is.
            if let Some(of) = inside.or_else(|| tables.extended_type(binding.line)) {
                said.fields.push((of, binding.name, place));
            }
        }
        said
    }
}

/// The types that a file adds members to.
fn extension_owners(resolver: &Resolver, file: u32) -> Vec<Option<SymbolAt>> {
    let mut evaluation = ExpressionEvaluator::of_file(resolver, InferenceStage::Own, file);
    let extensions = resolver.file_tables(file).uses.extensions.iter();
    extensions.map(|extension| evaluation.extended_type(file, extension)).collect()
}

/// The bases and interfaces of types that a file states.
fn declared_bases(resolver: &Resolver, file: u32) -> Vec<(SymbolAt, Option<SymbolAt>)> {
    let tables = resolver.file_tables(file);
    let mut evaluation = ExpressionEvaluator::of_file(resolver, InferenceStage::Given, file);
    let mut found = Vec::new();
    for reference in &tables.uses.references {
        let is_base = matches!(reference.kind, ReferenceKind::Extends | ReferenceKind::Implements);
        let Some(within) = reference.within.filter(|_| is_base) else { continue };
        let Some(of) = resolver.type_around(file, within, InferenceStage::Given) else { continue };
        // `class A extends Base`: the base is looked up in the scope around the class.
        let place =
            ExpressionSite { file, within: tables.uses.definitions[within as usize].parent, line: reference.line };
        evaluation.reset_fuel();
        push_bases(&mut found, of, &evaluation.base_value(reference.target, place).values);
    }
    for (extension, of) in tables.uses.extensions.iter().zip(&tables.owners) {
        let (Some(seen_as), Some(of)) = (extension.seen_as, *of) else { continue };
        let place = evaluation.place_of(file, extension);
        evaluation.reset_fuel();
        push_bases(&mut found, of, &evaluation.evaluate_type(seen_as, place).values);
    }
    found
}

/// A base that is no type of the project is kept as `None`: it may have members that the resolver does not know.
fn push_bases(found: &mut Vec<(SymbolAt, Option<SymbolAt>)>, of: SymbolAt, values: &[AbstractValue]) {
    found.extend(values.iter().map(|value| (of, value.symbol())));
}

//! From the bytes of all files to the tables that resolution asks.
//!
//! In steps, each of which uses what the ones before it made: names and scopes of each file, modules of imports, types
//! of members that stand outside of them, bases of types.

use super::evaluate::{Evaluation, Place};
use super::file::File;
use super::guess::Guesses;
use super::members::Members;
use super::modules::{Crates, Modules, Namespaces, Target};
use super::names::Names;
use super::paths::Paths;
use super::traits::Traits;
use super::value::Value;
use super::{Manifest, Resolver, SourceFile};
use crate::graph::uses::Uses;
use rayon::prelude::*;
use std::collections::BTreeSet;
use syntax::{ModuleStyle, ReferenceKind};

pub(super) fn build(sources: Vec<SourceFile>, manifests: &[Manifest]) -> Resolver {
    let mut names = Names::default();
    let languages = Traits::all(&mut names);
    let mut files = read(&sources, &languages, &mut names);
    name_parts_of_modules(&files, &mut names);
    drop(sources);
    let paths = Paths::new(files.iter().map(|file| file.path.as_str()));
    let described: Vec<(&str, Option<&Traits>)> =
        files.iter().map(|file| (file.path.as_str(), file.language.map(|at| &languages[at]))).collect();
    let modules = Modules::new(manifests, &paths, &described);
    let has_crates = |(_, traits): &(&str, Option<&Traits>)| traits.is_some_and(|it| it.style == ModuleStyle::Crate);
    let in_crates = described.iter().zip(0..).filter(|(it, _)| has_crates(it)).map(|((path, _), at)| (at, *path));
    let crates = Crates::new(manifests, &paths, in_crates);
    let targets: Vec<Vec<Target>> = files
        .par_iter()
        .map(|file| {
            let Some(traits) = file.language.map(|at| &languages[at]) else { return Vec::new() };
            let target = |module: u32| modules.target(&paths, &file.path, traits, names.text(module));
            file.uses.imports.iter().map(|import| target(import.module)).collect()
        })
        .collect();
    let namespaces = Namespaces::new(&files, &languages, &mut names);
    let packages: Vec<Option<u32>> = files.iter().map(|file| file.uses.package).collect();
    for (file, targets) in files.iter_mut().zip(targets) {
        let style = file.language.map_or(ModuleStyle::None, |at| languages[at].style);
        file.name_imports(&mut names, style, targets, |directory| {
            paths.inside(directory).iter().find_map(|file| packages[*file as usize])
        });
    }
    let guesses = Guesses::new(&files, &languages);
    let members = Members::default();
    let mut resolver = Resolver { names, languages, files, paths, modules, crates, namespaces, members, guesses };
    add_members(&mut resolver);
    add_extensions(&mut resolver);
    resolver.guesses.add_given(&resolver.files, &resolver.languages);
    add_fields(&mut resolver);
    add_bases(&mut resolver);
    resolver
}

/// Reads all files, and gives every name its number.
fn read(sources: &[SourceFile], languages: &[Traits], names: &mut Names) -> Vec<File> {
    let uses: Vec<Option<Uses>> = sources.par_iter().map(|source| Uses::decode(&source.uses).ok()).collect();
    let mut first = 0;
    let mut files = Vec::with_capacity(sources.len());
    for (source, uses) in sources.iter().zip(uses) {
        let language = source.language.as_ref().and_then(|name| languages.iter().position(|it| it.name == name));
        let uses = uses.unwrap_or_default();
        let numbers: Vec<u32> = uses.names.iter().map(|name| names.number(name)).collect();
        let mut file = File::new(source.path.clone(), language, uses.renamed(&numbers));
        file.first = first;
        first += file.uses.definitions.len() as u32;
        files.push(file);
    }
    files
}

/// A module is followed part by part, and a part may be named nowhere else.
fn name_parts_of_modules(files: &[File], names: &mut Names) {
    let modules: BTreeSet<u32> = files.iter().flat_map(|file| &file.uses.imports).map(|import| import.module).collect();
    for module in modules {
        let text = names.text(module).to_owned();
        for part in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty()) {
            names.number(part);
        }
    }
}

/// Members that stand in what they belong to.
fn add_members(resolver: &mut Resolver) {
    let members = resolver.files.par_iter().flat_map_iter(|file| {
        let definitions = &file.uses.definitions;
        definitions.iter().zip(0..).filter_map(move |(definition, at)| {
            let container = definition.container?;
            let holds = definition.parent == Some(container) && !is_function(definitions[container as usize].kind);
            holds.then_some((file.first + container, definition.name, file.first + at))
        })
    });
    let members = members.collect();
    resolver.members.add_members(members);
}

/// Members that are given to a type elsewhere.
fn add_extensions(resolver: &mut Resolver) {
    let asked = &*resolver;
    let owners: Vec<Vec<Option<u32>>> = (0..asked.files.len() as u32)
        .into_par_iter()
        .map(|at| {
            let mut evaluation = Evaluation::new(asked);
            asked.file(at).uses.extensions.iter().map(|extension| evaluation.owner(at, extension)).collect()
        })
        .collect();
    let mut members = Vec::new();
    for (file, owners) in resolver.files.iter_mut().zip(owners) {
        for (extension, owner) in file.uses.extensions.iter().zip(&owners) {
            let Some(owner) = *owner else { continue };
            for member in &extension.members {
                resolver.members.add_owner(file.first + member, owner);
                members.push((owner, file.uses.definitions[*member as usize].name, file.first + member));
            }
        }
        file.owners = owners;
    }
    resolver.members.add_members(members);
}

/// Fields, wherever in their type they are told of.
fn add_fields(resolver: &mut Resolver) {
    let asked = &*resolver;
    let fields = (0..asked.files.len() as u32)
        .into_par_iter()
        .flat_map_iter(|at| {
            let bindings = asked.file(at).uses.bindings.iter().zip(0..);
            let fields = bindings.filter(|(binding, _)| binding.is_field);
            fields.filter_map(move |(binding, place)| {
                let inside = binding.within.and_then(|within| asked.type_around(at, within));
                let of = inside.or_else(|| asked.file(at).extended(binding.line))?;
                Some((of, binding.name, at, place))
            })
        })
        .collect();
    resolver.members.add_fields(fields);
}

/// What types are made from and keep the promises of.
fn add_bases(resolver: &mut Resolver) {
    let asked = &*resolver;
    let bases: Vec<(u32, Option<u32>)> = (0..asked.files.len() as u32)
        .into_par_iter()
        .flat_map_iter(|at| {
            let file = asked.file(at);
            let mut evaluation = Evaluation::new(asked);
            let mut found = Vec::new();
            for reference in &file.uses.references {
                let is_base = matches!(reference.kind, ReferenceKind::Extends | ReferenceKind::Implements);
                let Some(within) = reference.within.filter(|_| is_base) else { continue };
                let Some(of) = asked.type_around(at, within) else { continue };
                let place =
                    Place { file: at, within: file.uses.definitions[within as usize].parent, line: reference.line };
                push_bases(&mut found, of, &evaluation.typed(reference.target, place).values);
            }
            for (extension, of) in file.uses.extensions.iter().zip(&file.owners) {
                let (Some(seen_as), Some(of)) = (extension.seen_as, *of) else { continue };
                let place = evaluation.place_of(at, extension);
                push_bases(&mut found, of, &evaluation.typed(seen_as, place).values);
            }
            found
        })
        .collect();
    resolver.members.add_bases(bases);
}

/// What is no type of the project may have members that nobody here knows.
fn push_bases(found: &mut Vec<(u32, Option<u32>)>, of: u32, values: &[Value]) {
    found.extend(values.iter().map(|value| (of, value.symbol())));
}

pub(super) fn is_function(kind: model::SymbolKind) -> bool {
    use model::SymbolKind::{Function, Macro, Method};
    matches!(kind, Function | Method | Macro)
}

pub(super) fn is_type(kind: model::SymbolKind) -> bool {
    use model::SymbolKind::{Class, Enum, Interface, Struct, Trait, Type};
    matches!(kind, Class | Struct | Enum | Interface | Trait | Type)
}

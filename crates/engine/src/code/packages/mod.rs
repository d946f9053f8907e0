//! The packages of a project: what its manifests publish and need, and where its code uses a package of another project.
//! Names of packages are all that two projects have in common, so nothing of one has to be indexed for the other.

mod manifest;

use super::CodeContext;
use super::graph::{OutsideImport, find_outside_imports, innermost_symbol};
use super::graph_load::load_graph;
use super::index::refresh_index;
use super::relate::{NamedNode, RelationKind};
use crate::base::{Project, Result, confined_file, run_blocking};
use manifest::{Ecosystem, ecosystem_of, read_manifest};
use model::Confidence;
use std::collections::BTreeMap;
use std::path::Path;
use store::FileRecordKind;
use syntax::ReferenceKind;

/// A longer manifest is none that people wrote.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// So many manifests of one project are read.
const MOST_MANIFESTS: usize = 500;

/// A package that a project publishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishedPackage {
    pub(crate) ecosystem: Ecosystem,
    /// As its manifest has it.
    pub(crate) name: String,
    /// What its code is imported as, where that is not the name.
    modules: Vec<String>,
}

/// Packages that a project publishes and needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct PackageTable {
    pub(crate) published: Vec<PublishedPackage>,
    /// By kind and name, in the form in which names are compared: the manifest that needs it.
    needed: BTreeMap<(Ecosystem, String), String>,
}

impl PackageTable {
    /// The manifest that needs a package, if one does.
    pub(crate) fn manifest_that_needs(&self, package: &PublishedPackage) -> Option<&str> {
        let key = (package.ecosystem, compared_name(package.ecosystem, &package.name));
        self.needed.get(&key).map(String::as_str)
    }
}

impl PublishedPackage {
    /// Where in the package a module lies that is imported by this text, as a path without an ending; none where it lies in
    /// another package.
    pub(crate) fn place_of_import(&self, module: &str) -> Option<String> {
        let below = |name: &str, separator: &str| {
            let rest = module.strip_prefix(name)?;
            let rest = if rest.is_empty() { Some("") } else { rest.strip_prefix(separator) };
            rest.map(|rest| rest.replace(separator, "/"))
        };
        match self.ecosystem {
            Ecosystem::Npm | Ecosystem::Go => below(&self.name, "/"),
            Ecosystem::Cargo => below(&self.name.replace('-', "_"), "::"),
            Ecosystem::Python => self.modules.iter().find_map(|name| below(name, ".")),
            // Packages of Java are not named after their artifact.
            Ecosystem::Maven => None,
        }
    }
}

fn compared_name(ecosystem: Ecosystem, name: &str) -> String {
    match ecosystem {
        Ecosystem::Python => name.to_lowercase().replace(['_', '.'], "-"),
        Ecosystem::Cargo => name.replace('_', "-"),
        Ecosystem::Npm | Ecosystem::Go | Ecosystem::Maven => name.to_owned(),
    }
}

/// The packages of a project as its manifests are now. Manifests that are not indexed, as those of vendored code, do not
/// count.
pub(crate) async fn load_packages(code: &CodeContext, project: &Project) -> Result<PackageTable> {
    let worktree = code.store.open_worktree(&project.id, &project.root_text()).await?.id;
    let files = code.store.worktree_files(&worktree).await?;
    let is_small = |file: &&store::TreeFile| file.stamp.bytes <= MAX_MANIFEST_BYTES;
    let manifests = files.iter().filter(|file| ecosystem_of(&file.path).is_some()).filter(is_small);
    let manifests: Vec<String> = manifests.take(MOST_MANIFESTS).map(|file| file.path.clone()).collect();
    let python: Vec<String> = files
        .into_iter()
        .map(|file| file.path)
        .filter(|path| Path::new(path).extension().is_some_and(|ending| ending == "py"))
        .collect();
    let root = project.root.clone();
    run_blocking("reading manifests", move || read_packages(&root, &manifests, &python)).await
}

fn read_packages(root: &Path, manifests: &[String], python: &[String]) -> PackageTable {
    let mut table = PackageTable::default();
    for path in manifests {
        let Some(ecosystem) = ecosystem_of(path) else { continue };
        let Ok(bytes) = confined_file::read_file(root, Path::new(path)) else { continue };
        let found = read_manifest(path, &String::from_utf8_lossy(&bytes));
        for name in found.needs {
            table.needed.entry((ecosystem, compared_name(ecosystem, &name))).or_insert_with(|| path.clone());
        }
        if let Some(name) = found.name.filter(|name| !name.trim().is_empty()) {
            let modules = if ecosystem == Ecosystem::Python { python_modules(path, &name, python) } else { Vec::new() };
            table.published.push(PublishedPackage { ecosystem, name, modules });
        }
    }
    table
}

/// What the code of a Python package is imported as: its folders beside the manifest or in `src`.
fn python_modules(manifest: &str, name: &str, files: &[String]) -> Vec<String> {
    let folder = manifest.strip_suffix("pyproject.toml").unwrap_or_default();
    let mut modules = vec![name.replace(['-', '.'], "_")];
    for path in files.iter().filter_map(|path| path.strip_prefix(folder)) {
        let path = path.strip_prefix("src/").unwrap_or(path);
        if let Some((module, "__init__.py")) = path.split_once('/')
            && !modules.iter().any(|known| known == module)
        {
            modules.push(module.to_owned());
        }
    }
    modules
}

/// Where code of another project uses something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PackageUse {
    /// Seen from what is used.
    pub(crate) relation: RelationKind,
    /// What uses it.
    pub(crate) named: NamedNode,
    pub(crate) line: u32,
    pub(crate) lines: Vec<u32>,
    pub(crate) confidence: Confidence,
}

/// What may be used from elsewhere: by the path of its file, and by its name; without a name the file itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackageItem<'a> {
    pub(crate) path: &'a str,
    pub(crate) name: Option<&'a str>,
}

/// Where a project uses items of the packages of another one, each with the number of the item.
pub(crate) async fn find_package_uses(
    code: &CodeContext,
    project: &Project,
    packages: &[PublishedPackage],
    items: &[PackageItem<'_>],
) -> Result<Vec<(usize, PackageUse)>> {
    let found = imports_of_packages(code, project, packages).await?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let graph = load_graph(code, project).await?;
    let mut uses: Vec<(usize, PackageUse)> = Vec::new();
    for (file, imports) in found {
        let Some(file) = graph.find_file(&file) else { continue };
        for (place, import) in imports {
            for (at, item) in items.iter().enumerate() {
                for (relation, line, fit) in uses_of_item(&place, &import, *item) {
                    let is_import = relation == RelationKind::Importer;
                    let within = if is_import { None } else { innermost_symbol(&graph, file, line) };
                    let named = NamedNode::from_node(&graph, within.unwrap_or(file));
                    let is_same = |(of, known): &&mut (usize, PackageUse)| {
                        *of == at && known.relation == relation && known.named.id == named.id
                    };
                    match uses.iter_mut().find(is_same) {
                        Some((_, known)) if known.lines.contains(&line) => {}
                        Some((_, known)) => known.lines.push(line),
                        None => {
                            let (lines, confidence) = (vec![line], Confidence::new(fit));
                            uses.push((at, PackageUse { relation, named, line, lines, confidence }));
                        }
                    }
                }
            }
        }
    }
    Ok(uses)
}

/// How an import leads to an item, by line: what the importer does with it there, and how sure that is.
fn uses_of_item(place: &str, import: &OutsideImport, item: PackageItem<'_>) -> Vec<(RelationKind, u32, f32)> {
    let fits = fit_of_place(place, item.path);
    let importer = |fit| (RelationKind::Importer, import.line, fit);
    let Some(wanted) = item.name else { return fits.map(importer).into_iter().collect() };
    let is_named = import.name.as_deref() == Some(wanted);
    let Some(fit) = fits.or(is_named.then_some(BY_NAME)) else { return Vec::new() };
    let mut told: Vec<_> = is_named.then(|| importer(fit)).into_iter().collect();
    for it in &import.uses {
        let is_meant = match (&import.name, &it.member) {
            (Some(name), None) => name == wanted,
            // `from package import module`, then `module.thing()`; or the module itself, then a thing of it.
            (_, Some(member)) => member == wanted && fit >= SURE,
            (None, None) => false,
        };
        if is_meant {
            told.push((relation_of(it.kind), it.line, fit));
        }
    }
    told
}

/// The imports of packages in the files of a project, by the path of the file, each with the place in the package that it
/// names.
async fn imports_of_packages(
    code: &CodeContext,
    project: &Project,
    packages: &[PublishedPackage],
) -> Result<Vec<(String, Vec<(String, OutsideImport)>)>> {
    let current = refresh_index(code, project).await?;
    let records = code.store.worktree_records(&current.worktree.id, FileRecordKind::Uses).await?;
    drop(current);
    let packages = packages.to_vec();
    run_blocking("reading imports", move || {
        let is_wanted = |module: &str| packages.iter().any(|package| package.place_of_import(module).is_some());
        let place = |module: &str| packages.iter().find_map(|package| package.place_of_import(module));
        let of_file = |record: store::FileRecord| {
            let imports = find_outside_imports(&record.bytes, &is_wanted).into_iter();
            let placed = imports.filter_map(|import| Some((place(&import.module)?, import)));
            (record.path, placed.collect::<Vec<(String, OutsideImport)>>())
        };
        records.files.into_iter().map(of_file).filter(|(_, imports)| !imports.is_empty()).collect::<Vec<_>>()
    })
    .await
}

/// The module is the file.
const SURE: f32 = 0.9;
/// Only the name fits: the package may pass on what another of its files defines.
const BY_NAME: f32 = 0.7;

/// How surely a module of a package is the file at a path, which may have folders and an ending that imports leave out.
fn fit_of_place(place: &str, path: &str) -> Option<f32> {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let stem =
        ["/__init__", "/index", "/mod", "/lib", "/main"].iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(stem);
    let is_below = |whole: &str| whole == place || whole.ends_with(&format!("/{place}"));
    if place.is_empty() {
        // The package itself: any of its files may be what it shows of itself.
        return None;
    }
    let folder = stem.rsplit_once('/').map_or("", |(folder, _)| folder);
    let without_ending = place.rsplit_once('.').map_or(place, |(stem, _)| stem);
    // A package of Go is a folder, and a module of Rust may be one.
    (is_below(stem) || is_below(folder) || stem.ends_with(&format!("/{without_ending}"))).then_some(SURE)
}

fn relation_of(kind: ReferenceKind) -> RelationKind {
    match kind {
        ReferenceKind::Call => RelationKind::Caller,
        ReferenceKind::Extends | ReferenceKind::Implements => RelationKind::Subtype,
        ReferenceKind::Type => RelationKind::TypeUser,
    }
}

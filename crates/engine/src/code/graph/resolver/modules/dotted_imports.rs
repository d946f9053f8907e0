//! Resolves dotted imports, as in Python (`a.b`, `.a.b`), to a file or directory: from a source root or, with leading
//! dots, from the importing file.
//!
//! A source root is the directory where the chain of packages around a file ends, so that no configuration is needed;
//! the directories that manifests name, and the project itself, are roots as well.

use super::{FileTurnover, ImportTarget};
use crate::code::graph::resolver::ModuleManifest;
use crate::code::graph::resolver::language_traits::LanguageTraits;
use crate::code::graph::resolver::paths::{self, PathIndex};
use std::collections::{BTreeSet, HashMap};
use syntax::ModuleStyle;

/// The directories that absolute imports start from.
pub(super) struct SourceRoots {
    /// Roots whatever files they hold.
    said: BTreeSet<String>,
    /// Roots by the first name below them: most imports are external, and one lookup shows it.
    by_first: HashMap<String, BTreeSet<String>>,
}

impl SourceRoots {
    pub(super) fn new(manifests: &[ModuleManifest]) -> Self {
        // `src` and `lib` are common layouts that need no entry in a manifest.
        let mut said = BTreeSet::from([String::new(), "src".to_owned(), "lib".to_owned()]);
        for manifest in manifests {
            let directory = paths::parent_directory(&manifest.path);
            let text = String::from_utf8_lossy(&manifest.bytes);
            said.extend(
                named_roots(paths::file_name(&manifest.path), &text)
                    .filter_map(|root| paths::join_path(directory, root)),
            );
        }
        Self { said, by_first: HashMap::new() }
    }

    /// Adds new files. Where a file was removed, or a directory becomes a package, the table is made again from all
    /// files.
    pub(super) fn update_files<'f>(
        &mut self,
        paths: &PathIndex,
        turnover: Option<&FileTurnover<'_>>,
        all: impl Iterator<Item = (&'f str, &'f LanguageTraits)>,
    ) {
        let is_index =
            |path: &str, traits: &LanguageTraits| traits.indexes.iter().any(|index| index == paths::file_stem(path));
        // A plain new file only adds a name. A removed one may have been the last below its root, and a new
        // `__init__.py` moves the root of everything below it.
        let is_added = |turnover: &&FileTurnover<'_>| {
            let is_gone = turnover.gone.iter().any(|(_, traits)| is_dotted(traits));
            let is_package = turnover.came.iter().any(|(path, traits)| is_dotted(traits) && is_index(path, traits));
            !is_gone && !is_package
        };
        if let Some(FileTurnover { came, .. }) = turnover.filter(is_added) {
            for (path, traits) in came.iter().filter(|(_, traits)| is_dotted(traits)) {
                self.add_file(paths, path, traits);
            }
            return;
        }
        self.by_first.clear();
        for (path, traits) in all.filter(|(_, traits)| is_dotted(traits)) {
            self.add_file(paths, path, traits);
        }
    }

    fn add_file(&mut self, paths: &PathIndex, path: &str, traits: &LanguageTraits) {
        let mut own = paths::parent_directory(path);
        while is_package(paths, own, traits) && !own.is_empty() {
            own = paths::parent_directory(own);
        }
        for root in self.said.iter().map(String::as_str).chain([own]) {
            let inside = if root.is_empty() { Some(path) } else { path.strip_prefix(root) };
            let Some(inside) = inside.filter(|inside| root.is_empty() || inside.starts_with('/')) else { continue };
            let first = inside.trim_start_matches('/').split(['/', '.']).next().unwrap_or_default();
            if self.by_first.get(first).is_none_or(|roots| !roots.contains(root)) {
                self.by_first.entry(first.to_owned()).or_default().insert(root.to_owned());
            }
        }
    }

    pub(super) fn resolve_module(
        &self,
        paths: &PathIndex,
        file: &str,
        module: &str,
        traits: &LanguageTraits,
    ) -> ImportTarget {
        let rest = module.trim_start_matches('.');
        let dots = module.len() - rest.len();
        let path = rest.replace('.', "/");
        if dots > 0 {
            let mut directory = paths::parent_directory(file);
            for _ in 1..dots {
                directory = paths::parent_directory(directory);
            }
            return target_at(paths, directory, &path, traits).unwrap_or(ImportTarget::Outside);
        }
        // The root that shares most with the importing file: a project may hold several packages of one name.
        let first = rest.split('.').next().unwrap_or(rest);
        let roots = self.by_first.get(first).into_iter().flatten();
        let found = roots.filter_map(|root| Some((root, target_at(paths, root, &path, traits)?)));
        let is_file = |target: &ImportTarget| matches!(target, ImportTarget::File(_));
        let best =
            // A file or package before a bare directory: Python prefers a module to a namespace package, too.
            found.max_by_key(|(root, target)| (is_file(target), root_overlap(file, root), usize::MAX - root.len()));
        best.map_or(ImportTarget::Outside, |(_, target)| target)
    }
}

fn is_dotted(traits: &LanguageTraits) -> bool {
    traits.style == ModuleStyle::Dotted
}

/// The target at a path under a directory: a file, a package, a bare directory.
pub(in crate::code::graph::resolver) fn target_at(
    paths: &PathIndex,
    directory: &str,
    path: &str,
    traits: &LanguageTraits,
) -> Option<ImportTarget> {
    let path = paths::join_path(directory, path)?;
    let with_extension =
        |path: &str| traits.extensions.iter().find_map(|ext| paths.find_file(&format!("{path}.{ext}")));
    let index = || traits.indexes.iter().find_map(|index| with_extension(&child_path(&path, index)));
    // The project's own root has no name to which an extension could be added.
    let file = (!path.is_empty()).then(|| with_extension(&path)).flatten();
    match file.or_else(index) {
        Some(file) => Some(ImportTarget::File(file)),
        // A directory without `__init__.py` is a namespace package (Python).
        None => paths.find_directory(&path).map(ImportTarget::Directory),
    }
}

fn child_path(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

fn is_package(paths: &PathIndex, directory: &str, traits: &LanguageTraits) -> bool {
    let has = |index: &String| {
        traits.extensions.iter().any(|ext| paths.find_file(&child_path(directory, &format!("{index}.{ext}"))).is_some())
    };
    traits.indexes.iter().any(has)
}

fn root_overlap(file: &str, root: &str) -> usize {
    paths::shared_depth(paths::parent_directory(file), root)
}

/// Roots that a manifest names: `where = ["src"]`, `package_dir =` with `= src` below it.
fn named_roots<'t>(name: &str, text: &'t str) -> impl Iterator<Item = &'t str> {
    let keys: &[&str] = match name {
        "pyproject.toml" | "setup.cfg" => &["where", "pythonpath", "package-dir", "package_dir", "from", "mypy_path"],
        _ => &[],
    };
    let lines = text.lines().filter(move |line| {
        let key = line.split(['=', ':']).next().unwrap_or_default().trim().trim_matches('"');
        keys.contains(&key) || (!keys.is_empty() && key.is_empty() && line.trim_start().starts_with('='))
    });
    lines
        .flat_map(|line| line.split_once('=').map_or("", |(_, value)| value).split([',', ' ', '[', ']', '{', '}', '=']))
        .filter_map(|word| {
            let word = word.trim().trim_matches(['"', '\'']);
            (!word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "/_-.".contains(c))).then_some(word)
        })
}

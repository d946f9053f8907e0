//! The module tree of Rust crates, for resolving paths such as `crate::a` and `super::a`: which file is the root of
//! each crate, by `Cargo.toml`, and which file is the parent or child module of another.
//!
//! The tree is read from where files lie, not from declarations: a file that no declaration names is not compiled, so
//! no code reaches it by a name either.

use crate::code::graph::resolver::ModuleManifest;
use crate::code::graph::resolver::names::QuickMap;
use crate::code::graph::resolver::paths::{self, PathIndex};
use std::collections::HashMap;

/// The crates of a project.
#[derive(Default)]
pub(in crate::code::graph::resolver) struct CrateTable {
    /// Directories of packages with their libraries' names and root files.
    packages: HashMap<String, CargoPackage>,
    /// Root files of libraries by name; of several the last one that exists counts.
    libraries: HashMap<String, Vec<String>>,
    /// The root of each file's crate.
    roots: QuickMap<u32, u32>,
}

struct CargoPackage {
    /// The path of its root file.
    library: Option<String>,
    /// Dependencies whose local name differs from their package.
    renamed: HashMap<String, String>,
}

impl CrateTable {
    pub(in crate::code::graph::resolver) fn new(manifests: &[ModuleManifest]) -> Self {
        let mut crates = Self::default();
        for manifest in manifests.iter().filter(|manifest| paths::file_name(&manifest.path) == "Cargo.toml") {
            crates.add_manifest(manifest);
        }
        crates
    }

    /// Finds the root of every file's crate, and returns the files that belong to another crate than before.
    pub(in crate::code::graph::resolver) fn update_roots(
        &mut self,
        paths: &PathIndex,
        files: impl Iterator<Item = u32>,
    ) -> Vec<u32> {
        let before = std::mem::take(&mut self.roots);
        let mut moved = Vec::new();
        for file in files {
            // A file below no root is a crate of its own, so that `crate::` in it leads nowhere else.
            let root = self.find_root(paths, paths.file_path(file)).unwrap_or(file);
            self.roots.insert(file, root);
            if before.get(&file) != Some(&root) {
                moved.push(file);
            }
        }
        moved
    }

    /// The root file of the crate that a file belongs to.
    pub(in crate::code::graph::resolver) fn crate_root(&self, file: u32) -> u32 {
        self.roots.get(&file).copied().unwrap_or(file)
    }

    /// The file of the module above that of a file.
    pub(in crate::code::graph::resolver) fn parent_module(&self, paths: &PathIndex, file: u32) -> Option<u32> {
        let root = self.crate_root(file);
        let path = paths.file_path(file);
        if file == root {
            return None;
        }
        let directory = if paths::file_name(path) == "mod.rs" {
            paths::parent_directory(paths::parent_directory(path))
        } else {
            paths::parent_directory(path)
        };
        if directory == paths::parent_directory(paths.file_path(root)) {
            return Some(root);
        }
        // The module of directory `a` is `a/mod.rs` or, since the 2018 edition, `a.rs`.
        paths
            .find_file(&format!("{directory}/mod.rs"))
            .or_else(|| paths.find_file(&format!("{directory}.rs")))
            .or(Some(root))
    }

    /// The file of a module directly below that of a file.
    pub(in crate::code::graph::resolver) fn child_module(
        &self,
        paths: &PathIndex,
        file: u32,
        name: &str,
    ) -> Option<u32> {
        let path = paths.file_path(file);
        // A crate root and `mod.rs` have their submodules beside them; `a.rs` has them in the directory `a`.
        let is_directory = file == self.crate_root(file) || paths::file_name(path) == "mod.rs";
        let directory = paths::parent_directory(path);
        let mut base =
            if is_directory { directory.to_owned() } else { format!("{directory}/{}", paths::file_stem(path)) };
        if !base.is_empty() {
            base.push('/');
        }
        let found =
            paths.find_file(&format!("{base}{name}.rs")).or_else(|| paths.find_file(&format!("{base}{name}/mod.rs")));
        found.filter(|found| *found != file)
    }

    /// The root file of another crate of the project, by its name in the file.
    pub(in crate::code::graph::resolver) fn find_crate(&self, paths: &PathIndex, file: u32, name: &str) -> Option<u32> {
        let package = self.find_package(paths.file_path(file)).map(|(_, package)| package);
        // `db = { package = "database" }` in the manifest: the code says `db`.
        let name = package.and_then(|package| package.renamed.get(name)).map_or(name, String::as_str);
        self.libraries.get(name)?.iter().rev().find_map(|path| paths.find_file(path))
    }

    fn find_package(&self, path: &str) -> Option<(&str, &CargoPackage)> {
        let mut directory = paths::parent_directory(path);
        loop {
            if let Some((directory, package)) = self.packages.get_key_value(directory) {
                return Some((directory, package));
            }
            if directory.is_empty() {
                return None;
            }
            directory = paths::parent_directory(directory);
        }
    }

    fn add_manifest(&mut self, manifest: &ModuleManifest) {
        let text = String::from_utf8_lossy(&manifest.bytes);
        let Ok(table) = text.parse::<toml::Table>() else { return };
        let directory = paths::parent_directory(&manifest.path);
        // The manifest of a workspace without `[package]` declares no crate.
        let Some(name) = table.get("package").and_then(|package| package.get("name")).and_then(toml::Value::as_str)
        else {
            return;
        };
        let library = table.get("lib");
        let text = |key| library.and_then(|library| library.get(key)).and_then(toml::Value::as_str);
        let root = paths::join_path(directory, text("path").unwrap_or("src/lib.rs"));
        let mut renamed = HashMap::new();
        for (key, dependency) in ["dependencies", "dev-dependencies", "build-dependencies"]
            .iter()
            .filter_map(|key| table.get(*key)?.as_table())
            .flatten()
        {
            if let Some(package) = dependency.get("package").and_then(toml::Value::as_str) {
                renamed.insert(to_crate_name(key), to_crate_name(package));
            }
        }
        if let Some(root) = &root {
            let libraries = self.libraries.entry(to_crate_name(text("name").unwrap_or(name))).or_default();
            libraries.push(root.clone());
        }
        self.packages.insert(directory.to_owned(), CargoPackage { library: root, renamed });
    }

    /// The root of a file's crate, from where the file lies in its package.
    fn find_root(&self, paths: &PathIndex, path: &str) -> Option<u32> {
        let Some((directory, package)) = self.find_package(path) else { return root_above(paths, path) };
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let inside = path.strip_prefix(&prefix)?;
        let parts: Vec<&str> = inside.split('/').collect();
        let at = |path: String| paths.find_file(&format!("{prefix}{path}"));
        let library = package.library.as_deref().and_then(|path| paths.find_file(path));
        // Cargo's conventions: every binary, test, example and benchmark is a crate of its own.
        match parts.as_slice() {
            ["src", "main.rs"] | ["src", "bin", _] => paths.find_file(path),
            ["src", "bin", name, ..] => at(format!("src/bin/{name}/main.rs")),
            ["tests" | "examples" | "benches", name, ..] => {
                let main = at(format!("{}/{name}/main.rs", parts[0]));
                main.or_else(|| at(format!("{}/{name}.rs", parts[0])))
            }
            ["src", ..] => library.or_else(|| at("src/main.rs".to_owned())),
            _ => library.filter(|root| path.starts_with(paths::parent_directory(paths.file_path(*root)))),
        }
    }
}

/// The nearest `lib.rs` or `main.rs` above a file, where no manifest says more.
fn root_above(paths: &PathIndex, path: &str) -> Option<u32> {
    let mut directory = paths::parent_directory(path);
    loop {
        let root = ["lib.rs", "main.rs"].iter().find_map(|name| paths.find_file(&paths::join_path(directory, name)?));
        if root.is_some() || directory.is_empty() {
            return root;
        }
        directory = paths::parent_directory(directory);
    }
}

fn to_crate_name(name: &str) -> String {
    name.replace('-', "_")
}

//! Resolves JavaScript and TypeScript module specifiers: a relative path, a path that a configuration (`tsconfig.json`,
//! `package.json`) maps, or a package of the same project.

use super::ImportTarget;
use crate::code::graph::resolver::ModuleManifest;
use crate::code::graph::resolver::paths::{self, PathIndex};
use serde_json::Value;
use std::collections::HashMap;

/// Extensions that a specifier may leave out, in the order they are tried.
const EXTENSIONS: &str = "ts tsx mts cts js jsx mjs cjs vue svelte d.ts";

/// Extensions of build outputs, each with those of their sources.
const BUILD_OUTPUT_EXTENSIONS: &str = "\
.d.ts ts tsx
.d.mts mts ts
.d.cts cts ts
.js ts tsx jsx
.jsx tsx
.mjs mts ts js
.cjs cts ts js
.min.js ts js";

fn built_extensions() -> impl Iterator<Item = (&'static str, &'static str)> {
    BUILD_OUTPUT_EXTENSIONS.lines().filter_map(|line| line.split_once(' '))
}

/// A ring of configurations that extend each other ends after this many.
const MOST_EXTENDED: usize = 8;

/// The packages and path maps of a project.
pub(super) struct NodePackages {
    /// By directory.
    manifests: HashMap<String, Value>,
    /// Names of packages with their directories, longest name first.
    names: Vec<(String, String)>,
    /// Path maps by the directory of their configuration.
    maps: HashMap<String, PathMap>,
}

#[derive(Clone, Default)]
struct PathMap {
    /// The directory that bare specifiers start from.
    base: Option<String>,
    /// Patterns and their targets, from the project's root.
    paths: Vec<(String, Vec<String>)>,
}

impl NodePackages {
    pub(super) fn new(manifests: &[ModuleManifest]) -> Self {
        let mut packages = HashMap::new();
        let mut names = Vec::new();
        let mut configurations = HashMap::new();
        for manifest in manifests {
            let name = paths::file_name(&manifest.path);
            let read = || serde_json::from_str::<Value>(&plain_json(&String::from_utf8_lossy(&manifest.bytes))).ok();
            if name == "package.json" {
                let Some(json) = read() else { continue };
                let directory = paths::parent_directory(&manifest.path).to_owned();
                names.extend(json["name"].as_str().map(|name| (name.to_owned(), directory.clone())));
                packages.insert(directory, json);
            } else if name.ends_with("config.json") || name.starts_with("tsconfig") {
                // `tsconfig.base.json` is no configuration of its own directory, but others extend it.
                configurations.extend(read().map(|json| (manifest.path.clone(), json)));
            }
        }
        names.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        let is_main = |path: &&String| matches!(paths::file_name(path), "tsconfig.json" | "jsconfig.json");
        let maps = configurations
            .keys()
            .filter(is_main)
            .map(|path| (paths::parent_directory(path).to_owned(), path_map(&configurations, path, MOST_EXTENDED)))
            .collect();
        Self { manifests: packages, names, maps }
    }

    pub(super) fn resolve_module(&self, paths: &PathIndex, file: &str, module: &str) -> ImportTarget {
        let directory = paths::parent_directory(file);
        let found = if module.starts_with('.') {
            paths::join_path(directory, module).and_then(|path| self.file_or_package(paths, &path))
        } else if module.starts_with('#') {
            self.own_import(paths, directory, module)
        } else {
            self.find_mapped(paths, directory, module).or_else(|| self.find_package(paths, file, module))
        };
        found.map_or(ImportTarget::Outside, ImportTarget::File)
    }

    fn file_or_package(&self, paths: &PathIndex, path: &str) -> Option<u32> {
        file_at(paths, path).or_else(|| {
            let json = self.manifests.get(path)?;
            package_entry(paths, path, json, "")
        })
    }

    /// `#name`, which the nearest package maps for its own files.
    fn own_import(&self, paths: &PathIndex, directory: &str, module: &str) -> Option<u32> {
        let (directory, json) =
            enclosing_directories(directory).find_map(|directory| self.manifests.get_key_value(directory))?;
        let map = json["imports"].as_object()?;
        map.iter().find_map(|(pattern, targets)| {
            let rest = match_pattern(pattern, module)?;
            string_leaves(targets).find_map(|target| built_or_source(paths, directory, &target.replace('*', rest)))
        })
    }

    /// The file that the nearest configuration with a path map gives for a module.
    fn find_mapped(&self, paths: &PathIndex, directory: &str, module: &str) -> Option<u32> {
        let map = enclosing_directories(directory).find_map(|directory| self.maps.get(directory))?;
        let by_pattern = map.paths.iter().find_map(|(pattern, targets)| {
            let rest = match_pattern(pattern, module)?;
            targets.iter().find_map(|target| self.file_or_package(paths, &target.replace('*', rest)))
        });
        by_pattern.or_else(|| file_at(paths, &paths::join_path(map.base.as_ref()?, module)?))
    }

    /// A package of the project, the nearest of its name.
    fn find_package(&self, paths: &PathIndex, file: &str, module: &str) -> Option<u32> {
        let named = self.names.iter().filter_map(|(name, directory)| {
            let rest = module.strip_prefix(name.as_str())?;
            // `@scope/name-extra` is not inside of `@scope/name`.
            (rest.is_empty() || rest.starts_with('/')).then_some((name.len(), directory, rest.trim_start_matches('/')))
        });
        let (_, directory, rest) =
            named.max_by_key(|(length, directory, _)| (*length, paths::shared_depth(file, directory)))?;
        package_entry(paths, directory, &self.manifests[directory], rest)
    }
}

/// The file that a package exports under a name.
fn package_entry(paths: &PathIndex, directory: &str, json: &Value, name: &str) -> Option<u32> {
    let wanted = if name.is_empty() { ".".to_owned() } else { format!("./{name}") };
    // `exports` is a map of subpaths where its keys begin with a dot, else a map of conditions or one path.
    let map = json["exports"].as_object().filter(|map| map.keys().any(|key| key.starts_with('.')));
    let exports = match map {
        Some(map) => map
            .iter()
            .filter_map(|(pattern, targets)| Some((match_pattern(pattern, &wanted)?, targets)))
            // The most specific pattern leaves the shortest rest for its star.
            .min_by_key(|(rest, _)| rest.len()),
        None => name.is_empty().then_some(("", &json["exports"])),
    };
    let exported = exports.and_then(|(rest, targets)| {
        string_leaves(targets).find_map(|it| built_or_source(paths, directory, &it.replace('*', rest)))
    });
    let main = || {
        // The index holds sources and not build outputs, so the field that names the source comes first.
        let fields = ["source", "module", "main", "types"].iter().filter_map(|key| json[*key].as_str());
        fields.filter(|_| name.is_empty()).find_map(|target| built_or_source(paths, directory, target))
    };
    let by_place = || {
        let name = if name.is_empty() { "index" } else { name };
        ["src/", "", "lib/"]
            .iter()
            .find_map(|place| file_at(paths, &paths::join_path(directory, &format!("{place}{name}"))?))
    };
    exported.or_else(main).or_else(by_place)
}

/// A file at a target or, where the target is a build output that is not in the repository, its source.
fn built_or_source(paths: &PathIndex, directory: &str, target: &str) -> Option<u32> {
    let target = target.trim_start_matches("./");
    let as_named = file_at(paths, &paths::join_path(directory, target)?);
    as_named.or_else(|| {
        // `dist/index.js` is built from `src/index.ts` or `index.ts`; `dist/esm/a.js` from `src/a.ts`.
        let (_, rest) = target.split_once('/')?;
        let bare =
            built_extensions().filter_map(|(extension, _)| rest.strip_suffix(extension)).min_by_key(|bare| bare.len());
        let bare = bare.unwrap_or(rest);
        let inner = bare.split_once('/').map(|(_, inner)| inner);
        let guesses = [Some(format!("src/{bare}")), inner.map(|inner| format!("src/{inner}")), Some(bare.to_owned())];
        guesses.into_iter().flatten().find_map(|guess| file_at(paths, &paths::join_path(directory, &guess)?))
    })
}

/// A file at a path that leaves out the extension or index, or has the extension of a build output.
fn file_at(paths: &PathIndex, path: &str) -> Option<u32> {
    let with = |path: &str, extensions: &str| {
        extensions.split(' ').find_map(|extension| paths.find_file(&format!("{path}.{extension}")))
    };
    let source = || {
        built_extensions().find_map(|(built, sources)| path.strip_suffix(built).and_then(|bare| with(bare, sources)))
    };
    let index = || with(&paths::join_path(path, "index")?, EXTENSIONS);
    paths.find_file(path).or_else(source).or_else(|| with(path, EXTENSIONS)).or_else(index)
}

/// The part of a module that the star of a pattern matches; empty where the pattern has none and is equal.
fn match_pattern<'m>(pattern: &str, module: &'m str) -> Option<&'m str> {
    match pattern.split_once('*') {
        Some((before, after)) => module.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == module).then_some(""),
    }
}

/// A directory and all above it.
fn enclosing_directories(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |at| (!at.is_empty()).then(|| paths::parent_directory(at)))
}

/// The strings in a value, those under a condition for sources first.
fn string_leaves(value: &Value) -> impl Iterator<Item = &str> {
    let mut found = Vec::new();
    let mut waiting = vec![(value, false)];
    while let Some((value, is_source)) = waiting.pop() {
        match value {
            Value::String(text) => found.push((!is_source, text.as_str())),
            // Pushed in reverse, because the last is popped first and the order of conditions is their priority.
            Value::Array(list) => waiting.extend(list.iter().rev().map(|value| (value, is_source))),
            Value::Object(map) => {
                waiting.extend(map.iter().rev().map(|(key, value)| (value, is_source || key.ends_with("source"))));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found.sort_by_key(|(is_built, _)| *is_built);
    found.into_iter().map(|(_, text)| text)
}

/// A configuration's path map, with the maps of the configurations that it extends.
fn path_map(configurations: &HashMap<String, Value>, path: &str, depth: usize) -> PathMap {
    let Some(json) = configurations.get(path) else { return PathMap::default() };
    let directory = paths::parent_directory(path);
    let mut map = PathMap::default();
    let bases = &json["extends"];
    let bases = bases.as_array().map_or(std::slice::from_ref(bases), Vec::as_slice);
    for base in bases.iter().filter(|_| depth > 0).filter_map(Value::as_str) {
        let Some(base) = paths::join_path(directory, base) else { continue };
        let base = if configurations.contains_key(&base) { base } else { format!("{base}.json") };
        let outer = path_map(configurations, &base, depth - 1);
        // A later entry of `extends` overrides an earlier one.
        map.base = outer.base.or(map.base);
        if !outer.paths.is_empty() {
            map.paths = outer.paths;
        }
    }
    let options = &json["compilerOptions"];
    if let Some(base) = options["baseUrl"].as_str() {
        map.base = paths::join_path(directory, base);
    }
    if let Some(own) = options["paths"].as_object() {
        // `paths` are relative to `baseUrl`, and to the configuration itself where there is none.
        let from = map.base.clone().unwrap_or_else(|| directory.to_owned());
        let targets = |value: &Value| {
            let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(|target| paths::join_path(&from, target.as_str()?)).collect()
        };
        map.paths = own.iter().map(|(pattern, value)| (pattern.clone(), targets(value))).collect();
        // TypeScript takes the pattern with the longest prefix before its star.
        map.paths.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.split('*').next().map_or(0, str::len)));
    }
    map
}

/// JSON without the comments and trailing commas that configurations may have.
fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        let taken = match c {
            // A `//` inside of a string is no comment: `"https://…"`.
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                let length = end.map_or(rest.len(), |end| end + 2);
                plain.push_str(&rest[..length]);
                length
            }
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '}' | ']' => {
                let end = plain.trim_end().trim_end_matches(',').len();
                plain.truncate(end);
                plain.push(c);
                1
            }
            c => {
                plain.push(c);
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    plain
}

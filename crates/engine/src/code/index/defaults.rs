//! The default ignore rules of the index: build output directories, generated files and lockfiles.
//!
//! Files that git tracks are never left out, because an author of the project committed them on purpose; they are
//! ranked last instead. What is left out is reported, and a line such as `!dist/` in `.epitomeignore` brings it back,
//! which widens nothing: git shows these files.

use crate::code::git::git_command;
use std::collections::HashSet;
use std::path::Path;

/// Directories of build outputs, and the files beside them that make them so; without files, the name is enough.
const BUILD_OUTPUT_DIRECTORIES: &[(&str, &[&str])] = &[
    ("dist", &[]),
    ("coverage", &[]),
    (".next", &[]),
    ("build", BUILD_FILES),
    ("out", BUILD_FILES),
    ("target", BUILD_FILES),
    ("vendor", &["go.mod", "composer.json"]),
];

const BUILD_FILES: &[&str] = &[
    "build.gradle",
    "build.gradle.kts",
    "build.sbt",
    "Cargo.toml",
    "CMakeLists.txt",
    "Makefile",
    "meson.build",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "setup.py",
    "tsconfig.json",
];

const MADE_ENDS: &[&str] = &[".min.js", ".min.css", ".min.mjs", ".map"];

const LOCKFILES: &[&str] = &[
    "bun.lock",
    "Cargo.lock",
    "composer.lock",
    "flake.lock",
    "Gemfile.lock",
    "go.sum",
    "gradle.lockfile",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "Package.resolved",
    "pdm.lock",
    "Pipfile.lock",
    "pnpm-lock.yaml",
    "Podfile.lock",
    "poetry.lock",
    "pubspec.lock",
    "uv.lock",
    "yarn.lock",
];

/// Why a directory may be left out.
pub(super) fn built_directory(root: &Path, path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let (_, beside) = BUILD_OUTPUT_DIRECTORIES.iter().find(|(built, _)| *built == name)?;
    let folder = root.join(path.parent()?);
    // `build/` may be a package of source; beside a build file it is an output.
    let is_built = beside.is_empty() || beside.iter().any(|file| folder.join(file).is_file());
    is_built.then(|| format!("built files, left out by default: `!{name}/` in .epitomeignore brings them back"))
}

/// Why a file may be left out.
pub(super) fn made_file(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let what = if LOCKFILES.contains(&name) {
        "a lockfile"
    } else if MADE_ENDS.iter().any(|end| name.len() > end.len() && name.ends_with(end)) {
        "made by a tool"
    } else {
        return None;
    };
    Some(format!("{what}, left out by default: `!{name}` in .epitomeignore brings it back"))
}

/// Whether a file that is indexed comes after all others: it would be left out by default if git did not track it.
pub(crate) fn is_last(path: &str) -> bool {
    let in_built = || path.split('/').rev().skip(1).any(|name| ALWAYS_BUILT.contains(&name));
    made_file(path).is_some() || in_built()
}

/// Of a tracked file only these directories tell by their name alone that it was made.
const ALWAYS_BUILT: &[&str] = &["dist", "coverage", ".next"];

/// Those of some paths that git tracks, or below which it tracks files. If git fails, all of them.
pub(super) fn tracked_paths(root: &Path, paths: &[String]) -> HashSet<String> {
    // Outside of a repository git tracks nothing and need not be started.
    if paths.is_empty() || !is_in_repository(root) {
        return HashSet::new();
    }
    // A path may hold `*` or `:(…)`, which git would read as a pattern.
    let listed = git_command(root).args(["--literal-pathspecs", "ls-files", "-z", "--"]).args(paths).output();
    let Some(listed) = listed.ok().filter(|output| output.status.success()) else {
        return paths.iter().cloned().collect();
    };
    let listed: Vec<String> =
        listed.stdout.split(|byte| *byte == 0).map(|path| String::from_utf8_lossy(path).into_owned()).collect();
    // A path may be a directory, for which git lists the files below it.
    let is_tracked = |path: &&String| {
        listed.iter().any(|listed| {
            listed.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    paths.iter().filter(is_tracked).cloned().collect()
}

fn is_in_repository(root: &Path) -> bool {
    root.ancestors().any(|folder| folder.join(".git").exists())
}

//! Lists the workspace's own crates with their parsed `Cargo.toml`, for the tidy rules about crates.

use toml::Table;

use super::super::tree::{SourceTree, TidyFile};

/// A crate of the workspace.
pub(super) struct WorkspaceMember<'a> {
    pub(super) name: String,
    pub(super) manifest: Table,
    pub(super) source: &'a TidyFile,
}

impl WorkspaceMember<'_> {
    /// The line of the manifest whose key is `dependency`, for a finding to point at.
    pub(super) fn line_of(&self, dependency: &str) -> usize {
        let is_key = |line: &str| line.strip_prefix(dependency).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
        self.source.text.lines().position(is_key).map_or(1, |index| index + 1)
    }
}

/// Every manifest under `crates/` and xtask's. A manifest that cannot be read is cargo's to complain about.
pub(super) fn workspace_members(tree: &SourceTree) -> Vec<WorkspaceMember<'_>> {
    let is_manifest = |path: &str| {
        let parts: Vec<&str> = path.split('/').collect();
        matches!(parts[..], ["crates", _, "Cargo.toml"] | ["xtask", "Cargo.toml"])
    };
    tree.sources()
        .iter()
        .filter(|source| is_manifest(&source.path))
        .filter_map(|source| {
            let manifest: Table = source.text.parse().ok()?;
            let name = manifest.get("package")?.get("name")?.as_str()?.to_owned();
            Some(WorkspaceMember { name, manifest, source })
        })
        .collect()
}

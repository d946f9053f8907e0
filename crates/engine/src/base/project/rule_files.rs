//! The names of the ignore and settings files (`.gitignore`, `.epitomeignore`, …) that decide which files of a project
//! are indexed: the file walk reads them, and the file watcher rescans when one of them changes.

/// Files with patterns like those of git, which can only leave out more than git does: ours, and those of tools that came
/// before. Ours is last, because the last one decides.
pub(crate) const IGNORE_FILES: [&str; 3] = [".lvmignore", ".memtraceignore", ".epitomeignore"];

/// Whether a change of a file with this name can change which files belong to the project.
pub(crate) fn is_rule_file(name: &str) -> bool {
    IGNORE_FILES.contains(&name) || matches!(name, ".gitignore" | ".ignore" | ".epitome.toml")
}

//! Tidy rule: every crate's `Cargo.toml` inherits the workspace's lints; a crate that forgets the line is checked by no
//! lint of ours.

use toml::Value;

use super::super::TidyFinding;
use super::super::tree::SourceTree;
use super::members::workspace_members;

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    workspace_members(tree)
        .iter()
        .filter(|member| {
            let lints = member.manifest.get("lints").and_then(|lints| lints.get("workspace"));
            lints.and_then(Value::as_bool) != Some(true)
        })
        .map(|member| {
            member.source.build_finding(
                1,
                format!("`{}` does not inherit the workspace's lints", member.name),
                "its code would not be checked",
                "add `[lints]` with `workspace = true`",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn a_crate_without_lints_is_found() {
        finds(
            check,
            &[("crates/model/Cargo.toml", "[package]\nname = \"model\"\n")],
            &expect![
                "crates/model/Cargo.toml:1: `model` does not inherit the workspace's lints: its code would not be checked; add `[lints]` with `workspace = true`"
            ],
        );
    }

    #[test]
    fn a_crate_with_lints_passes() {
        accepts(check, &[("xtask/Cargo.toml", "[package]\nname = \"xtask\"\n[lints]\nworkspace = true\n")]);
    }
}

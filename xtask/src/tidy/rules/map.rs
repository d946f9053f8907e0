//! Tidy rule: the crate list in ARCHITECTURE.md is the crate list of the workspace.

use super::super::TidyFinding;
use super::super::tree::{SourceTree, TidyFile};
use super::members::workspace_members;

const MAP: &str = "ARCHITECTURE.md";
const BEGIN_MARKER: &str = "<!-- crates:begin -->";
const END_MARKER: &str = "<!-- crates:end -->";
const RULE_REASON: &str = "a newcomer trusts the map";

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let Some(map) = tree.find_file(MAP) else {
        return vec![TidyFinding {
            path: MAP.to_owned(),
            line: 1,
            what: "does not exist".to_owned(),
            why: RULE_REASON,
            fix: "write it, with the crate table between `<!-- crates:begin -->` and `<!-- crates:end -->`",
        }];
    };
    let Some(listed) = listed_crates(map) else {
        return vec![map.build_finding(
            1,
            format!("no `{BEGIN_MARKER}` … `{END_MARKER}`"),
            RULE_REASON,
            "put the crate table between these two lines",
        )];
    };
    let members = workspace_members(tree);
    // Both directions: a crate without a row and a row without a crate each mislead a newcomer.
    let missing = members.iter().filter(|member| !listed.iter().any(|(_, name)| *name == member.name)).map(|member| {
        map.build_finding(
            1,
            format!("crate `{}` is not in the table", member.name),
            RULE_REASON,
            "add its row to the crate table",
        )
    });
    let extra =
        listed.iter().filter(|(_, name)| !members.iter().any(|member| member.name == *name)).map(|(line, name)| {
            map.build_finding(
                *line,
                format!("the table names `{name}`, which is no crate"),
                RULE_REASON,
                "delete or correct the row",
            )
        });
    missing.chain(extra).collect()
}

/// Line and name of each row whose first cell is a name in backticks; heading and ruler are not.
fn listed_crates(map: &TidyFile) -> Option<Vec<(usize, &str)>> {
    let begin = map.text.lines().position(|line| line.trim() == BEGIN_MARKER)?;
    let end = map.text.lines().position(|line| line.trim() == END_MARKER)?;
    let rows = map.text.lines().enumerate().take(end).skip(begin + 1);
    Some(
        rows.filter_map(|(index, line)| {
            let cell = line.trim().strip_prefix('|')?.split('|').next()?.trim();
            Some((index + 1, cell.strip_prefix('`')?.strip_suffix('`')?))
        })
        .collect(),
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    const MODEL: (&str, &str) = ("crates/model/Cargo.toml", "[package]\nname = \"model\"\n");
    const XTASK: (&str, &str) = ("xtask/Cargo.toml", "[package]\nname = \"xtask\"\n");

    #[test]
    fn a_map_that_is_absent_unmarked_or_wrong_is_found() {
        finds(
            check,
            &[MODEL],
            &expect![
                "ARCHITECTURE.md:1: does not exist: a newcomer trusts the map; write it, with the crate table between `<!-- crates:begin -->` and `<!-- crates:end -->`"
            ],
        );
        finds(
            check,
            &[MODEL, (MAP, "# Map\n")],
            &expect![
                "ARCHITECTURE.md:1: no `<!-- crates:begin -->` … `<!-- crates:end -->`: a newcomer trusts the map; put the crate table between these two lines"
            ],
        );
        finds(
            check,
            &[
                MODEL,
                XTASK,
                (
                    MAP,
                    "<!-- crates:begin -->\n| crate | what |\n|---|---|\n| `model` | words |\n| `core` | ? |\n<!-- crates:end -->\n",
                ),
            ],
            &expect![[r#"
                ARCHITECTURE.md:1: crate `xtask` is not in the table: a newcomer trusts the map; add its row to the crate table
                ARCHITECTURE.md:5: the table names `core`, which is no crate: a newcomer trusts the map; delete or correct the row"#]],
        );
    }

    #[test]
    fn a_true_map_passes() {
        accepts(
            check,
            &[
                MODEL,
                (
                    MAP,
                    "# Map\n<!-- crates:begin -->\n| crate | what |\n|---|---|\n| `model` | words |\n<!-- crates:end -->\n| `x` |",
                ),
            ],
        );
    }
}

//! Tidy rule: which crates of the workspace may depend on which, checked in the `Cargo.toml` of each, as
//! ARCHITECTURE.md lays it down.

use toml::{Table, Value};

use super::super::TidyFinding;
use super::super::tree::SourceTree;
use super::members::{WorkspaceMember, workspace_members};

/// A crate and those of ours it may name.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("syntax", &["model"]),
    ("search", &["model"]),
    ("store", &["model"]),
    ("providers", &["model"]),
    ("agents", &["model"]),
    ("engine", &["model", "search", "syntax", "store", "providers"]),
    ("epitome", &["model", "search", "syntax", "store", "providers", "agents", "engine"]),
    ("testkit", &["model", "store", "providers"]),
    ("xtask", &[]),
];

/// Ports: the engine sees their traits, never a driver.
const PORTS: [&str; 2] = ["store", "providers"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let members = workspace_members(tree);
    let ours: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let mut findings = workspace_defaults(tree);
    for member in &members {
        match ALLOWED_DEPENDENCIES.iter().find(|(name, _)| *name == member.name) {
            Some((_, allowed)) => findings.extend(forbidden_edges(member, &ours, allowed)),
            None => findings.push(member.source.build_finding(
                1,
                format!("crate `{}` is in no row of the table of edges", member.name),
                "a crate exists to hold a wall",
                "name the wall in a design note and add its row to ARCHITECTURE.md and to this rule",
            )),
        }
        findings.extend(driver_features(member));
    }
    findings
}

fn forbidden_edges(member: &WorkspaceMember, ours: &[&str], allowed: &[&str]) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (section, table) in dependency_tables(&member.manifest) {
        let is_dev = section == "dev-dependencies";
        for name in table.keys() {
            // Tests may use the fixtures, and a crate may name itself to turn its own features on.
            let may = allowed.contains(&name.as_str()) || (is_dev && (name == "testkit" || *name == member.name));
            if ours.contains(&name.as_str()) && !may {
                findings.push(member.source.build_finding(
                    member.line_of(name),
                    format!("`{}` has `{name}` in [{section}]", member.name),
                    "this edge goes through a wall of ARCHITECTURE.md",
                    "move the code to the side that may know both",
                ));
            }
        }
    }
    findings
}

/// The engine takes its ports without any feature; its tests may take a real one.
fn driver_features(member: &WorkspaceMember) -> Vec<TidyFinding> {
    if member.name != "engine" {
        return Vec::new();
    }
    let tables = dependency_tables(&member.manifest);
    tables
        .iter()
        .filter(|(section, _)| *section != "dev-dependencies")
        .flat_map(|(_, table)| PORTS.iter().filter_map(|port| Some((port, table.get(*port)?))))
        .filter(|(_, value)| has_features(value))
        .map(|(port, _)| {
            member.source.build_finding(
                member.line_of(port),
                format!("`engine` turns on features of `{port}`"),
                "decisions must not know which database or vendor runs",
                "take it plain in [dependencies]; composition is the binary's",
            )
        })
        .collect()
}

/// `store.workspace = true` in the engine is plain only if the workspace's own line is.
fn workspace_defaults(tree: &SourceTree) -> Vec<TidyFinding> {
    let Some(source) = tree.find_file("Cargo.toml") else { return Vec::new() };
    let Ok(manifest) = source.text.parse::<Table>() else { return Vec::new() };
    // A manifest that does not parse fails the build itself, so it needs no finding here.
    let Some(table) = manifest.get("workspace").and_then(|it| it.get("dependencies")) else { return Vec::new() };
    PORTS
        .iter()
        .filter(|port| {
            table.get(**port).is_some_and(|value| {
                has_features(value) || value.get("default-features").and_then(Value::as_bool) != Some(false)
            })
        })
        .map(|port| {
            let line = source.text.lines().position(|line| line.starts_with(port)).map_or(1, |index| index + 1);
            source.build_finding(
                line,
                format!("`{port}` comes with features by default"),
                "decisions must not know which database or vendor runs",
                "write `default-features = false` and no features; each crate asks for what it needs",
            )
        })
        .collect()
}

fn has_features(value: &Value) -> bool {
    let listed = value.get("features").and_then(Value::as_array).is_some_and(|features| !features.is_empty());
    listed || value.get("default-features").and_then(Value::as_bool) == Some(true)
}

/// All sections that name dependencies, those of one platform included.
fn dependency_tables(manifest: &Table) -> Vec<(&'static str, &Table)> {
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let places: Vec<&Table> = std::iter::once(manifest).chain(platforms.filter_map(Value::as_table)).collect();
    ["dependencies", "build-dependencies", "dev-dependencies"]
        .into_iter()
        .flat_map(|section| places.iter().filter_map(move |place| Some((section, place.get(section)?.as_table()?))))
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    const MODEL: (&str, &str) = ("crates/model/Cargo.toml", "[package]\nname = \"model\"");
    const STORE: (&str, &str) = (
        "crates/store/Cargo.toml",
        "[package]\nname = \"store\"\n[dependencies]\nmodel.workspace = true\n[dev-dependencies]\nstore = { path = \".\", features = [\"sqlite\"] }",
    );

    #[test]
    fn edges_through_a_wall_are_found() {
        finds(
            check,
            &[
                MODEL,
                (
                    "crates/store/Cargo.toml",
                    "[package]\nname = \"store\"\n[target.'cfg(unix)'.dependencies]\nengine.workspace = true",
                ),
                (
                    "crates/engine/Cargo.toml",
                    "[package]\nname = \"engine\"\n[dependencies]\nstore = { workspace = true, features = [\"sqlite\"] }\n[dev-dependencies]\nagents.workspace = true",
                ),
                ("crates/agents/Cargo.toml", "[package]\nname = \"agents\""),
                ("crates/types/Cargo.toml", "[package]\nname = \"types\""),
                ("Cargo.toml", "[workspace.dependencies]\nstore = { path = \"crates/store\" }"),
            ],
            &expect![[r#"
                Cargo.toml:2: `store` comes with features by default: decisions must not know which database or vendor runs; write `default-features = false` and no features; each crate asks for what it needs
                crates/store/Cargo.toml:4: `store` has `engine` in [dependencies]: this edge goes through a wall of ARCHITECTURE.md; move the code to the side that may know both
                crates/engine/Cargo.toml:6: `engine` has `agents` in [dev-dependencies]: this edge goes through a wall of ARCHITECTURE.md; move the code to the side that may know both
                crates/engine/Cargo.toml:4: `engine` turns on features of `store`: decisions must not know which database or vendor runs; take it plain in [dependencies]; composition is the binary's
                crates/types/Cargo.toml:1: crate `types` is in no row of the table of edges: a crate exists to hold a wall; name the wall in a design note and add its row to ARCHITECTURE.md and to this rule"#]],
        );
    }

    #[test]
    fn the_table_s_edges_and_real_stores_in_tests_pass() {
        accepts(
            check,
            &[
                MODEL,
                STORE,
                ("crates/testkit/Cargo.toml", "[package]\nname = \"testkit\"\n[dependencies]\nstore.workspace = true"),
                (
                    "crates/engine/Cargo.toml",
                    "[package]\nname = \"engine\"\n[dependencies]\nstore.workspace = true\nserde = { features = [\"derive\"] }\n[dev-dependencies]\nstore = { workspace = true, features = [\"sqlite\"] }\ntestkit.workspace = true",
                ),
                (
                    "Cargo.toml",
                    "[workspace.dependencies]\nstore = { path = \"crates/store\", default-features = false }",
                ),
            ],
        );
    }
}

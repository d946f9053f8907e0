//! Tidy rule: a type name is defined once in a crate, so that a search for it finds one definition.

use std::collections::BTreeMap;

use super::super::TidyFinding;
use super::super::tree::{SourceTree, TidyFile};

/// Names that every crate may repeat: the language's own habits.
const ALLOWED_TYPE_NAMES: [&str; 3] = ["Error", "Result", "Params"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut homes: BTreeMap<(&str, &str), Vec<(&TidyFile, usize)>> = BTreeMap::new();
    for (source, text) in tree.rust_files().filter(|(source, _)| !source.is_test()) {
        let types = text.product_definitions().into_iter().filter(|definition| !definition.is_function);
        for definition in types.filter(|definition| !ALLOWED_TYPE_NAMES.contains(&definition.name)) {
            homes.entry((crate_of(&source.path), definition.name)).or_default().push((source, definition.line));
        }
    }
    let repeated = homes.into_iter().filter(|(_, places)| places.len() > 1);
    repeated
        .flat_map(|((_, name), places)| {
            places.into_iter().map(move |(source, line)| {
                source.build_finding(
                    line,
                    format!("type `{name}` is defined more than once in this crate"),
                    "one name for two things makes a reader look twice",
                    "say in the name what it is of",
                )
            })
        })
        .collect()
}

/// The folder of the crate that a file is in.
fn crate_of(path: &str) -> &str {
    path.split_once("/src/").map_or(path, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn a_type_with_two_homes_in_a_crate_is_found() {
        finds(
            check,
            &[
                ("crates/engine/src/index.rs", "pub struct Place;\n"),
                ("crates/engine/src/graph.rs", "\nenum Place {}\n"),
            ],
            &expect![[r#"
                crates/engine/src/index.rs:1: type `Place` is defined more than once in this crate: one name for two things makes a reader look twice; say in the name what it is of
                crates/engine/src/graph.rs:2: type `Place` is defined more than once in this crate: one name for two things makes a reader look twice; say in the name what it is of"#]],
        );
    }

    #[test]
    fn other_crates_tests_and_allowed_names_may_repeat_a_name() {
        accepts(
            check,
            &[
                (
                    "crates/engine/src/index.rs",
                    "struct Place;\nenum Error {}\n#[cfg(test)]\nmod tests { struct Place; }",
                ),
                ("crates/store/src/index.rs", "struct Place;"),
                ("crates/engine/src/error.rs", "enum Error {}"),
                ("crates/engine/tests/whole.rs", "struct Place;"),
            ],
        );
    }
}

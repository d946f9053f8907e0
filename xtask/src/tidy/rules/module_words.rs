//! Tidy rule: a module is named by a noun of the field or by what it does; a bare participle or preposition, which says
//! neither, is refused.

use super::super::TidyFinding;
use super::super::tree::{SourceTree, TidyFile};

const PREPOSITIONS: [&str; 12] =
    ["about", "above", "along", "among", "around", "behind", "below", "beside", "between", "from", "under", "within"];
const IRREGULAR_PARTICIPLES: [&str; 22] = [
    "asks", "built", "drawn", "fed", "found", "given", "grown", "heard", "held", "kept", "known", "lost", "made",
    "meant", "said", "seen", "shown", "spelled", "taken", "told", "unseen", "written",
];
/// Nouns, verbs and names that end as participles do.
const NOT_PARTICIPLES: [&str; 5] = ["embed", "feed", "seed", "shared", "zed"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    tree.rust_files().filter(|(source, _)| !source.is_test()).filter_map(|(source, _)| check_file(source)).collect()
}

fn check_file(source: &TidyFile) -> Option<TidyFinding> {
    let (_, path) = source.path.split_once("/src/")?;
    // A folder is reported once, by the file that opens it.
    let name = path.strip_suffix("/mod.rs").unwrap_or(path.trim_end_matches(".rs")).rsplit('/').next()?;
    says_nothing(name).then(|| {
        source.build_finding(
            1,
            format!("module `{name}`"),
            "a bare participle or preposition does not say what is in it",
            "name the thing, or what is done",
        )
    })
}

fn says_nothing(name: &str) -> bool {
    let is_participle = name.ends_with("ed") && !name.contains('_') && !NOT_PARTICIPLES.contains(&name);
    is_participle || PREPOSITIONS.contains(&name) || IRREGULAR_PARTICIPLES.contains(&name)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn participles_and_prepositions_are_found() {
        finds(
            check,
            &[
                ("crates/engine/src/made.rs", ""),
                ("crates/engine/src/connected/mod.rs", ""),
                ("crates/engine/src/recall/among.rs", ""),
            ],
            &expect![[r#"
                crates/engine/src/made.rs:1: module `made`: a bare participle or preposition does not say what is in it; name the thing, or what is done
                crates/engine/src/connected/mod.rs:1: module `connected`: a bare participle or preposition does not say what is in it; name the thing, or what is done
                crates/engine/src/recall/among.rs:1: module `among`: a bare participle or preposition does not say what is in it; name the thing, or what is done"#]],
        );
    }

    #[test]
    fn nouns_verbs_and_tests_pass() {
        accepts(
            check,
            &[
                ("crates/engine/src/embed/mod.rs", ""),
                ("crates/engine/src/connected_agents.rs", ""),
                ("crates/engine/tests/kept.rs", ""),
            ],
        );
    }
}

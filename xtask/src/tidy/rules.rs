//! The list of tidy rules, one module for each, and the test helpers that run a rule on a small source tree.

pub(super) mod agent_names;
pub(super) mod ambient;
pub(super) mod document_paths;
pub(super) mod edges;
pub(super) mod header;
pub(super) mod languages;
pub(super) mod layers;
pub(super) mod leftovers;
pub(super) mod lints;
pub(super) mod machine_paths;
pub(super) mod map;
pub(super) mod module_words;
pub(super) mod names;
pub(super) mod printing;
pub(super) mod serialization;
pub(super) mod size;
pub(super) mod spawning;
pub(super) mod sql;
pub(super) mod unique_types;

mod members;

#[cfg(test)]
mod sample {
    //! How each rule is tried: a small tree in, the findings as text out.

    use expect_test::Expect;

    use super::super::TidyRule;
    use super::super::tree::SourceTree;

    pub(super) fn finds(rule: TidyRule, files: &[(&str, &str)], expected: &Expect) {
        let lines: Vec<String> = rule(&SourceTree::of(files)).iter().map(ToString::to_string).collect();
        assert!(!lines.is_empty(), "the rule found nothing");
        expected.assert_eq(&lines.join("\n"));
    }

    pub(super) fn accepts(rule: TidyRule, files: &[(&str, &str)]) {
        let lines: Vec<String> = rule(&SourceTree::of(files)).iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "{}", lines.join("\n"));
    }
}

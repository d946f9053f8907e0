//! Tidy rule: types of the inner crates (model, store, engine) do not derive `Serialize` or `Deserialize`: what travels
//! as JSON is declared at the interfaces.

use super::super::TidyFinding;
use super::super::tree::SourceTree;
use super::super::words;

const INNER_CRATES: [&str; 3] = ["model", "store", "engine"];
const TRAITS: [&str; 2] = ["Serialize", "Deserialize"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (source, text) in tree.rust_files().filter(|(source, _)| source.is_source_of(&INNER_CRATES)) {
        for (at, _) in text.code().match_indices("derive(") {
            let list = text.code()[at..].split(')').next().unwrap_or_default();
            if let Some(derived) = TRAITS.iter().find(|name| words::contains_word(list, name)) {
                findings.push(source.build_finding(
                    text.line_at(at),
                    format!("derives `{derived}`"),
                    "a serializable inner type becomes a promise to every client",
                    "declare a wire type at the doors and convert",
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn a_serializable_inner_type_is_found() {
        finds(
            check,
            &[("crates/engine/src/a.rs", "//! A.\n#[derive(\n    Debug,\n    serde::Serialize,\n)]\nstruct A;")],
            &expect![
                "crates/engine/src/a.rs:2: derives `Serialize`: a serializable inner type becomes a promise to every client; declare a wire type at the doors and convert"
            ],
        );
    }

    #[test]
    fn doors_and_plain_types_pass() {
        accepts(
            check,
            &[
                ("crates/epitome/src/ops/expand.rs", "#[derive(Serialize)] struct W;"),
                ("crates/model/src/id.rs", "#[derive(Debug)] struct Id; // derive(Serialize)"),
            ],
        );
    }
}

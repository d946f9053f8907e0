//! Tidy rule: no string literal names a programming language. A language is data: a folder and one line in the
//! registry, never a word in the code.

use super::super::TidyFinding;
use super::super::tree::SourceTree;

const FOLDERS: &str = "crates/syntax/languages/";
const REGISTRY: &str = "crates/syntax/src/registry.rs";

/// Languages whose name is also an everyday word of the product (a format, an option, a letter).
const EVERYDAY_LANGUAGE_NAMES: [&str; 11] =
    ["bash", "c", "css", "html", "json", "markdown", "plaintext", "r", "sql", "toml", "yaml"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let languages = language_names(tree);
    let mut findings = Vec::new();
    for (source, text) in tree.rust_files().filter(|(source, _)| source.path != REGISTRY && !source.is_test()) {
        for literal in text.product_literals().filter(|literal| languages.contains(&literal.text.as_str())) {
            findings.push(source.build_finding(
                literal.line,
                format!("names the language \"{}\"", literal.text),
                "adding a language must stay a folder and one line in registry.rs",
                "ask the language's description instead, or extend it",
            ));
        }
    }
    findings
}

fn language_names(tree: &SourceTree) -> Vec<&str> {
    let folders = tree.sources().iter().filter_map(|source| source.path.strip_prefix(FOLDERS)?.split_once('/'));
    let mut names: Vec<&str> =
        folders.map(|(name, _)| name).filter(|name| !EVERYDAY_LANGUAGE_NAMES.contains(name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    const GO: (&str, &str) = ("crates/syntax/languages/go/language.toml", "");
    const JSON: (&str, &str) = ("crates/syntax/languages/json/language.toml", "");

    #[test]
    fn a_language_in_the_code_is_found() {
        finds(
            check,
            &[GO, ("crates/engine/src/index.rs", "//! Index.\nfn f(l: &str) -> bool { l == \"go\" }")],
            &expect![[r#"
                crates/engine/src/index.rs:2: names the language "go": adding a language must stay a folder and one line in registry.rs; ask the language's description instead, or extend it"#]],
        );
    }

    #[test]
    fn the_registry_tests_sentences_and_formats_pass() {
        let code = "fn f() { \"go on\"; \"json\"; }\n#[cfg(test)]\nmod tests { fn t() { \"go\" } }";
        accepts(
            check,
            &[GO, JSON, (REGISTRY, "\"go\""), ("crates/engine/src/a.rs", code), ("crates/engine/tests/b.rs", "\"go\"")],
        );
    }
}

//! Tidy rule: no string literal outside of `crates/agents` names a coding agent. An agent is a folder: no other code
//! decides by its name.

use super::super::TidyFinding;
use super::super::tree::SourceTree;

const FOLDERS: &str = "crates/agents/src/catalog/";

/// The crate that knows agents, and code that drives the program from outside, as tests do.
const AGENT_AWARE_PATHS: [&str; 2] = ["crates/agents/", "xtask/"];

/// Agents whose name is also an everyday word of the product.
const EVERYDAY_AGENT_NAMES: [&str; 1] = ["cursor"];

/// A file that may hold a name, and why it is not about an agent.
const ALLOWED_MENTIONS: [(&str, &str, &str); 2] = [
    ("crates/providers/src/vendor.rs", "codex", "the program that writes texts for us, whose agent nobody connects"),
    ("crates/epitome/src/cli/links.rs", "zed", "the terminal inside of the editor, which opens links"),
];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let agents = agent_names(tree);
    let knows = |path: &str| AGENT_AWARE_PATHS.iter().any(|folder| path.starts_with(folder));
    let mut findings = Vec::new();
    for (source, text) in tree.rust_files().filter(|(source, _)| !knows(&source.path) && !source.is_test()) {
        let is_allowed =
            |name: &str| ALLOWED_MENTIONS.iter().any(|(path, allowed, _)| *path == source.path && *allowed == name);
        for literal in text.product_literals() {
            if agents.contains(&literal.text) && !is_allowed(&literal.text) {
                findings.push(source.build_finding(
                    literal.line,
                    format!("names the agent \"{}\"", literal.text),
                    "adding an agent must stay a folder and one line in its table",
                    "declare what is special about the agent in its folder, and ask for that",
                ));
            }
        }
    }
    findings
}

/// The names of agents, as their folders say them.
fn agent_names(tree: &SourceTree) -> Vec<String> {
    let folders = tree.sources().iter().filter_map(|source| source.path.strip_prefix(FOLDERS)?.split_once('/'));
    let mut names: Vec<String> = folders.map(|(folder, _)| folder.replace('_', "-")).collect();
    names.retain(|name| !EVERYDAY_AGENT_NAMES.contains(&name.as_str()));
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    const CLAUDE: (&str, &str) =
        ("crates/agents/src/catalog/claude_code/mod.rs", "const NAME: &str = \"claude-code\";");
    const CODEX: (&str, &str) = ("crates/agents/src/catalog/codex/mod.rs", "");
    const CURSOR: (&str, &str) = ("crates/agents/src/catalog/cursor/mod.rs", "");

    #[test]
    fn a_decision_by_the_name_of_an_agent_is_found() {
        finds(
            check,
            &[
                CLAUDE,
                CODEX,
                ("crates/epitome/src/hook/a.rs", "//! A.\nfn f(agent: &str) -> bool { agent == \"claude-code\" }"),
                ("crates/engine/src/b.rs", "fn f(agent: &str) -> bool {\n    matches!(agent, \"codex\")\n}"),
            ],
            &expect![[r#"
                crates/epitome/src/hook/a.rs:2: names the agent "claude-code": adding an agent must stay a folder and one line in its table; declare what is special about the agent in its folder, and ask for that
                crates/engine/src/b.rs:2: names the agent "codex": adding an agent must stay a folder and one line in its table; declare what is special about the agent in its folder, and ask for that"#]],
        );
    }

    #[test]
    fn the_agents_tests_sentences_and_everyday_words_pass() {
        let code = "fn f() { \"as claude-code does\"; \"cursor\"; \"an agent\"; }\n\
                    #[cfg(test)]\nmod tests { fn t() { \"claude-code\" } }";
        accepts(
            check,
            &[
                CLAUDE,
                CODEX,
                CURSOR,
                ("crates/epitome/src/a.rs", code),
                ("crates/epitome/tests/cli/b.rs", "\"claude-code\""),
                ("xtask/src/hosts/agents/codex.rs", "\"codex\""),
                ("crates/providers/src/vendor.rs", "fn f() { \"codex\" }"),
            ],
        );
    }

    #[test]
    fn what_is_allowed_in_one_file_is_found_in_others() {
        let literal = "fn f() { \"codex\" }";
        let found = check(&SourceTree::of(&[CODEX, ("crates/providers/src/other.rs", literal)]));
        assert_eq!(found.len(), 1);
    }
}

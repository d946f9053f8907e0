//! The command `cargo xtask tidy`: checks the source text against house rules, so that no reviewer has to. A rule is
//! one function over the tree that returns findings; adding one is that function and one line in [`RULES`]. The rules
//! run as `cargo xtask tidy` and inside `cargo test`.

use std::fmt;

use anyhow::{Result, bail};

use crate::{refuse_arguments, repository};

mod figures;
mod module_graph;
mod rules;
mod rust_text;
mod tree;
mod words;

use figures::SourceFigures;
use tree::SourceTree;

type TidyRule = fn(&SourceTree) -> Vec<TidyFinding>;

const RULES: &[TidyRule] = &[
    rules::size::check,
    rules::header::check,
    rules::names::check,
    rules::module_words::check,
    rules::unique_types::check,
    rules::edges::check,
    rules::lints::check,
    rules::map::check,
    rules::document_paths::check,
    rules::languages::check,
    rules::agent_names::check,
    rules::layers::check,
    rules::sql::check,
    rules::printing::check,
    rules::serialization::check,
    rules::ambient::check,
    rules::spawning::check,
    rules::leftovers::check,
    rules::machine_paths::check,
];

/// The `tidy` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    // The only argument; anything behind it is refused like any other.
    let wants_figures = arguments.first().is_some_and(|argument| argument == "--figures");
    refuse_arguments(&arguments[usize::from(wants_figures)..])?;
    let tree = SourceTree::from_repository(repository::root())?;
    if wants_figures {
        println!("{}", SourceFigures::from_tree(&tree));
        return Ok(());
    }
    let findings = check_tree(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} to mend in {} files", findings.len(), tree.sources().len());
    }
    println!("tidy: {} files, {} rules, nothing to say", tree.sources().len(), RULES.len());
    Ok(())
}

fn check_tree(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings: Vec<TidyFinding> = RULES.iter().flat_map(|rule| rule(tree)).collect();
    // Sorted, so that two runs print the same and a diff of them is readable.
    findings.sort();
    findings
}

/// One finding: where it is, what is wrong, why it matters and how to fix it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TidyFinding {
    path: String,
    line: usize,
    what: String,
    why: &'static str,
    fix: &'static str,
}

impl fmt::Display for TidyFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TidyFinding { path, line, what, why, fix } = self;
        write!(f, "{path}:{line}: {what}: {why}; {fix}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let tree = SourceTree::from_repository(repository::root()).expect("the repository can be listed with git");
        let findings: Vec<String> = check_tree(&tree).iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    }
}

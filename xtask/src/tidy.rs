//! House rules that reading the text can hold, so that no reviewer has to.
//!
//! A rule is one function over the tree that returns findings; adding one is that function and one line in
//! [`RULES`]. The rules run as `cargo xtask tidy` and inside `cargo test`.

use std::fmt;

use anyhow::{Result, bail};

use crate::{refuse_arguments, repository};

mod figures;
mod rules;
mod rust_text;
mod tree;
mod words;

use figures::SourceFigures;
use tree::Tree;

type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: &[Rule] = &[
    rules::size::check,
    rules::header::check,
    rules::names::check,
    rules::edges::check,
    rules::lints::check,
    rules::map::check,
    rules::languages::check,
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
    let wants_figures = arguments.first().is_some_and(|argument| argument == "--figures");
    refuse_arguments(&arguments[usize::from(wants_figures)..])?;
    let tree = Tree::read(repository::root())?;
    if wants_figures {
        println!("{}", SourceFigures::from_tree(&tree));
        return Ok(());
    }
    let findings = check(&tree);
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} to mend in {} files", findings.len(), tree.sources().len());
    }
    println!("tidy: {} files, {} rules, nothing to say", tree.sources().len(), RULES.len());
    Ok(())
}

fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(tree)).collect();
    findings.sort();
    findings
}

/// One thing to mend: where, what it is, why it matters and what to do.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    what: String,
    why: &'static str,
    fix: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { path, line, what, why, fix } = self;
        write!(f, "{path}:{line}: {what}: {why}; {fix}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let tree = Tree::read(repository::root()).expect("the repository can be listed with git");
        let findings: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    }
}

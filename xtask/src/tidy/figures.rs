//! Source metrics for `cargo xtask tidy --figures`: how the source of all crates of the workspace reads, in numbers,
//! without their tests. Rules forbid single findings; these numbers show where the whole is going.

use std::collections::BTreeMap;
use std::fmt;

use super::module_graph::{self, CrateModules};
use super::rules::layers::{LAYERED, LAYERS};
use super::rust_text::RustText;
use super::tree::{SourceTree, TidyFile};
use super::words;

/// Words that leave open who or what a sentence is about.
const VAGUE_WORDS: [&str; 3] = ["nobody", "somebody", "whoever"];

/// The numbers of one tree.
#[derive(Default)]
pub(super) struct SourceFigures {
    /// Every definition of a type, by its name: the files that define it.
    types: BTreeMap<String, Vec<String>>,
    functions: usize,
    one_word_functions: usize,
    vague_comments: usize,
    code_lines: usize,
    body_comments: usize,
    mutual_pairs: Vec<String>,
}

impl SourceFigures {
    pub(super) fn from_tree(tree: &SourceTree) -> Self {
        let mut figures = Self { mutual_pairs: mutual_pairs(tree), ..Self::default() };
        // Tests may repeat themselves and need no reasons, so they would hide how the product reads.
        for (source, text) in tree.rust_files().filter(|(source, _)| !source.is_test()) {
            figures.add_definitions(source, text);
            figures.add_comments(source, text);
        }
        figures
    }

    fn add_definitions(&mut self, source: &TidyFile, text: &RustText) {
        for definition in text.product_definitions() {
            if definition.is_function {
                self.functions += 1;
                self.one_word_functions += usize::from(definition.name.trim_matches('_').split('_').count() == 1);
            } else {
                self.types.entry(definition.name.to_owned()).or_default().push(source.path.clone());
            }
        }
    }

    fn add_comments(&mut self, source: &TidyFile, text: &RustText) {
        self.code_lines += source.text.lines().filter(|line| !line.trim().is_empty()).count();
        for comment in text.comments().iter().filter(|comment| !text.is_test(comment.offset)) {
            let lower = comment.text.to_lowercase();
            self.vague_comments += usize::from(VAGUE_WORDS.iter().any(|word| words::contains_word(&lower, word)));
            let is_doc = comment.text.starts_with("///") || comment.text.starts_with("//!");
            self.body_comments += usize::from(!is_doc && text.is_nested(comment.offset));
        }
    }

    /// Names of types that are defined in more than one place.
    fn repeated_types(&self) -> impl Iterator<Item = (&String, &Vec<String>)> {
        self.types.iter().filter(|(_, homes)| homes.len() > 1)
    }
}

/// Pairs of modules that use each other: at the top of every crate, and inside of each layer of the engine.
fn mutual_pairs(tree: &SourceTree) -> Vec<String> {
    let mut pairs = Vec::new();
    for (folder, modules) in CrateModules::from_tree(tree) {
        let references = modules.references();
        let layers = LAYERS.iter().filter(|_| folder == LAYERED).map(|(layer, _)| vec![*layer]);
        for above in std::iter::once(Vec::new()).chain(layers) {
            let place = above.iter().fold(folder.to_owned(), |place, layer| format!("{place} {layer}"));
            pairs.extend(
                module_graph::mutual_pairs(&references, &above)
                    .iter()
                    .map(|pair| format!("{place}: {} and {}", pair.first, pair.second)),
            );
        }
    }
    pairs
}

fn is_one_word(name: &str) -> bool {
    name.chars().filter(|c| c.is_uppercase()).count() < 2
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

impl fmt::Display for SourceFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types: usize = self.types.values().map(Vec::len).sum();
        let one_word: usize =
            self.types.iter().filter(|(name, _)| is_one_word(name)).map(|(_, homes)| homes.len()).sum();
        writeln!(f, "types: {types}, one word {:.1} %", percent(one_word, types))?;
        let of_functions = percent(self.one_word_functions, self.functions);
        writeln!(f, "functions: {}, one word {of_functions:.1} %", self.functions)?;
        let repeated: Vec<String> =
            self.repeated_types().map(|(name, homes)| format!("{name} {}", homes.len())).collect();
        writeln!(f, "type names with several homes: {} ({})", repeated.len(), repeated.join(", "))?;
        let pairs = &self.mutual_pairs;
        writeln!(f, "modules that use each other: {} ({})", pairs.len(), pairs.join("; "))?;
        writeln!(f, "comments with {}: {}", VAGUE_WORDS.join("/"), self.vague_comments)?;
        let share = percent(self.body_comments, self.code_lines);
        write!(f, "comments in bodies: {} of {} lines, {share:.1} %", self.body_comments, self.code_lines)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn figures_count_names_modules_and_comments_outside_of_tests() {
        let tree = SourceTree::of(&[
            (
                "crates/engine/src/index/mod.rs",
                "//! Somebody reads.\nuse crate::{Engine, graph::{self, index}};\nstruct Place;\nstruct FilePlace;\n\
                 type Callback = fn(u8);\nimpl Iterator for Place {\n type Item = u8;\n fn next(&mut self) {\n  // Why.\n }\n}\n\
                 fn read_all() {}\n#[cfg(test)]\nmod tests {\n struct Other;\n fn x() {}\n}\n",
            ),
            ("crates/engine/src/graph.rs", "use crate::index;\nenum Place {}\nfn load() {}\n"),
            ("crates/engine/tests/whole.rs", "struct Unseen;"),
        ]);
        expect![[r#"
            types: 4, one word 75.0 %
            functions: 3, one word 66.7 %
            type names with several homes: 1 (Place 2)
            modules that use each other: 1 (crates/engine: graph and index)
            comments with nobody/somebody/whoever: 1
            comments in bodies: 1 of 20 lines, 5.0 %"#]]
        .assert_eq(&SourceFigures::from_tree(&tree).to_string());
    }
}

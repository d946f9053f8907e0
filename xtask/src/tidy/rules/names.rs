//! Tidy rule: no names that say nothing, such as modules `utils`, types that end with `Manager`, or functions that
//! begin with `get_`.

use std::ops::Range;

use super::super::TidyFinding;
use super::super::rust_text::{RustText, TYPE_KEYWORDS};
use super::super::tree::{SourceTree, TidyFile};
use super::super::words;

const MODULES: [&str; 10] =
    ["utils", "util", "helpers", "helper", "common", "misc", "shared", "manager", "service", "processor"];
const MODULE_SUFFIXES: [&str; 2] = ["_util", "_utils"];
const TYPE_SUFFIXES: [&str; 4] = ["Impl", "Manager", "Info", "Data"];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    tree.rust_files().flat_map(|(source, text)| in_path(source).into_iter().chain(in_code(source, text))).collect()
}

fn in_path(source: &TidyFile) -> Option<TidyFinding> {
    let part = source.path.split('/').map(|part| part.trim_end_matches(".rs")).find(|part| is_empty_module(part))?;
    Some(module_finding(source, 1, part))
}

fn in_code(source: &TidyFile, text: &RustText) -> Vec<TidyFinding> {
    let foreign = trait_implementations(text);
    let mut findings = Vec::new();
    let mut keyword = "";
    for (at, word) in words::find_identifiers(text.code()) {
        let line = || text.line_at(at);
        // The methods of a trait are named by the trait, which may be of another crate.
        let is_foreign = foreign.iter().any(|block| block.contains(&at));
        if keyword == "mod" && is_empty_module(word) {
            findings.push(module_finding(source, line(), word));
        } else if TYPE_KEYWORDS.contains(&keyword) && !is_foreign {
            findings.extend(type_finding(source, line(), word));
        } else if keyword == "fn" && word.starts_with("get_") && !is_foreign {
            findings.push(source.build_finding(
                line(),
                format!("function `{word}`"),
                "`get_` adds nothing to the name of what it returns",
                "drop the prefix, or say what is done to find it",
            ));
        }
        keyword = word;
    }
    findings
}

fn is_empty_module(name: &str) -> bool {
    MODULES.contains(&name) || MODULE_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

fn module_finding(source: &TidyFile, line: usize, name: &str) -> TidyFinding {
    source.build_finding(
        line,
        format!("module `{name}`"),
        "a name that fits anything collects everything",
        "put the code beside the data it works on, or name the module by what it does",
    )
}

fn type_finding(source: &TidyFile, line: usize, name: &str) -> Option<TidyFinding> {
    let suffix = TYPE_SUFFIXES.iter().find(|suffix| name.ends_with(*suffix))?;
    Some(source.build_finding(
        line,
        format!("type `{name}`"),
        "the ending carries no meaning",
        match *suffix {
            "Impl" => "name it by what sets it apart from another implementation",
            "Manager" => "name it by what it holds or does",
            _ => "name it by what it describes",
        },
    ))
}

/// The bodies of `impl Trait for Type`.
fn trait_implementations(text: &RustText) -> Vec<Range<usize>> {
    words::word_offsets(text.code(), "impl")
        .filter_map(|at| {
            let block = text.block_after(at)?;
            let head = &text.code()[at..block.start];
            (!head.contains(';') && words::contains_word(head, "for")).then_some(block)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::sample::{accepts, finds};
    use super::*;

    #[test]
    fn empty_names_are_found() {
        finds(
            check,
            &[
                ("crates/engine/src/utils.rs", ""),
                ("crates/engine/src/path_util.rs", ""),
                ("crates/epitome/tests/common/mod.rs", ""),
                (
                    "crates/engine/src/lib.rs",
                    "mod helpers {}\npub struct StoreImpl;\nenum FileInfo {}\ntrait JobManager {\n fn get_job(&self);\n}\nimpl Engine { pub fn get_name(&self) {} }",
                ),
            ],
            &expect![[r#"
                crates/engine/src/utils.rs:1: module `utils`: a name that fits anything collects everything; put the code beside the data it works on, or name the module by what it does
                crates/engine/src/path_util.rs:1: module `path_util`: a name that fits anything collects everything; put the code beside the data it works on, or name the module by what it does
                crates/epitome/tests/common/mod.rs:1: module `common`: a name that fits anything collects everything; put the code beside the data it works on, or name the module by what it does
                crates/engine/src/lib.rs:1: module `helpers`: a name that fits anything collects everything; put the code beside the data it works on, or name the module by what it does
                crates/engine/src/lib.rs:2: type `StoreImpl`: the ending carries no meaning; name it by what sets it apart from another implementation
                crates/engine/src/lib.rs:3: type `FileInfo`: the ending carries no meaning; name it by what it describes
                crates/engine/src/lib.rs:4: type `JobManager`: the ending carries no meaning; name it by what it holds or does
                crates/engine/src/lib.rs:5: function `get_job`: `get_` adds nothing to the name of what it returns; drop the prefix, or say what is done to find it
                crates/engine/src/lib.rs:7: function `get_name`: `get_` adds nothing to the name of what it returns; drop the prefix, or say what is done to find it"#]],
        );
    }

    #[test]
    fn names_fixed_by_a_foreign_trait_and_uses_pass() {
        accepts(
            check,
            &[(
                "crates/epitome/src/mcp/server.rs",
                "use rmcp::ServerInfo; // struct FooInfo\nimpl<T> rmcp::ServerHandler for Server<T> {\n fn get_info(&self) -> ServerInfo { map.get_mut(\"fn get_x\") }\n}\nfn getter() {}",
            )],
        );
    }
}

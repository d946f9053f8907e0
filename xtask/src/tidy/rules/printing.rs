//! Tidy rule: only the doors (command line, MCP, xtask), build scripts and tests print to stdout or stderr (`println!`,
//! `eprintln!`, `stdout()`): stdout is data, and on the stdio transport it is the protocol.

use super::super::TidyFinding;
use super::super::tree::SourceTree;

const CALLS: [&str; 5] = ["println!", "print!", "eprintln!", "eprint!", "stdout()"];
const PRINTING_PATHS: [&str; 5] = [
    "crates/epitome/src/cli.rs",
    "crates/epitome/src/cli/",
    "crates/epitome/src/main.rs",
    "crates/epitome/src/mcp/",
    "xtask/",
];

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (source, text) in tree.rust_files() {
        // A build script talks to cargo over standard output.
        let may = PRINTING_PATHS.iter().any(|door| source.path.starts_with(door)) || source.file_name() == "build.rs";
        if may || source.is_test() {
            continue;
        }
        for call in CALLS {
            for line in text.product_lines(call) {
                findings.push(source.build_finding(
                    line,
                    format!("`{call}`"),
                    "only the doors print; a stray line on stdout breaks a protocol",
                    "return the value to the door, or use `tracing`",
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
    fn printing_behind_the_doors_is_found() {
        finds(
            check,
            &[("crates/engine/src/lib.rs", "//! E.\nfn f() { eprintln!(\"x\"); }\nfn g() { io::stdout().lock(); }")],
            &expect![[r#"
                crates/engine/src/lib.rs:2: `eprintln!`: only the doors print; a stray line on stdout breaks a protocol; return the value to the door, or use `tracing`
                crates/engine/src/lib.rs:3: `stdout()`: only the doors print; a stray line on stdout breaks a protocol; return the value to the door, or use `tracing`"#]],
        );
    }

    #[test]
    fn doors_build_scripts_and_child_processes_pass() {
        accepts(
            check,
            &[
                ("crates/epitome/src/cli/render.rs", "println!()"),
                ("crates/epitome/src/mcp/stdio.rs", "tokio::io::stdout()"),
                ("crates/syntax/build.rs", "println!(\"cargo:rerun-if-changed=x\")"),
                ("crates/engine/src/a.rs", "command.stdout(Stdio::piped()); child.stdout.take(); // println!"),
            ],
        );
    }
}

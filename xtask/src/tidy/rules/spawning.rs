//! Tidy rule: in the engine only the closed list of background jobs (`jobs.rs`) starts asynchronous tasks
//! (`tokio::spawn`).

use super::super::TidyFinding;
use super::super::tree::SourceTree;

const JOBS: &str = "crates/engine/src/jobs.rs";

pub(in crate::tidy) fn check(tree: &SourceTree) -> Vec<TidyFinding> {
    let mut findings = Vec::new();
    for (source, text) in
        tree.rust_files().filter(|(source, _)| source.is_source_of(&["engine"]) && source.path != JOBS)
    {
        for call in ["tokio::spawn", "task::spawn"] {
            for line in text.product_lines(call) {
                findings.push(source.build_finding(
                    line,
                    format!("`{call}`"),
                    "a task that is in no list is never stopped",
                    "make it a variant of `Job` and let jobs.rs run it",
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
    fn a_task_outside_jobs_is_found() {
        finds(
            check,
            &[("crates/engine/src/index/watch.rs", "//! W.\nfn f() { tokio::spawn(async {}); }")],
            &expect![
                "crates/engine/src/index/watch.rs:2: `tokio::spawn`: a task that is in no list is never stopped; make it a variant of `Job` and let jobs.rs run it"
            ],
        );
    }

    #[test]
    fn jobs_and_blocking_calls_pass() {
        accepts(
            check,
            &[
                (JOBS, "tokio::spawn(run(job))"),
                ("crates/engine/src/index.rs", "tokio::task::spawn_blocking(parse)"),
                ("crates/epitome/src/http/server.rs", "tokio::spawn(serve())"),
            ],
        );
    }
}

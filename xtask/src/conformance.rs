//! The command `cargo xtask conformance`: runs the official MCP conformance suite against our server, in both eras of
//! the protocol. The suite reaches a server over HTTP only and expects fixtures by name; `serve --conformance-fixtures`
//! provides them. A green tick of the suite can be empty (against a closed port some scenarios check nothing), so what
//! counts is our own reading of its summary.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result, bail};

use crate::process::{self, cargo_command, command_in};
use crate::provision::node_tools::{self, NodeTools};
use crate::served_process::ServedProcess;
use crate::{refuse_arguments, repository};

mod report;

use report::SuiteReport;

/// A revision of the protocol, and how many server scenarios it requires. The sets are frozen; another number means
/// that the summary was not read rightly.
const REVISIONS: [(&str, usize); 2] = [("2026-07-28", 37), ("2025-11-25", 30)];

/// For one scenario, in milliseconds: a healthy one takes a fraction of a second.
const SCENARIO_TIMEOUT: &str = "10000";

/// The `conformance` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    refuse_arguments(arguments)?;
    let root = repository::root();
    // The same selection as the tests build, or half of the dependencies would be compiled twice.
    process::run_command(cargo_command(root, &["build", "--workspace", "--all-targets", "--quiet"]))?;
    check()
}

/// Runs both requirement sets against the server that is already built.
pub(crate) fn check() -> Result<()> {
    let tools = node_tools::ensure_tools()?;
    let target = repository::target_directory()?;
    let folder = target.join("conformance");
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    fs_err::create_dir_all(&folder)?;
    let binary = target.join("debug").join("epitome");
    let mut serve =
        command_in(repository::root(), binary, &["serve", "--conformance-fixtures", "--address", "127.0.0.1:0"]);
    serve.env("EPITOME_HOME", folder.join("home"));
    let server = ServedProcess::start(serve, folder.join("server.log"))?;
    let mut failed = 0;
    for (revision, required) in REVISIONS {
        let details = folder.join(revision);
        let report = SuiteReport::parse(&run_suite(&tools, server.ready_text("mcp")?, revision, &details)?)
            .with_context(|| format!("cannot read the summary of {revision}"))?;
        print!("{}", report.render(revision, &details));
        // A summary with fewer scenarios can be all green and mean nothing, as against a closed port.
        if report.required.len() != required {
            bail!("{revision} requires {required} scenarios, the summary has {}", report.required.len());
        }
        failed += report.failed_scenarios().count();
    }
    if failed > 0 {
        bail!("{failed} required scenarios failed; the server's talk is in {}", server.log.display());
    }
    Ok(())
}

fn run_suite(tools: &NodeTools, url: &str, revision: &str, details: &Path) -> Result<String> {
    let mut suite = command_in(repository::root(), &tools.node, &[]);
    suite.arg(&tools.conformance).args(["server", "--url", url, "--requirements", revision]);
    suite.args(["--timeout", SCENARIO_TIMEOUT, "--output-dir"]).arg(details);
    // The exit status only says that some failed, which the summary says better; without a summary the parser
    // complains.
    let output = suite.stderr(Stdio::inherit()).output().context("cannot start the conformance suite")?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

//! The command `cargo xtask clients`: writes the typed part of the client libraries in `clients/` from what the debug
//! binary says of its HTTP API, or checks that it is up to date and runs their tests against that binary. What a library
//! can do is therefore always what the program offers; nothing about an operation is written twice.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::process::{self, cargo_command, command_in};
use crate::provision::node_tools;
use crate::repository;

mod api;
mod python;
mod typescript;

use api::ClientApi;

/// A file that is written from the description of the API.
struct GeneratedFile {
    path: &'static str,
    write: fn(&ClientApi) -> String,
}

const GENERATED: &[GeneratedFile] = &[
    GeneratedFile { path: "clients/python/src/epitome/operations.py", write: python::write_module },
    GeneratedFile { path: "clients/node/src/operations.js", write: typescript::write_module },
    GeneratedFile { path: "clients/node/src/operations.d.ts", write: typescript::write_declarations },
];

/// The `clients` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let is_check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => bail!("unexpected arguments `{}`\nhint: cargo xtask clients [--check]", arguments.join(" ")),
    };
    // The same selection as the tests build, or half of the dependencies would be compiled twice.
    let build = ["build", "--workspace", "--all-targets", "--quiet"];
    process::run_command(cargo_command(repository::root(), &build))?;
    if is_check { check() } else { write_files() }
}

fn write_files() -> Result<()> {
    let api = read_api()?;
    for file in GENERATED {
        let path = repository::root().join(file.path);
        let text = (file.write)(&api);
        // An unchanged file keeps its time, so that nothing is built again because of it.
        if fs_err::read_to_string(&path).is_ok_and(|old| old == text) {
            continue;
        }
        fs_err::write(&path, text)?;
        println!("wrote {}", file.path);
    }
    Ok(())
}

/// Compares the generated files with the API, then runs the tests of both libraries with the program that is built.
pub(crate) fn check() -> Result<()> {
    let api = read_api()?;
    for file in GENERATED {
        let text = fs_err::read_to_string(repository::root().join(file.path))?;
        if text != (file.write)(&api) {
            bail!("{} is not what the program says of its API\nhint: cargo xtask clients", file.path);
        }
    }
    let target = repository::target_directory()?;
    let program = target.join("debug").join("epitome");
    let python = command_in(
        &repository::root().join("clients/python"),
        "python3",
        &["-W", "error", "-m", "unittest", "discover", "--start-directory", "tests"],
    );
    let (node, _) = node_tools::ensure_node(&target.join("node-tools"))?;
    let node = command_in(&repository::root().join("clients/node"), node, &["--test"]);
    for mut tests in [python, node] {
        tests.env("EPITOME_PROGRAM", &program);
        process::run_command(tests)?;
    }
    Ok(())
}

fn read_api() -> Result<ClientApi> {
    let program = repository::target_directory()?.join("debug").join("epitome");
    let text = process::read_output(command_in(repository::root(), program, &["reference", "--openapi"]))?;
    let document: Value = serde_json::from_str(&text).context("`epitome reference --openapi` printed no JSON")?;
    ClientApi::parse(&document)
}

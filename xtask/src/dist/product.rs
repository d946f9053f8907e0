//! What every package says of the program, read once from its manifest, and its names where the plain one is taken.

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::process::{self, cargo_command};
use crate::repository;

pub(super) struct Product {
    /// Of the command, the archive, the Debian package, the formula and the npm package.
    pub(super) name: String,
    pub(super) version: String,
    pub(super) description: String,
    pub(super) licence: String,
    pub(super) repository: String,
}

impl Product {
    /// The name of the wheel: `epitome` is another project's in the Python index. The command is the same.
    pub(super) const PYTHON_NAME: &str = "epitome-cli";
    pub(super) const MAINTAINER: &str = "The Epitome authors <epitome-dev@users.noreply.github.com>";

    pub(super) fn read() -> Result<Product> {
        let command =
            cargo_command(repository::root(), &["metadata", "--format-version", "1", "--no-deps", "--offline"]);
        let metadata: Value = serde_json::from_str(&process::read_output(command)?)?;
        let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
        let package = packages.iter().find(|package| package["name"] == "epitome").context("no package `epitome`")?;
        let text = |key: &str| {
            package[key].as_str().map(str::to_owned).with_context(|| format!("the manifest of epitome has no `{key}`"))
        };
        Ok(Product {
            name: text("name")?,
            version: text("version")?,
            description: text("description")?,
            licence: text("license")?,
            // The manifest of the crate leaves it to the workspace.
            repository: read_repository()?,
        })
    }

    /// Where a release keeps its files.
    pub(super) fn release_url(&self, file: &str) -> String {
        format!("{}/releases/download/v{}/{file}", self.repository, self.version)
    }

    /// What a registry shows of the package, with how it is installed there.
    pub(super) fn render_readme(&self, install: &str) -> String {
        format!(
            "# Epitome\n\n{}.\n\n```sh\n{install}\nepitome init       # connects the coding agents that are installed\n\
             epitome context \"how are passwords checked\"\nepitome disconnect # takes all of it out again\n```\n\n\
             The program is inside of the package: nothing is downloaded later. More: {}\n",
            self.description, self.repository
        )
    }
}

fn read_repository() -> Result<String> {
    let manifest: toml::Table = fs_err::read_to_string(repository::root().join("Cargo.toml"))?.parse()?;
    let workspace = manifest.get("workspace").and_then(|table| table.get("package"));
    let repository = workspace.and_then(|package| package.get("repository")).and_then(toml::Value::as_str);
    repository.map(str::to_owned).context("Cargo.toml names no repository")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files that name a version because another tool reads it there.
    const MANIFESTS: [&str; 4] = [
        "clients/node/package.json",
        "clients/python/pyproject.toml",
        "editors/vscode/package.json",
        "plugin/.claude-plugin/plugin.json",
    ];

    #[test]
    fn every_manifest_names_the_version_of_the_program() {
        let version = Product::read().expect("a manifest").version;
        for path in MANIFESTS {
            let path = repository::root().join(path);
            if !path.exists() {
                continue;
            }
            let text = fs_err::read_to_string(&path).expect("a manifest");
            let line = text.lines().find(|line| line.trim_start().trim_start_matches('"').starts_with("version"));
            let line = line.expect("a line with the version");
            assert!(line.contains(&format!("\"{version}\"")), "{}: {line}, the program is {version}", path.display());
        }
    }
}

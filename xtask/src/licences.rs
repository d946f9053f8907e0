//! The command `cargo xtask licences`: checks that every dependency has a licence on the allow list of deny.toml and
//! comes from the default registry. cargo-deny says the same and more, but is not on every machine; the list is small
//! enough to evaluate here, so the answer never depends on what is installed.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::process::{self, cargo_command};
use crate::{refuse_arguments, repository};

mod expression;

/// The `licences` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    refuse_arguments(arguments)?;
    check()
}

/// Our own check always, cargo-deny's in addition where it is installed.
pub(crate) fn check() -> Result<()> {
    let root = repository::root();
    let policy = LicencePolicy::parse(&fs_err::read_to_string(root.join("deny.toml"))?)?;
    // Locked and offline: the answer is about the versions that are built, and the same everywhere.
    let metadata =
        process::read_output(cargo_command(root, &["metadata", "--format-version", "1", "--offline", "--locked"]))
            .context("hint: `cargo xtask provision` fetches what cargo needs offline")?;
    let packages = parse_packages(&metadata)?;
    let problems: Vec<String> = packages.iter().filter_map(|package| policy.find_problem(package)).collect();
    if !problems.is_empty() {
        bail!("{} dependencies may not be used\n  {}", problems.len(), problems.join("\n  "));
    }
    println!("licences: {} packages, all allowed by deny.toml", packages.len());
    if process::find_program("cargo-deny").is_some() {
        process::run_command(cargo_command(root, &["deny", "--offline", "check", "licenses", "bans", "sources"]))?;
    }
    Ok(())
}

struct LicencePolicy {
    licences: Vec<String>,
    registries: Vec<String>,
}

struct DependencyPackage {
    name: String,
    licence: Option<String>,
    /// None for a crate of this repository.
    source: Option<String>,
}

impl LicencePolicy {
    fn parse(text: &str) -> Result<LicencePolicy> {
        let table: toml::Table = text.parse().context("cannot parse deny.toml")?;
        let strings = |section: &str, key: &str| -> Result<Vec<String>> {
            let list = table.get(section).and_then(|section| section.get(key)).and_then(toml::Value::as_array);
            let list = list.with_context(|| format!("deny.toml has no list [{section}] {key}"))?;
            Ok(list.iter().filter_map(toml::Value::as_str).map(str::to_owned).collect())
        };
        Ok(LicencePolicy { licences: strings("licenses", "allow")?, registries: strings("sources", "allow-registry")? })
    }

    fn find_problem(&self, package: &DependencyPackage) -> Option<String> {
        let name = &package.name;
        let source = package.source.as_deref();
        // The source comes first: a licence in a manifest of unknown origin proves nothing.
        if let Some(source) = source.filter(|source| !self.allows_source(source)) {
            return Some(format!("{name} comes from {source}, which deny.toml does not allow"));
        }
        let Some(licence) = &package.licence else {
            return Some(format!("{name} names no licence in its manifest"));
        };
        match expression::is_satisfied(licence, &|id| self.licences.iter().any(|allowed| allowed == id)) {
            Ok(true) => None,
            Ok(false) => Some(format!("{name} is licensed `{licence}`, which deny.toml does not allow")),
            Err(error) => Some(format!("{name} has a licence that cannot be read, `{licence}`: {error}")),
        }
    }

    fn allows_source(&self, source: &str) -> bool {
        let registry = source.strip_prefix("registry+").or_else(|| source.strip_prefix("sparse+"));
        registry.is_some_and(|registry| self.registries.iter().any(|allowed| allowed == registry))
    }
}

fn parse_packages(metadata: &str) -> Result<Vec<DependencyPackage>> {
    let metadata: Value = serde_json::from_str(metadata).context("cannot read cargo metadata")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Ok(packages
        .iter()
        .map(|package| DependencyPackage {
            name: format!("{} {}", package["name"].as_str().unwrap_or("?"), package["version"].as_str().unwrap_or("?")),
            licence: text(&package["license"]),
            source: text(&package["source"]),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn each_forbidden_dependency_is_named_with_its_reason() {
        let policy = LicencePolicy::parse(
            "[licenses]\nallow = [\"MIT\"]\n[sources]\nallow-registry = [\"https://github.com/rust-lang/crates.io-index\"]",
        )
        .expect("a policy");
        let metadata = r#"{"packages":[
            {"name":"ours","version":"0.1.0","license":"MIT OR Apache-2.0","source":null},
            {"name":"fine","version":"1.0.0","license":"MIT","source":"registry+https://github.com/rust-lang/crates.io-index"},
            {"name":"viral","version":"2.0.0","license":"GPL-3.0-only","source":"registry+https://github.com/rust-lang/crates.io-index"},
            {"name":"silent","version":"0.0.1","license":null,"source":null},
            {"name":"broken","version":"0.0.2","license":"MIT OR","source":null},
            {"name":"forked","version":"3.0.0","license":"MIT","source":"git+https://example.com/forked"}
        ]}"#;
        let packages = parse_packages(metadata).expect("metadata");
        let problems: Vec<String> = packages.iter().filter_map(|package| policy.find_problem(package)).collect();
        expect![[r#"
            viral 2.0.0 is licensed `GPL-3.0-only`, which deny.toml does not allow
            silent 0.0.1 names no licence in its manifest
            broken 0.0.2 has a licence that cannot be read, `MIT OR`: a licence is missing
            forked 3.0.0 comes from git+https://example.com/forked, which deny.toml does not allow"#]]
        .assert_eq(&problems.join("\n"));
    }
}

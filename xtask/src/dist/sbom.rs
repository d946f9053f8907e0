//! What the program is made of: the crates that are compiled into it, without those of tests, as `CycloneDX` 1.6. The
//! same versions, licences and sums as in `Cargo.lock`; nothing about the machine or the day.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::product::Product;
use crate::process::{self, cargo_command};
use crate::repository;

/// A crate inside of the program.
pub(super) struct LinkedCrate {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: Option<String>,
    /// Where its source lies; none of ours has a source elsewhere.
    pub(super) folder: PathBuf,
    pub(super) is_ours: bool,
    checksum: Option<String>,
    needs: BTreeSet<String>,
}

/// All crates that the program for one system is compiled from, by cargo's ids.
pub(super) fn read_closure(triple: &str) -> Result<BTreeMap<String, LinkedCrate>> {
    let arguments = ["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", triple];
    let metadata: Value = serde_json::from_str(
        &process::read_output(cargo_command(repository::root(), &arguments))
            .context("hint: `cargo xtask provision` fetches what cargo needs offline")?,
    )?;
    let lock: toml::Table = fs_err::read_to_string(repository::root().join("Cargo.lock"))?.parse()?;
    closure_of(&metadata, &lock)
}

fn closure_of(metadata: &Value, lock: &toml::Table) -> Result<BTreeMap<String, LinkedCrate>> {
    let list = |value: &Value| value.as_array().cloned().context("cargo metadata lacks a list");
    let packages: BTreeMap<String, Value> =
        list(&metadata["packages"])?.into_iter().map(|it| (text(&it["id"]), it)).collect();
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"])?.into_iter().map(|it| (text(&it["id"]), it)).collect();
    let sums = checksums(lock);
    let root = packages.iter().find(|(_, package)| package["name"] == "epitome").context("no package `epitome`")?.0;
    let mut open = vec![root.clone()];
    let mut closure = BTreeMap::new();
    while let Some(id) = open.pop() {
        if closure.contains_key(&id) {
            continue;
        }
        let package = packages.get(&id).with_context(|| format!("cargo metadata lacks {id}"))?;
        let node = nodes.get(&id).with_context(|| format!("cargo metadata resolves no {id}"))?;
        let needs: BTreeSet<String> = list(&node["deps"])?
            .iter()
            .filter(|needed| {
                let kinds = needed["dep_kinds"].as_array();
                kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
            })
            .map(|needed| text(&needed["pkg"]))
            .collect();
        open.extend(needs.iter().cloned());
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let manifest = PathBuf::from(text(&package["manifest_path"]));
        closure.insert(
            id,
            LinkedCrate {
                checksum: sums.get(&(name.clone(), version.clone())).cloned(),
                licence: package["license"].as_str().map(|licence| licence.replace('/', " OR ")),
                folder: manifest.parent().context("a manifest has a folder")?.to_owned(),
                is_ours: package["source"].is_null(),
                name,
                version,
                needs,
            },
        );
    }
    Ok(closure)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn checksums(lock: &toml::Table) -> BTreeMap<(String, String), String> {
    let packages = lock.get("package").and_then(toml::Value::as_array).into_iter().flatten();
    packages
        .filter_map(|package| {
            let field = |key: &str| Some(package.get(key)?.as_str()?.to_owned());
            Some(((field("name")?, field("version")?), field("checksum")?))
        })
        .collect()
}

/// The document.
pub(super) fn render(product: &Product, closure: &BTreeMap<String, LinkedCrate>) -> String {
    let reference = |it: &LinkedCrate| format!("pkg:cargo/{}@{}", it.name, it.version);
    let root = format!("pkg:cargo/{}@{}", product.name, product.version);
    let components = closure.values().filter(|it| reference(it) != root).map(|it| {
        let mut component = json!({
            "type": "library",
            "bom-ref": reference(it),
            "name": it.name,
            "version": it.version,
            "purl": reference(it),
        });
        if let Some(licence) = &it.licence {
            component["licenses"] = json!([{ "expression": licence }]);
        }
        if let Some(sum) = &it.checksum {
            component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
        }
        component
    });
    let edges = closure.values().map(|it| {
        let needs: BTreeSet<String> = it.needs.iter().filter_map(|id| Some(reference(closure.get(id)?))).collect();
        json!({ "ref": reference(it), "dependsOn": needs })
    });
    let document = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "bom-ref": root,
            "name": product.name,
            "version": product.version,
            "description": product.description,
            "licenses": [{ "expression": product.licence }],
            "purl": root,
        } },
        "components": components.collect::<Vec<_>>(),
        "dependencies": edges.collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_of_tests_are_not_in_the_program() {
        let metadata = json!({
            "packages": [
                { "id": "a", "name": "epitome", "version": "1.0.0", "license": "MIT", "source": null, "manifest_path": "a/Cargo.toml" },
                { "id": "b", "name": "used", "version": "2.0.0", "license": "MIT/Apache-2.0", "source": "registry", "manifest_path": "b/Cargo.toml" },
                { "id": "c", "name": "tests", "version": "3.0.0", "license": "MIT", "source": "registry", "manifest_path": "c/Cargo.toml" },
            ],
            "resolve": { "nodes": [
                { "id": "a", "deps": [
                    { "pkg": "b", "dep_kinds": [{ "kind": null }] },
                    { "pkg": "c", "dep_kinds": [{ "kind": "dev" }] },
                ] },
                { "id": "b", "deps": [] },
                { "id": "c", "deps": [] },
            ] },
        });
        let lock =
            "[[package]]\nname = \"used\"\nversion = \"2.0.0\"\nchecksum = \"abc\"".parse().expect("a lock file");
        let closure = closure_of(&metadata, &lock).expect("a closure");
        let names: Vec<&str> = closure.values().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["epitome", "used"]);
        assert_eq!(closure["b"].licence.as_deref(), Some("MIT OR Apache-2.0"));
        assert_eq!(closure["b"].checksum.as_deref(), Some("abc"));
    }
}

//! The packages of the client libraries: the same for every system. What they say of themselves is in their own manifests,
//! which the tools of their languages read in a checkout, too.

use std::path::Path;

use anyhow::{Context as _, Result};

use super::PackEffort;
use super::archive::pack_folder;
use super::product::Product;
use crate::browser::fresh_folder;
use crate::repository;

/// What the library for Node is called in a folder of packages.
pub(super) fn node_file(product: &Product) -> String {
    format!("{}-client-{}.tgz", product.name, product.version)
}

pub(super) fn python_file(product: &Product) -> String {
    format!("{}_client-{}-py3-none-any.whl", product.name, product.version)
}

pub(super) fn pack(product: &Product, out: &Path) -> Result<()> {
    let staging = repository::target_directory()?.join("dist-libraries");
    let root = repository::root();
    pack_node(product, &root.join("clients/node"), &staging, &out.join(node_file(product)))?;
    pack_python(product, &root.join("clients/python"), &staging, &out.join(python_file(product)))?;
    Ok(fs_err::remove_dir_all(&staging)?)
}

fn pack_node(product: &Product, source: &Path, staging: &Path, out: &Path) -> Result<()> {
    fresh_folder(staging)?;
    fs_err::copy(source.join("package.json"), staging.join("package.json"))?;
    fs_err::write(staging.join("README.md"), read_readme(product, source)?)?;
    place_licences(staging)?;
    copy_files(&source.join("src"), &staging.join("src"))?;
    pack_folder("tar", staging, out, &["package/"], PackEffort::Smallest)
}

fn pack_python(product: &Product, source: &Path, staging: &Path, out: &Path) -> Result<()> {
    fresh_folder(staging)?;
    let manifest: toml::Table = fs_err::read_to_string(source.join("pyproject.toml"))?.parse()?;
    let field = |key: &str| {
        let value = manifest.get("project").and_then(|project| project.get(key)).and_then(toml::Value::as_str);
        value.with_context(|| format!("pyproject.toml has no `{key}`"))
    };
    copy_files(&source.join("src").join("epitome"), &staging.join("epitome"))?;
    let (name, version) = (field("name")?, field("version")?);
    let info = staging.join(format!("{}-{version}.dist-info", name.replace('-', "_")));
    fs_err::create_dir_all(info.join("licenses"))?;
    place_licences(&info.join("licenses"))?;
    fs_err::write(
        info.join("METADATA"),
        format!(
            "Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nSummary: {}\nLicense-Expression: {}\n\
             License-File: LICENSE-MIT\nLicense-File: LICENSE-APACHE\nProject-URL: Repository, {}\n\
             Requires-Python: {}\nClassifier: Typing :: Typed\nDescription-Content-Type: text/markdown\n\n{}",
            field("description")?,
            product.licence,
            product.repository,
            field("requires-python")?,
            read_readme(product, source)?,
        ),
    )?;
    let wheel = "Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
    fs_err::write(info.join("WHEEL"), wheel)?;
    pack_folder("wheel", staging, out, &[], PackEffort::Smallest)
}

/// A registry has no folder above the package, so links lead to the repository.
fn read_readme(product: &Product, source: &Path) -> Result<String> {
    let text = fs_err::read_to_string(source.join("README.md"))?;
    Ok(text.replace("](../../", &format!("]({}/blob/main/", product.repository)))
}

fn place_licences(folder: &Path) -> Result<()> {
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs_err::copy(repository::root().join(licence), folder.join(licence))?;
    }
    Ok(())
}

/// The files of a folder, without what a run leaves between them.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    fs_err::create_dir_all(to)?;
    for entry in fs_err::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs_err::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

//! The npm packages: one for each system with the program inside, and the one that people name, which depends on all of
//! them as optional and starts the one that npm took. No script runs at installation, and nothing is downloaded by one.

use std::path::Path;

use anyhow::Result;
use serde_json::{Map, Value, json};

use super::archive::pack_folder;
use super::binary_format::SystemKind;
use super::platform::PLATFORMS;
use super::product::Product;
use super::{PackEffort, ReleaseBuild, make_executable};
use crate::browser::fresh_folder;
use crate::repository;

/// The package with the program for one system.
pub(super) fn pack_platform(build: &ReleaseBuild) -> Result<()> {
    let folder = build.stage("npm-platform")?;
    let (platform, product) = (build.platform, &build.product);
    let name = platform.npm_name(product);
    let mut manifest = describe(product, &name);
    manifest.insert("os".to_owned(), json!([platform.node.0]));
    manifest.insert("cpu".to_owned(), json!([platform.node.1]));
    if platform.system == SystemKind::LinuxGlibc {
        manifest.insert("libc".to_owned(), json!(["glibc"]));
    }
    manifest.insert("files".to_owned(), json!(["bin", "licences"]));
    build.place_binary(&folder.join("bin").join(platform.program_file()))?;
    build.place_notices(&folder.join("licences"))?;
    let text = format!("# {name}\n\nThe program of `{}` for {}. Install `{0}`.\n", product.name, platform.triple);
    fs_err::write(folder.join("README.md"), text)?;
    write_manifest(&folder, manifest)?;
    pack_npm(&folder, &build.out, &name, product, build.effort)
}

/// The package that people name.
pub(super) fn pack_chooser(product: &Product, out: &Path) -> Result<()> {
    let folder = repository::target_directory()?.join("dist-npm");
    fresh_folder(&folder)?;
    let mut manifest = describe(product, &product.name);
    manifest.insert("bin".to_owned(), json!({ &product.name: "bin/epitome.js" }));
    manifest.insert("files".to_owned(), json!(["bin"]));
    manifest.insert("engines".to_owned(), json!({ "node": ">=18" }));
    let packages: Map<String, Value> =
        PLATFORMS.iter().map(|platform| (platform.npm_name(product), json!(product.version))).collect();
    manifest.insert("optionalDependencies".to_owned(), Value::Object(packages));
    fs_err::create_dir_all(folder.join("bin"))?;
    let launcher = folder.join("bin").join("epitome.js");
    fs_err::copy(repository::root().join("tools").join("dist").join("npm-launcher.js"), &launcher)?;
    make_executable(&launcher)?;
    fs_err::write(folder.join("README.md"), product.render_readme("npm install --global epitome"))?;
    for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
        fs_err::copy(repository::root().join(licence), folder.join(licence))?;
    }
    write_manifest(&folder, manifest)?;
    pack_npm(&folder, out, &product.name, product, PackEffort::Smallest)?;
    Ok(fs_err::remove_dir_all(&folder)?)
}

fn describe(product: &Product, name: &str) -> Map<String, Value> {
    let manifest = json!({
        "name": name,
        "version": product.version,
        "description": product.description,
        "license": product.licence,
        "homepage": product.repository,
        "repository": { "type": "git", "url": format!("git+{}.git", product.repository) },
    });
    let Value::Object(manifest) = manifest else { unreachable!("it is written as an object") };
    manifest
}

fn write_manifest(folder: &Path, manifest: Map<String, Value>) -> Result<()> {
    Ok(fs_err::write(folder.join("package.json"), format!("{:#}\n", Value::Object(manifest)))?)
}

/// A package of npm is an archive with everything below `package/`.
fn pack_npm(folder: &Path, out: &Path, name: &str, product: &Product, effort: PackEffort) -> Result<()> {
    pack_folder("tar", folder, &out.join(format!("{name}-{}.tgz", product.version)), &["package/"], effort)
}

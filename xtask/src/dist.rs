//! The command `cargo xtask dist`: makes every package of a release from one built program: archive, npm, Python wheel,
//! Debian package, SBOM, and as text the Homebrew formula and the container file. `--check` installs what lies in a folder
//! into clean directories, without network and without Rust, and uses it. What packages say of themselves comes from
//! `product.rs`; what differs between systems from `platform.rs`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::browser::fresh_folder;
use crate::process::{self, cargo_command, command_in};
use crate::repository;

mod archive;
mod binary_format;
mod debian;
mod libraries;
mod npm;
mod package_texts;
mod platform;
mod product;
mod sbom;
mod smoke;
mod third_party;
mod wheel;

use binary_format::ProgramFormat;
use platform::ReleasePlatform;
use product::Product;

const USAGE: &str = "cargo xtask dist --out DIR [--binary PATH] [--target TRIPLE] | --join DIR | --check DIR";

/// One program on its way into packages.
struct ReleaseBuild {
    product: Product,
    platform: &'static ReleasePlatform,
    format: ProgramFormat,
    binary: PathBuf,
    /// The finished packages.
    out: PathBuf,
    /// Folders that are packed, and may go afterwards.
    staging: PathBuf,
    /// What each package carries beside the program, with its names.
    notices: Vec<(String, String)>,
    effort: PackEffort,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PackEffort {
    Smallest,
    /// For a check of packages that nobody will download.
    Quickest,
}

/// The `dist` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let mut options = DistOptions::default();
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = || format!("`{flag}` needs a value\nhint: {USAGE}");
        let slot = match flag.as_str() {
            "--out" => &mut options.out,
            "--binary" => &mut options.binary,
            "--target" => &mut options.target,
            "--join" => &mut options.join,
            "--check" => &mut options.check,
            _ => bail!("unexpected argument `{flag}`\nhint: {USAGE}"),
        };
        *slot = Some(rest.next().with_context(value)?.clone());
    }
    match options {
        DistOptions { out: Some(out), binary, target, join: None, check: None } => {
            let binary = match binary {
                Some(path) => absolute(&path)?,
                None => build_program(target.as_deref())?,
            };
            make_packages(&binary, &absolute(&out)?, PackEffort::Smallest)
        }
        DistOptions { out: None, binary: None, target: None, join: Some(folder), check: None } => {
            join_packages(&Product::read()?, &absolute(&folder)?)
        }
        DistOptions { out: None, binary: None, target: None, join: None, check: Some(folder) } => {
            smoke::check_packages(&Product::read()?, &absolute(&folder)?)
        }
        _ => bail!("say what to make, or what to check\nhint: {USAGE}"),
    }
}

#[derive(Default)]
struct DistOptions {
    out: Option<String>,
    binary: Option<String>,
    target: Option<String>,
    join: Option<String>,
    check: Option<String>,
}

/// Packs the debug program that is built, and uses it from each package.
pub(crate) fn check() -> Result<()> {
    let target = repository::target_directory()?;
    let folder = target.join("dist-check");
    fresh_folder(&folder)?;
    let binary = folder.join("epitome");
    let mut strip = command_in(&folder, "strip", &["-o"]);
    strip.arg(&binary).arg(target.join("debug").join("epitome"));
    process::run_command(strip)?;
    let out = folder.join("packages");
    make_packages(&binary, &out, PackEffort::Quickest)?;
    smoke::check_packages(&Product::read()?, &out)
}

fn make_packages(binary: &Path, out: &Path, effort: PackEffort) -> Result<()> {
    let product = Product::read()?;
    let format = ProgramFormat::read(binary)?;
    let platform = ReleasePlatform::find(&format)?;
    fs_err::create_dir_all(out)?;
    let staging = repository::target_directory()?.join("dist-staging");
    fresh_folder(&staging)?;
    let closure = sbom::read_closure(platform.triple)?;
    let notices = third_party::collect_notices(&closure)?;
    let build = ReleaseBuild {
        product,
        platform,
        format,
        binary: binary.to_owned(),
        out: out.to_owned(),
        staging,
        notices,
        effort,
    };
    println!("packing {} {} for {}", build.product.name, build.product.version, platform.triple);
    fs_err::write(out.join(format!("{}.cdx.json", build.base_name())), sbom::render(&build.product, &closure))?;
    archive::pack(&build)?;
    npm::pack_platform(&build)?;
    wheel::pack(&build)?;
    debian::pack(&build)?;
    fs_err::remove_dir_all(&build.staging)?;
    join_packages(&build.product, out)
}

/// Writes what is the same on all systems: the libraries, the npm package that chooses among programs, the formula, the
/// container file and the sums.
fn join_packages(product: &Product, out: &Path) -> Result<()> {
    npm::pack_chooser(product, out)?;
    libraries::pack(product, out)?;
    let sums = archive::write_sums(out)?;
    let formula = package_texts::render_formula(product, &sums);
    fs_err::write(out.join(format!("{}.rb", product.name)), formula)?;
    fs_err::write(out.join("Containerfile"), package_texts::render_container_file(product))?;
    for (sum, file) in &sums {
        println!("{:>12} bytes  {}  {file}", fs_err::metadata(out.join(file))?.len(), &sum[..12]);
    }
    Ok(())
}

impl ReleaseBuild {
    /// `epitome-0.1.0-x86_64-unknown-linux-gnu`
    fn base_name(&self) -> String {
        format!("{}-{}-{}", self.product.name, self.product.version, self.platform.triple)
    }

    /// An empty folder that will be packed.
    fn stage(&self, name: &str) -> Result<PathBuf> {
        let folder = self.staging.join(name);
        fresh_folder(&folder)?;
        Ok(folder)
    }

    /// Copies the program to a place in a folder that will be packed.
    fn place_binary(&self, path: &Path) -> Result<()> {
        fs_err::create_dir_all(path.parent().expect("a staged file has a folder"))?;
        fs_err::copy(&self.binary, path)?;
        make_executable(path)
    }

    fn place_notices(&self, folder: &Path) -> Result<()> {
        fs_err::create_dir_all(folder)?;
        for (name, text) in &self.notices {
            fs_err::write(folder.join(name), text)?;
        }
        Ok(())
    }
}

/// The program as releases have it.
fn build_program(target: Option<&str>) -> Result<PathBuf> {
    let root = repository::root();
    let mut arguments = vec!["build", "--profile", "dist", "--locked", "--package", "epitome"];
    let mut folder = repository::target_directory()?;
    if let Some(triple) = target {
        arguments.extend(["--target", triple]);
        folder.push(triple);
    }
    process::run_command(cargo_command(root, &arguments))?;
    let name = if target.unwrap_or(std::env::consts::OS).contains("windows") { "epitome.exe" } else { "epitome" };
    Ok(folder.join("dist").join(name))
}

fn absolute(path: &str) -> Result<PathBuf> {
    std::path::absolute(path).with_context(|| format!("cannot find `{path}`"))
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755))?)
}

/// Files have no such mode there.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "it fails elsewhere")]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

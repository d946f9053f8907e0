//! The command `cargo xtask site`: makes a book of README, guides and reference with mdBook, and follows every link in it.
//! Nothing is written for the site alone: a page is a document of the repository, and a link to a file that is no page
//! leads to the repository.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use crate::browser::fresh_folder;
use crate::process::{self, cargo_command, command_in};
use crate::repository;

mod html_links;
mod pages;

use pages::SitePages;

const USAGE: &str = "cargo xtask site --out DIR";
/// Pinned: themes and slugs of headings differ between versions.
const MDBOOK_VERSION: &str = "0.5.4";

/// The `site` command.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    let [flag, out] = arguments else { bail!("say where to put it\nhint: {USAGE}") };
    ensure!(flag == "--out", "unexpected argument `{flag}`\nhint: {USAGE}");
    let out = std::path::absolute(out)?;
    let mdbook = ensure_mdbook()?;
    let staging = repository::target_directory()?.join("site");
    let pages = stage(&staging)?;
    let mut build = command_in(&staging, &mdbook, &["build", "--dest-dir"]);
    let output = build.arg(&out).output().context("cannot start mdbook")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success() && !said.contains("WARN"), "mdbook is not content:\n{said}");
    let links = html_links::check(&out)?;
    println!("site: {} pages, {links} links, all lead somewhere: {}", pages.count(), out.join("index.html").display());
    Ok(())
}

/// What `ci` does: every link in a page leads to a page or to a file of the repository.
pub(crate) fn check() -> Result<()> {
    let pages = stage(&repository::target_directory()?.join("site"))?;
    println!("site: the links of {} pages lead somewhere", pages.count());
    Ok(())
}

fn stage(folder: &Path) -> Result<SitePages> {
    fresh_folder(folder)?;
    let pages = SitePages::collect(repository::root())?;
    pages.write(repository::root(), &folder.join("src"))?;
    fs_err::write(
        folder.join("book.toml"),
        format!(
            "[book]\ntitle = \"Epitome\"\nlanguage = \"en\"\n\n[build]\ncreate-missing = false\n\n[output.html]\n\
             git-repository-url = \"{}\"\npreferred-dark-theme = \"navy\"\n\n[output.html.search]\nlimit-results = 20\n",
            pages.repository
        ),
    )?;
    Ok(pages)
}

/// The program that makes the book: the one on the search path, else one that is built here.
fn ensure_mdbook() -> Result<PathBuf> {
    let tools = repository::target_directory()?.join("site-tools");
    let local = tools.join("bin").join("mdbook");
    let wanted = format!("v{MDBOOK_VERSION}");
    for found in process::find_program("mdbook").into_iter().chain([local.clone()]) {
        let version = process::read_output(command_in(repository::root(), &found, &["--version"]));
        if version.is_ok_and(|version| version.contains(&wanted)) {
            return Ok(found);
        }
    }
    println!("installing   mdbook {MDBOOK_VERSION}, which takes some minutes");
    let mut install = cargo_command(repository::root(), &["install", "--locked", "mdbook", "--version"]);
    install.args([MDBOOK_VERSION, "--quiet", "--root"]).arg(&tools);
    process::run_command(install)?;
    Ok(local)
}

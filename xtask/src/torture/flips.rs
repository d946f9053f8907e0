//! One byte of the database flipped: it is found, or it does not matter. Never is there other text and nobody says so.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};

use super::fold;
use super::home::Home;
use super::{Place, Round, Scenario, copy};

pub(super) const FLIPPED: Scenario =
    Scenario { name: "flips", what: "flipped bytes", rounds: 500, least: 50, prepare: Some(prepare), run, beside: 2 };

/// A folded conversation, and what is said of it.
fn prepare(place: &Place) -> Result<()> {
    if !place.base("fold").exists() {
        fold::prepare(place)?;
    }
    let folder = place.base("flips");
    copy(&place.base("fold").join("whole"), &folder.join("home"))?;
    let home = Home::new(&place.binary, folder.join("home"));
    fs_err::write(folder.join("told"), told(&home)?.context("a whole database answers")?)?;
    Ok(())
}

fn run(round: &mut Round<'_>) -> Result<u64> {
    let base = round.place.base("flips");
    let home = round.home("home");
    copy(&base.join("home"), &home.folder)?;
    let file = database(&home.folder)?;
    let mut bytes = fs_err::read(&file)?;
    let at = round.chance.below(bytes.len() as u64) as usize;
    bytes[at] ^= 1 << round.chance.below(8);
    fs_err::write(&file, bytes)?;
    let found = !home.run(&["verify", "--json"])?.status.success();
    let told = told(&home)?;
    if !found && let Some(told) = told {
        let wanted = fs_err::read_to_string(base.join("told"))?;
        ensure!(told == wanted, "byte {at} of {} is flipped, verify finds nothing, and text differs", file.display());
    }
    Ok(1)
}

/// All that is told of a conversation; none where it is refused.
fn told(home: &Home) -> Result<Option<String>> {
    let mut told = String::new();
    for question in [&["history", "--conversation", "c", "--limit", "1000", "--json"][..], &["assemble", "c", "--json"]]
    {
        let output = home.run(question)?;
        if !output.status.success() {
            return Ok(None);
        }
        told += &String::from_utf8_lossy(&output.stdout);
    }
    Ok(Some(told))
}

/// The largest database of a home: the one with conversations.
fn database(folder: &Path) -> Result<PathBuf> {
    let mut found: Option<(u64, PathBuf)> = None;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            let (path, metadata) = (entry.path(), entry.metadata()?);
            if metadata.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "db")
                && found.as_ref().is_none_or(|(size, _)| metadata.len() > *size)
            {
                found = Some((metadata.len(), path));
            }
        }
    }
    Ok(found.context("the home has no database")?.1)
}

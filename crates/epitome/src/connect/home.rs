//! Reads the user's home folder (files, environment, installed programs) into the snapshot from which connections are
//! planned.

use crate::config::Environment;
use agents::connectors::{HomeSnapshot, OperatingSystem};
use fs_err as fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Whose home it is, and what variables say about places in it.
pub(crate) struct UserHome<'e> {
    home: PathBuf,
    environment: &'e Environment,
}

impl<'e> UserHome<'e> {
    /// None without a home directory.
    pub(crate) fn from_environment(environment: &'e Environment) -> Option<Self> {
        environment.nonempty_variable("HOME").map(|home| Self { home: PathBuf::from(home), environment })
    }

    /// Looks at it.
    pub(crate) fn with_snapshot<T>(&self, with: impl FnOnce(&HomeSnapshot<'_>) -> T) -> T {
        let variable = |name: &str| Some(self.environment.nonempty_variable(name)?.to_string_lossy().into_owned());
        with(&HomeSnapshot {
            home: &self.home,
            system: OperatingSystem::BUILD_TARGET,
            variable: &variable,
            exists: &|path| path.exists(),
            read: &read_text,
            has_program: &|name| on_path(self.environment, name).next().is_some(),
        })
    }
}

/// The text of a file, or none where there is no file.
pub(super) fn read_text(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => match fs::read_link(path) {
            // A dangling link: writing there would replace the link by a file, and its owner would lose where it led.
            Ok(target) => Err(io::Error::other(format!("is a link to {}, where nothing is", target.display()))),
            Err(_) => Ok(None),
        },
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(io::Error::other("is not UTF-8")),
        Err(error) if error.kind() == ErrorKind::IsADirectory => Err(io::Error::other("is a directory")),
        Err(error) => Err(error),
    }
}

/// The folders that a file needs and that are not there, the innermost first.
pub(super) fn missing_folders(path: &Path) -> Vec<PathBuf> {
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

pub(super) fn make_folders(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path.parent().expect("a file is in a directory"))
}

pub(super) fn make_runnable(path: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

/// The programs of that name on the `PATH`, in its order.
pub(super) fn on_path(environment: &Environment, name: &str) -> impl Iterator<Item = PathBuf> {
    let path = environment.nonempty_variable("PATH").map(std::ffi::OsStr::to_owned).unwrap_or_default();
    // A relative folder on the PATH depends on where an agent is started.
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    folders.into_iter().map(move |folder| folder.join(&name)).filter(|program| program.is_file())
}

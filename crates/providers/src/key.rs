//! `ApiKey`, a vendor's API key with its origin: loads keys and keeps them out of every log, error and debug output.
//!
//! A key comes from an environment variable or from a file that only its owner can read. Operating-system keyrings are
//! not used: on a machine without a desktop there is none, and a key that works in one terminal and not in a service
//! is worse than a file.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Vendor;

/// A key with where it came from. Prints as its origin.
#[derive(Clone)]
pub struct ApiKey {
    secret: Secret,
    origin: KeyOrigin,
}

/// Where a key came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyOrigin {
    /// No key was found.
    Missing,
    /// An environment variable.
    Variable(String),
    /// A file.
    File(PathBuf),
    /// The vendor's own command keeps it.
    Login,
}

/// Text that must not be shown: it prints as dots.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// Why a key cannot be taken from where it is.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read.
    #[error("cannot read the key file {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Other users of the machine could read it.
    #[error("cannot use the key file {}: others can read it (mode {mode:o})\nhint: chmod 600 {}", path.display(), path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// It is not a regular file.
    #[error("cannot use the key file {}: it is not a file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// No key in it, or not one that fits into a header.
    #[error("cannot use the key from {origin}: {reason}")]
    Unusable {
        /// Where it came from.
        origin: KeyOrigin,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl ApiKey {
    /// The key that the variable `name` holds.
    pub fn from_variable(name: impl Into<String>, value: &str) -> Result<Self, KeyError> {
        Self::from_text(value, KeyOrigin::Variable(name.into()))
    }

    /// The key in a file that only its owner can read.
    pub fn from_file(path: &Path) -> Result<Self, KeyError> {
        Self::from_text(&private_text(path)?, KeyOrigin::File(path.to_owned()))
    }

    /// Where it came from.
    pub fn origin(&self) -> &KeyOrigin {
        &self.origin
    }

    /// The key itself, for the header it goes into.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    fn from_text(text: &str, origin: KeyOrigin) -> Result<Self, KeyError> {
        // Files and shells add a newline, which a header cannot carry.
        let text = text.trim();
        let reason = match text {
            "" => Some("it is empty"),
            text if text.len() > MAX_KEY_BYTES => Some("it is too long for a key"),
            text if !text.bytes().all(|byte| byte.is_ascii_graphic()) => Some("it has characters no key has"),
            _ => None,
        };
        match reason {
            Some(reason) => Err(KeyError::Unusable { origin, reason }),
            None => Ok(Self { secret: Secret(text.to_owned()), origin }),
        }
    }
}

/// No vendor's key comes near it; a file that is longer is some other file.
const MAX_KEY_BYTES: usize = 8 << 10;

/// Looked at through what was opened: the file cannot change between the look and the reading.
fn private_text(path: &Path) -> Result<String, KeyError> {
    use std::io::Read as _;
    use std::os::unix::fs::PermissionsExt as _;
    let unreadable =
        |error: &std::io::Error| KeyError::Unreadable { path: path.to_owned(), reason: error.kind().to_string() };
    let not_a_file = || KeyError::NotAFile { path: path.to_owned() };
    // Checked before opening as well: opening a pipe waits for a process that writes into it.
    if !fs_err::metadata(path).map_err(|error| unreadable(&error))?.is_file() {
        return Err(not_a_file());
    }
    let file = fs_err::File::open(path).map_err(|error| unreadable(&error))?;
    let metadata = file.metadata().map_err(|error| unreadable(&error))?;
    if !metadata.is_file() {
        return Err(not_a_file());
    }
    let mode = metadata.permissions().mode() & 0o777;
    // A key that other users of the machine can read is not secret, so it is refused and not only warned about.
    if mode & 0o077 != 0 {
        return Err(KeyError::Exposed { path: path.to_owned(), mode });
    }
    let mut text = String::new();
    // Two bytes more than the longest key tell a longer file from one with a line end.
    file.take(MAX_KEY_BYTES as u64 + 2).read_to_string(&mut text).map_err(|error| unreadable(&error))?;
    Ok(text)
}

impl KeyOrigin {
    /// What to do when the vendor does not take the key.
    pub(crate) fn hint(&self, vendor: Vendor) -> String {
        match self {
            Self::Missing => match vendor.key_variable() {
                Some(variable) => format!("set {variable}, or name a key file in the settings"),
                None => "name the variable or the file that holds the key in the settings".to_owned(),
            },
            Self::Variable(name) => format!("check the key in the variable {name}"),
            Self::File(path) => format!("check the key in {}", path.display()),
            Self::Login => format!("run `{}` once and log in", vendor.command_name().unwrap_or(vendor.name())),
        }
    }
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("nowhere"),
            Self::Variable(name) => write!(f, "the variable {name}"),
            Self::File(path) => write!(f, "the file {}", path.display()),
            Self::Login => f.write_str("the command's own login"),
        }
    }
}

impl Secret {
    /// The text. Call it where the text leaves us, and nowhere else.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key(from {})", self.origin)
    }
}

#[cfg(test)]
mod tests;

//! Loads or creates the scrub key, with which placeholders of scrubbed secrets are hashed. The key is a file beside
//! the SQLite database, not a row in it, so that a copy of the database alone is not enough to try guesses against
//! what was scrubbed.

use crate::{Error, Result};
use fs_err as fs;
use model::scrub::ScrubKey;
use std::io::Write;
use std::path::Path;

pub(super) const NAME: &str = "scrub.key";

/// The key in a directory; made when there is none.
pub(super) fn in_directory(directory: &Path) -> Result<ScrubKey> {
    let path = directory.join(NAME);
    loop {
        match fs::read(&path) {
            // A short file is damage: a new key would give every secret a new placeholder, and equal secrets would no
            // longer match.
            Ok(bytes) => {
                let what = format!("{} bytes, a key has 32", bytes.len());
                let key =
                    bytes.try_into().map_err(|_| Error::Corrupt { database: path.display().to_string(), what })?;
                return Ok(ScrubKey::new(key));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // The loop reads the file after making it, because another process may have been faster and its key is
                // the one that counts.
                create_key(&path).map_err(|error| key_error(&path, &error))?;
            }
            Err(error) => return Err(key_error(&path, &error)),
        }
    }
}

/// The fingerprint of the key in a directory: it says whether a key is the same, and nothing about it.
pub(super) fn fingerprint_in(directory: &Path) -> Option<String> {
    let bytes: [u8; 32] = fs::read(directory.join(NAME)).ok()?.try_into().ok()?;
    Some(crate::key::fingerprint(&ScrubKey::new(bytes)))
}

/// Makes a key, whole or not at all; of several who do so at once the first one's stays.
fn create_key(path: &Path) -> std::io::Result<()> {
    let directory = path.parent().expect("the path was joined to its directory");
    // `tempfile` creates a file that only its owner may open.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(crate::key::random_key()?.as_bytes())?;
    // Whole on the disk before it gets its name: a key file of zero bytes after a power cut could not be told from
    // damage.
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        // Another process made the key meanwhile; this one is discarded.
        Err(refused) if refused.error.kind() == std::io::ErrorKind::AlreadyExists => {}
        outcome => drop(outcome?),
    }
    // Stored placeholders must survive a power cut together with their key, so the folder's entry is synced too.
    fs::File::open(directory)?.sync_all()
}

fn key_error(path: &Path, error: &std::io::Error) -> Error {
    Error::ReadOnly { database: path.display().to_string(), reason: error.to_string() }
}

//! The key of placeholders: a file beside the database, not a row in it, so that a copy of the database alone is
//! not enough to try guesses against what was scrubbed.

use crate::{Error, Result};
use fs_err as fs;
use model::scrub::ScrubKey;
use std::io::Write;
use std::path::Path;

const NAME: &str = "scrub.key";

/// The key in a directory; made when there is none.
pub(super) fn in_directory(directory: &Path) -> Result<ScrubKey> {
    let path = directory.join(NAME);
    loop {
        match fs::read(&path) {
            Ok(bytes) => {
                let what = format!("{} bytes, a key has 32", bytes.len());
                let key =
                    bytes.try_into().map_err(|_| Error::Corrupt { database: path.display().to_string(), what })?;
                return Ok(ScrubKey::new(key));
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                create_key(&path).map_err(|error| key_error(&path, &error))?;
            }
            Err(error) => return Err(key_error(&path, &error)),
        }
    }
}

/// Makes a key, whole or not at all; of several who do so at once the first one's stays.
fn create_key(path: &Path) -> std::io::Result<()> {
    let directory = path.parent().expect("the path was joined to its directory");
    // A file that only its owner may open.
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(crate::key::random_key()?.as_bytes())?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(refused) if refused.error.kind() == std::io::ErrorKind::AlreadyExists => {}
        outcome => drop(outcome?),
    }
    // Placeholders that are stored must outlive a power cut together with their key.
    fs::File::open(directory)?.sync_all()
}

fn key_error(path: &Path, error: &std::io::Error) -> Error {
    Error::ReadOnly { database: path.display().to_string(), reason: error.to_string() }
}

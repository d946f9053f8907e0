//! The key file of the secret scrubber for hook events in the spool. A hook has no time to open the store and take its
//! key, so this machine has one of its own.

use fs_err as fs;
use model::scrub::{ScrubKey, Scrubber, UserRule};
use std::io::{Error, ErrorKind, Result, Write as _};
use std::path::Path;

/// The scrubber of this machine, whose key is made when there is none, with rules of the user's own.
pub(super) fn open_scrubber(data: &Path, rules: &[UserRule]) -> Result<Scrubber> {
    let path = data.join("scrub.key");
    loop {
        match fs::read(&path) {
            Ok(bytes) => {
                // A key of another length is damage; a new key would give every secret a second placeholder.
                let damaged = |bytes: Vec<u8>| {
                    let reason = format!("{} is damaged: {} bytes, not 32", path.display(), bytes.len());
                    Error::new(ErrorKind::InvalidData, reason)
                };
                let key: [u8; 32] = bytes.try_into().map_err(damaged)?;
                return Ok(Scrubber::new(ScrubKey::new(key), rules));
            }
            // The loop reads again after making it, because another hook may have been faster and its key counts.
            Err(error) if error.kind() == ErrorKind::NotFound => create_key(&path)?,
            Err(error) => return Err(error),
        }
    }
}

/// Makes a key whole or not at all; of several who do, the first one's stays.
fn create_key(path: &Path) -> Result<()> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(Error::other)?;
    let directory = path.parent().unwrap_or(path);
    // The key may be the first file in this directory, and no other user may read the files that follow.
    crate::atomic::create_private_folder(directory)?;
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(&key)?;
    // On the disk before it gets its name: an empty key file after a power cut would look like damage.
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(refused) if refused.error.kind() == ErrorKind::AlreadyExists => Ok(()),
        outcome => outcome.map(drop).map_err(|refused| refused.error),
    }
}

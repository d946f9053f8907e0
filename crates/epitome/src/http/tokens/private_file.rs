//! Reads and appends to token files that only their owner may open, and refuses files with wider permissions.

use crate::errors::{AppError, ErrorClass};
use fs_err as fs;
use std::io::Read;
use std::path::Path;

/// The text of a file that only its owner may open, or nothing when there is none.
pub(super) fn read_private(path: &Path) -> Result<Option<String>, AppError> {
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(disk_error("read the token", &error)),
    };
    // Asked of the open file, so that no other process can swap the file between the check and the reading.
    let metadata = file.metadata().map_err(|error| disk_error("read the token", &error))?;
    if let Some(mode) = wider_than_private(&metadata) {
        let message = format!("cannot trust {}: others may open it (mode {mode:04o})", path.display());
        let hint = format!("run: chmod 600 {}", shell_quote(path));
        return Err(AppError::new(ErrorClass::NotAuthorised, "token_file_open", message).with_hint(hint));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|error| disk_error("read the token", &error))?;
    Ok(Some(text))
}

#[cfg(unix)]
fn wider_than_private(metadata: &std::fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode() & 0o777;
    (mode & 0o177 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn wider_than_private(_metadata: &std::fs::Metadata) -> Option<u32> {
    None
}

/// Opens a file to add to, made so that only its owner may open it.
pub(super) fn append_to(path: &Path) -> std::io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    #[cfg(unix)]
    fs_err::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.create(true).append(true).open(path)
}

/// A path as a shell takes it.
pub(crate) fn shell_quote(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    if is_plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The error names the path.
pub(super) fn disk_error(act: &str, error: &std::io::Error) -> AppError {
    AppError::new(ErrorClass::Unavailable, "disk", format!("cannot {act}: {error}"))
}

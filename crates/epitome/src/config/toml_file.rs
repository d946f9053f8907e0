//! Reads a TOML configuration file, and converts byte offsets in it into lines and columns for messages. A project file
//! comes with whatever repository was cloned, so only a regular file of sensible size is read: a link to a device must
//! not hang or fill the process.

use std::io::{ErrorKind, Read};
use std::path::Path;

use super::diagnostics::ConfigError;
use super::mask::mask_passwords;

/// The text of the file without a byte order mark, or `None` when there is no file.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    let metadata = match fs_err::metadata(path) {
        // A file in the place of a folder above it means the same: there is no such file.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        other => other.map_err(ConfigError::Unreadable)?,
    };
    // A link in a cloned repository may lead to a device or a pipe, and reading one would hang.
    if !metadata.is_file() {
        return Err(ConfigError::NotAFile(path.to_owned()));
    }
    if metadata.len() > MOST_BYTES {
        return Err(ConfigError::TooLarge { path: path.to_owned(), bytes: metadata.len(), limit: MOST_BYTES });
    }
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path).map_err(ConfigError::Unreadable)?;
    // The limit holds while reading, too: a file may grow after its size was asked.
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(ConfigError::Unreadable)?;
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))?;
    Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

/// The TOML document of `text`, with spans.
pub(crate) fn parse_document<'t>(path: &Path, text: &'t str) -> Result<toml_edit::Document<&'t str>, ConfigError> {
    toml_edit::Document::parse(text).map_err(|error| {
        let (line, column) = line_column(text, error.span().map_or(0, |span| span.start));
        let snippet = text.lines().nth(line - 1).unwrap_or_default();
        ConfigError::Malformed {
            path: path.to_owned(),
            line,
            column,
            message: error.message().replace('\n', ", "),
            // The line is shown in an error, and may hold a database URL with a password.
            snippet: printable_line(&mask_passwords(snippet)),
        }
    })
}

/// Line and column, both from 1, of a byte offset.
pub(crate) fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Text on one line of bounded length, with control characters made harmless to a terminal.
pub(crate) fn printable_line(text: &str) -> String {
    // A control character could clear the user's screen or change its colours.
    let shown: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST_SHOWN + 1).collect();
    match shown.char_indices().nth(MOST_SHOWN) {
        Some((cut, _)) => format!("{}…", &shown[..cut]),
        None => shown,
    }
}

const MOST_BYTES: u64 = 1024 * 1024;
const MOST_SHOWN: usize = 100;

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> ConfigError {
    let valid = error.utf8_error().valid_up_to();
    let before = std::str::from_utf8(&error.as_bytes()[..valid]).expect("the bytes before the first bad one are valid");
    let (line, column) = line_column(before, valid);
    ConfigError::NotUtf8 { path: path.to_owned(), line, column, byte: error.as_bytes()[valid] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_regular_file_of_sensible_size_is_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("config.toml");
        let message = |path: &Path| {
            let text = read_text(path).expect_err("refused").to_string();
            text.replace(&folder.path().display().to_string(), "DIR")
        };
        assert_eq!(read_text(&path).expect("a missing file is fine"), None);
        assert_eq!(read_text(&path.join("below")).expect("a missing file is fine"), None);
        assert_eq!(message(folder.path()), "cannot read the configuration file DIR: not a regular file");
        let file = fs_err::File::create(&path).expect("created");
        file.set_len(MOST_BYTES + 1).expect("grown");
        let expected = "cannot read the configuration file DIR/config.toml: 1048577 bytes, more than 1048576";
        assert_eq!(message(&path), expected);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_device_is_refused_and_a_dangling_one_is_no_file() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(".epitome.toml");
        std::os::unix::fs::symlink("/dev/zero", &path).expect("linked");
        assert!(matches!(read_text(&path), Err(ConfigError::NotAFile(_))));
        fs_err::remove_file(&path).expect("removed");
        std::os::unix::fs::symlink("/no/such/file", &path).expect("linked");
        assert_eq!(read_text(&path).expect("no file"), None);
    }

    #[test]
    fn shown_text_is_bounded_and_cannot_drive_a_terminal() {
        assert_eq!(printable_line("a\u{1b}[31mb\tc"), "a [31mb c");
        assert_eq!(printable_line(&"é".repeat(101)), format!("{}…", "é".repeat(100)));
        assert_eq!(printable_line(&"é".repeat(100)), "é".repeat(100));
    }
}

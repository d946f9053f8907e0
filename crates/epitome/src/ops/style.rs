//! Terminal style of a reply's text, where a person reads it: ANSI colours, hyperlinks to files, line width.

use anstyle::{AnsiColor, Style};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// What a terminal can show; nothing of it where a program reads the reply.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextStyle {
    /// Whether text is coloured.
    pub(crate) has_colour: bool,
    /// Where paths lead, if they do.
    pub(crate) links: Option<FileLinks>,
    /// How many columns there are, where that is known.
    pub(crate) columns: Option<usize>,
    /// Whether it goes to a terminal, which obeys what it is shown.
    pub(crate) is_terminal: bool,
}

/// Addresses of the files of a project.
#[derive(Clone, Debug)]
pub(crate) struct FileLinks {
    /// With `{path}` and perhaps `{line}` in it.
    pub(crate) template: String,
    /// The folder that paths start from.
    pub(crate) root: PathBuf,
}

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextRole {
    Path,
    Name,
    Number,
    Match,
    Detail,
}

impl TextRole {
    /// The sixteen colours follow the reader's theme; others might be unreadable on it.
    fn ansi_style(self) -> Style {
        let coloured = |colour: AnsiColor| colour.on_default();
        match self {
            Self::Path => coloured(AnsiColor::Cyan),
            Self::Name => Style::new().bold(),
            Self::Number => coloured(AnsiColor::Green),
            Self::Match => coloured(AnsiColor::Yellow).bold(),
            Self::Detail => Style::new().dimmed(),
        }
    }
}

impl TextStyle {
    /// A piece of text in its colour.
    pub(crate) fn colour_text(&self, role: TextRole, text: &str) -> String {
        if self.has_colour && !text.is_empty() {
            let style = role.ansi_style();
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// A piece of text that leads to a line of a file.
    pub(crate) fn link_text(&self, path: &str, line: u32, text: &str) -> String {
        let Some(links) = &self.links else { return text.to_owned() };
        let address = links.file_address(path, line);
        format!("\u{1b}]8;;{address}\u{1b}\\{text}\u{1b}]8;;\u{1b}\\")
    }
}

impl FileLinks {
    fn file_address(&self, path: &str, line: u32) -> String {
        let path = encode_path(&self.root.join(path));
        self.template.replace("{line}", &line.to_string()).replace("{path}", &path)
    }
}

/// A path as a part of an address: from the root, with slashes, other characters than plain ones as numbers.
fn encode_path(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    let mut encoded = String::from(if text.starts_with('/') { "" } else { "/" });
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:+@".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_cannot_end_its_link() {
        let links = FileLinks { template: "vscode://file{path}:{line}".to_owned(), root: "/home/me/a b".into() };
        let style = TextStyle { links: Some(links), ..TextStyle::default() };
        assert_eq!(
            style.link_text("src/\u{1b}\\{line}é.rs", 7, "here"),
            "\u{1b}]8;;vscode://file/home/me/a%20b/src/%1B/%7Bline%7D%C3%A9.rs:7\u{1b}\\here\u{1b}]8;;\u{1b}\\"
        );
    }

    #[test]
    fn nothing_is_added_for_programs() {
        let plain = TextStyle::default();
        assert_eq!(plain.colour_text(TextRole::Match, "spool"), "spool");
        assert_eq!(plain.link_text("a.rs", 1, "a.rs"), "a.rs");
    }
}

//! The formats we read, and how a file shows which one it is in.
//!
//! A file is known by what it begins with, not by its name alone: people copy and rename transcripts. A format is a
//! line in [`FORMATS`], in the order in which they are tried.

use std::path::Path;

use model::{AgentName, Projection, TranscriptContainer};

use crate::container::unpack_head;
use crate::transcript::{
    JsonObject, aider, antigravity, claude_code, cline, codex, copilot_cli, cursor, droid, gemini_cli, goose, kimi,
    kimi_code, kiro, opencode, pi, plain, qwen_code, swe_agent,
};

/// How one agent writes transcripts.
pub struct TranscriptFormat {
    /// Its name, which is its agent's.
    pub name: &'static str,
    projection: fn(&Path) -> Box<dyn Projection>,
    recognises: fn(&FileHead<'_>) -> Option<TranscriptContainer>,
}

/// A file that is a transcript.
#[derive(Clone, Copy)]
pub struct FormatMatch {
    /// Who reads it.
    pub format: &'static TranscriptFormat,
    /// How its lines lie in it.
    pub container: TranscriptContainer,
}

/// Every format.
pub static FORMATS: &[TranscriptFormat] = &[
    // Before Claude Code, whose lines have the same fields around another message.
    TranscriptFormat {
        name: "qwen-code",
        projection: qwen_code::build_projection,
        recognises: |file| file.any_line(qwen_code::matches_format).then_some(TranscriptContainer::Lines),
    },
    TranscriptFormat {
        name: "claude-code",
        projection: claude_code::build_projection,
        recognises: |file| file.any_line(claude_code::matches_format).then_some(TranscriptContainer::Lines),
    },
    TranscriptFormat {
        name: "codex",
        projection: codex::build_projection,
        recognises: |file| file.any_line(codex::matches_format).then_some(TranscriptContainer::Lines),
    },
    TranscriptFormat {
        name: "gemini-cli",
        projection: gemini_cli::build_projection,
        recognises: |file| {
            let is_document =
                file.has_extension("json") || file.text.lines().next().is_some_and(|line| line.trim() == "{");
            let container = if is_document { TranscriptContainer::Document } else { TranscriptContainer::Lines };
            file.matches_whole(gemini_cli::matches_format).then_some(container)
        },
    },
    TranscriptFormat {
        name: "antigravity",
        projection: antigravity::build_projection,
        recognises: |file| file.any_line(antigravity::matches_format).then_some(TranscriptContainer::Lines),
    },
    TranscriptFormat { name: "opencode", projection: opencode::build_projection, recognises: recognises_opencode },
    TranscriptFormat { name: "goose", projection: goose::projection, recognises: recognises_goose },
    // Before plain messages, which are a list under the same name.
    TranscriptFormat {
        name: "cline",
        projection: cline::projection,
        recognises: |file| file.matches_whole(cline::recognises).then_some(TranscriptContainer::Document),
    },
    TranscriptFormat { name: "cursor", projection: cursor::build_projection, recognises: recognises_cursor },
    TranscriptFormat {
        name: "copilot-cli",
        projection: copilot_cli::build_projection,
        recognises: |file| file.any_line(copilot_cli::matches_format).then_some(TranscriptContainer::Lines),
    },
    TranscriptFormat {
        name: "pi",
        projection: pi::build_projection,
        recognises: |file| file.any_line(pi::matches_format).then_some(TranscriptContainer::Lines),
    },
    TranscriptFormat {
        name: "droid",
        projection: droid::build_projection,
        recognises: |file| file.any_line(droid::matches_format).then_some(TranscriptContainer::Lines),
    },
    TranscriptFormat {
        name: "kiro",
        projection: kiro::build_projection,
        recognises: |file| file.any_line(kiro::matches_format).then_some(TranscriptContainer::Lines),
    },
    // Before plain messages, which its other lines are.
    TranscriptFormat {
        name: "kimi-cli",
        projection: kimi::build_projection,
        recognises: |file| file.any_line(kimi::matches_format).then_some(TranscriptContainer::Lines),
    },
    TranscriptFormat {
        name: "kimi-code",
        projection: kimi_code::build_projection,
        recognises: |file| file.any_line(kimi_code::matches_format).then_some(TranscriptContainer::Lines),
    },
    TranscriptFormat {
        name: "swe-agent",
        projection: swe_agent::build_projection,
        recognises: |file| {
            (file.has_extension("traj") && file.matches_whole(swe_agent::matches_format))
                .then_some(TranscriptContainer::Document)
        },
    },
    TranscriptFormat {
        name: "aider",
        projection: aider::build_projection,
        recognises: |file| {
            (file.has_extension("md") && aider::matches_format(&file.text)).then_some(TranscriptContainer::Lines)
        },
    },
    TranscriptFormat { name: "plain", projection: plain::build_projection, recognises: recognises_plain },
];

impl TranscriptFormat {
    /// The format of an agent's name.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.name == name)
    }

    /// The agent that writes it.
    pub fn agent_name(&self) -> AgentName {
        AgentName(self.name.into())
    }

    /// Reads a transcript from its first line on. The path is never opened: names of files and folders say whose it is.
    pub fn build_projection(&self, path: &Path) -> Box<dyn Projection> {
        (self.projection)(path)
    }
}

/// The format of the file at `path` that begins with `head`; 64 KiB are plenty.
pub fn recognise_format(path: &Path, head: &[u8]) -> Option<FormatMatch> {
    let unpacked = unpack_head(head);
    let file = FileHead::new(path, unpacked.as_deref().unwrap_or(head));
    // The order of `FORMATS` decides: the plain format accepts much of what others write and comes last.
    let mut known = FORMATS.iter().filter_map(|format| Some((format, (format.recognises)(&file)?)));
    let (format, container) = known.next()?;
    match (unpacked, container) {
        (None, container) => Some(FormatMatch { format, container }),
        (Some(_), TranscriptContainer::Lines) => Some(FormatMatch { format, container: TranscriptContainer::Zstd }),
        // A packed database or document is no form that any agent writes.
        (Some(_), _) => None,
    }
}

/// What a file begins with.
struct FileHead<'a> {
    path: &'a Path,
    text: String,
}

impl<'a> FileHead<'a> {
    fn new(path: &'a Path, head: &[u8]) -> Self {
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        Self { path, text: String::from_utf8_lossy(head).trim_start().to_owned() }
    }

    /// Whether one of the first lines, whole or cut, is of a kind.
    fn any_line(&self, is: fn(&JsonObject<'_>) -> bool) -> bool {
        self.text.lines().take(16).any(|line| is(&JsonObject::parse_prefix(line)))
    }

    /// Whether the file, taken as one object, is of a kind.
    fn matches_whole(&self, is: fn(&JsonObject<'_>) -> bool) -> bool {
        is(&JsonObject::parse_prefix(&self.text))
    }

    fn is_called(&self, start: &str, end: &str) -> bool {
        let name = self.path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
        name.starts_with(start) && name.ends_with(end)
    }

    fn has_extension(&self, extension: &str) -> bool {
        self.path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
    }
}

fn recognises_plain(file: &FileHead<'_>) -> Option<TranscriptContainer> {
    let first = if file.text.starts_with('[') { file.text[1..].trim_start() } else { &file.text };
    let is_list = file.text.starts_with('[') && plain::matches_format(&JsonObject::parse_prefix(first));
    let is_document = is_list || file.matches_whole(plain::matches_format);
    // One JSON object can be a document or a single line, and its content does not tell; the extension does.
    if is_document && (is_list || file.has_extension("json")) {
        return Some(TranscriptContainer::Document);
    }
    file.any_line(plain::matches_format).then_some(TranscriptContainer::Lines)
}

const SQLITE: &str = "SQLite format 3\0";

fn recognises_opencode(file: &FileHead<'_>) -> Option<TranscriptContainer> {
    // Other programs have SQLite databases too, so the file's name has to fit.
    let is_database = file.text.starts_with(SQLITE) && file.is_called("opencode", ".db");
    let is_rows = file.any_line(opencode::matches_format);
    is_database.then_some(TranscriptContainer::Rows).or(is_rows.then_some(TranscriptContainer::Lines))
}

fn recognises_goose(file: &FileHead<'_>) -> Option<TranscriptContainer> {
    let is_database = file.text.starts_with(SQLITE) && goose::is_database(file.path);
    let is_rows = file.any_line(goose::recognises);
    is_database.then_some(TranscriptContainer::Rows).or(is_rows.then_some(TranscriptContainer::Lines))
}

fn recognises_cursor(file: &FileHead<'_>) -> Option<TranscriptContainer> {
    if file.text.starts_with(SQLITE) {
        return file.is_called("state", ".vscdb").then_some(TranscriptContainer::Rows);
    }
    let is_lines = file.any_line(cursor::matches_format)
        || (cursor::is_of_command_line(file.path) && file.any_line(plain::matches_format));
    is_lines.then_some(TranscriptContainer::Lines)
}

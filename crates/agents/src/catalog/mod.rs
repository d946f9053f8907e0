//! The table of supported coding agents, [`ALL_AGENTS`], and what follows from it: the list of connectors, the list of
//! transcript formats, and `recognise_format`. An agent is a folder: `connector.rs` (entries for its settings files),
//! `transcripts.rs` (reader of its conversations), `hooks.rs` (how its hooks differ from the usual) and `mod.rs` (its
//! name). Adding an agent is that folder and a line in [`ALL_AGENTS`].

mod aider;
mod amp;
mod antigravity;
mod auggie;
mod claude_code;
mod claude_desktop;
mod cline;
mod codex;
mod continue_dev;
mod copilot_cli;
mod cursor;
mod droid;
mod gemini_cli;
mod goose;
mod junie;
mod kilo;
mod kimi_cli;
mod kimi_code;
mod kiro;
mod openclaw;
mod opencode;
mod pi;
mod plain;
mod qoder;
mod qwen_code;
mod roo_code;
mod swe_agent;
mod vs_code;
mod warp;
mod windsurf;
mod zed;

use crate::Agent;
use crate::connectors::Connector;
use crate::container::unpack_head;
use crate::format::{FileHead, FormatPrecedence, TranscriptFormat};
use model::TranscriptContainer;
use std::path::Path;

/// Every agent we know.
pub const ALL_AGENTS: &[&Agent] = &[
    &claude_code::AGENT,
    &claude_desktop::AGENT,
    &codex::AGENT,
    &cursor::AGENT,
    &windsurf::AGENT,
    // Before VS Code: what both read is Copilot's where it is there.
    &copilot_cli::AGENT,
    &vs_code::AGENT,
    &gemini_cli::AGENT,
    &antigravity::AGENT,
    &opencode::AGENT,
    &zed::AGENT,
    &cline::AGENT,
    &continue_dev::AGENT,
    &junie::AGENT,
    &amp::AGENT,
    &goose::AGENT,
    &kiro::AGENT,
    &qwen_code::AGENT,
    &kilo::AGENT,
    &auggie::AGENT,
    &warp::AGENT,
    &qoder::AGENT,
    &roo_code::AGENT,
    &openclaw::AGENT,
    &kimi_code::AGENT,
    &droid::AGENT,
    &pi::AGENT,
    // Behind its successor, as what it has is older.
    &kimi_cli::AGENT,
    &swe_agent::AGENT,
    &aider::AGENT,
];

/// Every agent that can be connected.
pub const CONNECTORS: &[&Connector] = &pick_connectors::<{ count_connectors() }>();

/// Every format of transcripts, in the order in which they are tried. Plain messages come last: those of other formats
/// may look like them.
pub const FORMATS: &[&TranscriptFormat] = &pick_formats::<{ count_formats() }>();

const fn count_connectors() -> usize {
    let (mut at, mut count) = (0, 0);
    while at < ALL_AGENTS.len() {
        count += ALL_AGENTS[at].connector.is_some() as usize;
        at += 1;
    }
    count
}

const fn pick_connectors<const COUNT: usize>() -> [&'static Connector; COUNT] {
    let mut picked = [&claude_code::connector::CONNECTOR; COUNT];
    let (mut at, mut count) = (0, 0);
    while at < ALL_AGENTS.len() {
        if let Some(connector) = ALL_AGENTS[at].connector {
            picked[count] = connector;
            count += 1;
        }
        at += 1;
    }
    picked
}

const fn count_formats() -> usize {
    let (mut at, mut count) = (0, 1);
    while at < ALL_AGENTS.len() {
        count += ALL_AGENTS[at].transcripts.is_some() as usize;
        at += 1;
    }
    count
}

const fn pick_formats<const COUNT: usize>() -> [&'static TranscriptFormat; COUNT] {
    let mut picked = [&plain::FORMAT; COUNT];
    let (mut pass, mut count) = (0, 0);
    while pass < 2 {
        let mut at = 0;
        while at < ALL_AGENTS.len() {
            if let Some(format) = ALL_AGENTS[at].transcripts
                && matches!(format.precedence, FormatPrecedence::BeforeOthers) == (pass == 0)
            {
                picked[count] = format;
                count += 1;
            }
            at += 1;
        }
        pass += 1;
    }
    picked
}

impl Agent {
    /// The agent of that name.
    pub(crate) fn from_name(name: &str) -> Option<&'static Self> {
        ALL_AGENTS.iter().copied().find(|agent| agent.name == name)
    }
}

impl Connector {
    /// The connector of that name.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        CONNECTORS.iter().copied().find(|connector| connector.name == name)
    }
}

impl TranscriptFormat {
    /// The format of an agent's name.
    pub fn from_name(name: &str) -> Option<&'static Self> {
        FORMATS.iter().copied().find(|format| format.name == name)
    }
}

/// A file that is a transcript.
#[derive(Clone, Copy)]
pub struct FormatMatch {
    /// Who reads it.
    pub format: &'static TranscriptFormat,
    /// How its lines lie in it.
    pub container: TranscriptContainer,
}

/// The format of the file at `path` that begins with `head`; 64 KiB are plenty.
pub fn recognise_format(path: &Path, head: &[u8]) -> Option<FormatMatch> {
    let unpacked = unpack_head(head);
    let file = FileHead::new(path, unpacked.as_deref().unwrap_or(head));
    // The order of `FORMATS` decides: the plain format accepts much of what others write and comes last.
    let mut known = FORMATS.iter().filter_map(|format| Some((*format, (format.recognises)(&file)?)));
    let (format, container) = known.next()?;
    match (unpacked, container) {
        (None, container) => Some(FormatMatch { format, container }),
        (Some(_), TranscriptContainer::Lines) => Some(FormatMatch { format, container: TranscriptContainer::Zstd }),
        // A packed database or document is no form that any agent writes.
        (Some(_), _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = ALL_AGENTS.iter().map(|agent| agent.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL_AGENTS.len());
    }

    #[test]
    fn an_agent_has_one_name_wherever_it_is_named() {
        for agent in ALL_AGENTS {
            let others = [agent.connector.map(|it| it.name), agent.transcripts.map(|it| it.name)];
            assert!(others.into_iter().flatten().all(|name| name == agent.name), "{}", agent.name);
        }
    }

    #[test]
    fn formats_that_look_like_others_are_tried_before_them() {
        let place = |name: &str| FORMATS.iter().position(|format| format.name == name).expect("a format");
        assert!(place("qwen-code") < place("claude-code"));
        assert_eq!(place("plain"), FORMATS.len() - 1);
    }
}

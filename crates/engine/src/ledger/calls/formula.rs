//! The published formulas by which the ledger counts what a reply spared its reader.

use store::Certainty;

/// How what was spared is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueFormula {
    /// A file was asked for and shown smaller.
    View,
    /// A tree stands for the listings of its directories.
    Tree,
    /// Results stand for the files that they are in.
    FilesListed,
    /// An answer stands for the files that it cites.
    FilesCited,
    /// Relations stand for the files that would be searched for the name.
    FilesGrepped,
    /// A briefing stands for everything that it was made from.
    GraphDump,
    /// What was recalled stands for the conversations that it is from.
    Conversations,
    /// A long output was shown in brief.
    Brief,
    /// A text was told without being asked for.
    Injection,
    /// A text that the session had already was not sent again.
    Seen,
    /// What was shown in brief was read in full after all.
    Expansion,
    /// A file that was shown smaller was read again in a wider mode.
    Reread,
    /// Names, schemas and instructions of the tools, which every session pays for.
    Schemas,
    /// The reply stands for no other text.
    Nothing,
}

model::enum_words! {
    pub ValueFormula {
        View = "view",
        Tree = "tree",
        FilesListed = "files listed",
        FilesCited = "files cited",
        FilesGrepped = "files searched",
        GraphDump = "graph dump",
        Conversations = "conversations",
        Brief = "brief",
        Injection = "injection",
        Seen = "seen",
        Expansion = "expansion",
        Reread = "reread",
        Schemas = "schemas",
        Nothing = "nothing",
    }
}

/// Of the files that a reply lists, an agent opens this many at most…
pub(super) const MAX_COUNTED_FILES: usize = 5;

/// …and of each of them it reads no more than this: the tools that agents read with stop near two thousand lines.
pub(super) const MAX_COUNTED_BYTES: u64 = 32 << 10;

impl ValueFormula {
    /// How sure it is. Only what is measured is part of headlines, of dollars and of the switch.
    pub fn certainty(self) -> Certainty {
        match self {
            Self::View
            | Self::Brief
            | Self::Injection
            | Self::Seen
            | Self::Expansion
            | Self::Reread
            | Self::Schemas
            | Self::Nothing => Certainty::Measured,
            Self::Tree
            | Self::FilesListed
            | Self::FilesCited
            | Self::FilesGrepped
            | Self::GraphDump
            | Self::Conversations => Certainty::Estimated,
        }
    }

    /// What it is for.
    pub fn subject(self) -> &'static str {
        match self {
            Self::View => "read, get_source_window",
            Self::Tree => "tree, get_directory_tree",
            Self::FilesListed => "search, find_code, symbol",
            Self::FilesCited => "context",
            Self::FilesGrepped => "relations, impact",
            Self::GraphDump => "briefing, get_codebase_briefing",
            Self::Conversations => "recall, grep",
            Self::Brief => "outputs of tools that a hook shortened",
            Self::Injection => "texts that a hook told a session",
            Self::Seen => "texts that the session had already, for which read and context sent a reference",
            Self::Expansion => "outputs that were shown in brief and expanded after all",
            Self::Reread => "files that were read again in a wider mode within five turns",
            Self::Schemas => "tools and instructions of the MCP server, once a session",
            Self::Nothing => "every other operation",
        }
    }

    /// What is counted, in words.
    pub fn expression(self) -> &'static str {
        match self {
            Self::View => "text asked for - text shown",
            Self::Tree => "listings of the directories shown - reply",
            Self::FilesListed => "files listed (the first 5, 32 KiB of each at most) - reply",
            Self::FilesCited => "files cited (the first 5, 32 KiB of each at most) - reply",
            Self::FilesGrepped => "files that hold the neighbours (the first 5, 32 KiB of each at most) - reply",
            Self::GraphDump => "central files and entry points (the first 5, 32 KiB of each at most) - reply",
            Self::Conversations => "messages around what was found (the first 5 conversations, 32 KiB of each) - reply",
            Self::Brief => "whole output - text shown",
            Self::Seen => "text that was not sent again",
            Self::Injection | Self::Expansion | Self::Schemas => "- text shown",
            Self::Reread => "- what the first reading had spared",
            Self::Nothing => "0",
        }
    }
}

//! The wire form of mentions that are linked to nothing, for the replies of `relations` and `impact`: counts, the
//! likeliest lines, and how to list the rest.

use crate::ops::render_count;
use model::show_name;
use schemars::JsonSchema;
use serde::Serialize;

/// Lines that mention the name and that no relation explains: each may be a use, or another thing of that name
#[derive(Serialize, JsonSchema)]
pub(super) struct UnlinkedReply {
    /// How many lines
    total: usize,
    /// How many of them look like calls
    calls: usize,
    /// How many stand in comments, strings or documents
    text: usize,
    /// In how many files
    files: usize,
    /// The likeliest uses, likeliest first
    mentions: Vec<MentionLine>,
    /// How many are not listed; `mentions` asks for more
    omitted: usize,
    /// How many files with the words of the name were not read
    #[serde(skip_serializing_if = "is_zero")]
    unread_files: usize,
}

#[derive(Serialize, JsonSchema)]
struct MentionLine {
    name: String,
    path: String,
    line: u32,
    /// `call`, `code` or `text`
    kind: &'static str,
    text: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl From<engine::UnlinkedMentions> for UnlinkedReply {
    fn from(found: engine::UnlinkedMentions) -> Self {
        let count = |kind| found.counts.get(&kind).copied().unwrap_or_default();
        let total = found.total();
        let (calls, text) = (count(engine::MentionKind::Call), count(engine::MentionKind::Text));
        let omitted = total - found.shown.len();
        let (files, unread_files) = (found.files, found.unread_files);
        let line = |mention: engine::NameMention| MentionLine {
            name: mention.name,
            path: mention.path,
            line: mention.line,
            kind: mention.kind.as_str(),
            text: mention.text,
        };
        let mentions = found.shown.into_iter().map(line).collect();
        Self { total, calls, text, files, mentions, omitted, unread_files }
    }
}

impl UnlinkedReply {
    /// What a person reads, each line behind `indent`; nothing where everything is linked.
    pub(super) fn to_text(&self, indent: &str) -> String {
        let Self { total, calls, text, files, mentions, omitted, unread_files } = self;
        let mut told = String::new();
        if *total > 0 {
            let lines = render_count(*total as u64, "line");
            let files = render_count(*files as u64, "file");
            let calls = render_count(*calls as u64, "call");
            told.push_str(&format!(
                "{indent}not linked: {lines} in {files} with the name ({calls}, {text} in text); each may be a use, or \
                 another thing of that name\n"
            ));
            for MentionLine { path, line, text, .. } in mentions {
                told.push_str(&format!("{indent}  {}:{line}: {}\n", show_name(path), show_name(text)));
            }
            if *omitted > 0 {
                told.push_str(&format!("{indent}  … {omitted} more (--mentions {total} lists them)\n"));
            }
        }
        if *unread_files > 0 {
            let files = render_count(*unread_files as u64, "more file");
            told.push_str(&format!(
                "{indent}{files} with the words of the name were not read: epitome search finds them\n"
            ));
        }
        told
    }
}

//! The `document` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine makes the answer.
//! It lists the documents of a project, or shows one: sections, requirements, user stories, open questions and links.

use super::document_wire::{PlaceLine, RequirementLine};
use crate::ops::wire::read_cursor;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::{Args, ValueEnum};
use engine::{DocumentReport, Error};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(crate) struct DocumentOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct DocumentParams {
    /// What to do
    #[arg(value_enum, default_value = "list")]
    #[serde(default)]
    action: DocumentAction,
    /// The document; of a list only those whose path contains this
    path: Option<String>,
    /// Most entries of each list (default: 50)
    #[arg(long)]
    limit: Option<u32>,
    /// Continue a list where an earlier reply ended: its `cursor`
    #[arg(long)]
    cursor: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum DocumentAction {
    /// List the documents
    #[default]
    List,
    /// Show one
    Show,
    /// Bring the index up to date with one, and show it
    Index,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct DocumentReply {
    /// Of `list`
    #[serde(skip_serializing_if = "Vec::is_empty")]
    documents: Vec<DocumentEntry>,
    /// Of `show` and `index`
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<DocumentEntry>,
    /// What stands at its head
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<Vec<SectionLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requirements: Option<Vec<RequirementLine>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stories: Option<Vec<StoryLine>>,
    /// Questions that it leaves open
    #[serde(skip_serializing_if = "Option::is_none")]
    questions: Option<Vec<QuestionLine>>,
    /// Code and tests that it names
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<Vec<LinkLine>>,
    /// How many entries of all lists are not shown; `limit` asks for more
    omitted: usize,
    /// Continues the list
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct DocumentEntry {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    words: u32,
    sections: usize,
    requirements: usize,
    stories: usize,
    questions: usize,
    /// To code and tests
    links: usize,
}

#[derive(Serialize, JsonSchema)]
struct SectionLine {
    name: String,
    /// 1 for the highest
    depth: u32,
    line: u32,
}

#[derive(Serialize, JsonSchema)]
struct StoryLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    role: String,
    goal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    benefit: Option<String>,
    /// When it counts as done
    criteria: Vec<String>,
    line: u32,
}

#[derive(Serialize, JsonSchema)]
struct QuestionLine {
    text: String,
    line: u32,
}

#[derive(Serialize, JsonSchema)]
struct LinkLine {
    /// The section or requirement that names it
    from: String,
    #[serde(flatten)]
    place: PlaceLine,
}

const DEFAULT_LIMIT: u32 = 50;

impl Operation for DocumentOperation {
    const NAME: &'static str = "document";
    const SUMMARY: &'static str =
        "List documents, or show what one says: sections, requirements, stories, questions, links";
    const KIND: OperationKind = OperationKind::Refresh;
    const READS: DataSource = DataSource::Code;
    const GROUP: CommandGroup = CommandGroup::Ask;
    const HELP: &'static str = "\
A requirement has a key (`REQ-12`, `R1.2`) or a sentence with MUST, SHALL or SHOULD in capitals; a user story begins \
\"As a …, I want\"; questions stand below a heading \"Open questions\". Links lead to code and tests that the document names. \
Exit status 3: there is no document.

Examples:
  epitome document list docs/
  epitome document show docs/requirements.md
  epitome document index docs/requirements.md";
    type Params = DocumentParams;
    type Reply = DocumentReply;

    async fn run(call: &OperationCall<'_>, params: DocumentParams) -> Result<DocumentReply, Error> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT) as usize;
        let skip = read_cursor(params.cursor.as_deref())?;
        match (params.action, params.path) {
            (DocumentAction::List, path) => {
                let found = call.engine.list_documents(call.project, path.as_deref(), skip, limit).await?;
                let end = skip + found.documents.len();
                Ok(DocumentReply {
                    documents: found.documents.into_iter().map(DocumentEntry::from).collect(),
                    omitted: found.total.saturating_sub(end),
                    cursor: (end < found.total).then(|| end.to_string()),
                    ..DocumentReply::default()
                })
            }
            (DocumentAction::Show | DocumentAction::Index, Some(path)) => {
                let found = call.engine.describe_document(call.project, &path).await?;
                Ok(DocumentReply::from_report(found, limit))
            }
            (DocumentAction::Show | DocumentAction::Index, None) => {
                let reason = "is needed to show a document: `document list` lists them".to_owned();
                Err(Error::Parameter { field: "path", reason })
            }
        }
    }
}

impl From<engine::DocumentLine> for DocumentEntry {
    fn from(it: engine::DocumentLine) -> Self {
        let engine::DocumentLine { path, title, words, sections, requirements, stories, questions, links } = it;
        Self { path, title, words, sections, requirements, stories, questions, links }
    }
}

impl DocumentReply {
    fn from_report(found: DocumentReport, limit: usize) -> Self {
        let lengths = [
            found.sections.len(),
            found.requirements.len(),
            found.stories.len(),
            found.questions.len(),
            found.links.len(),
        ];
        let sections = found.sections.into_iter().map(|(name, depth, line)| SectionLine { name, depth, line });
        let stories = found.stories.into_iter().map(|it| StoryLine {
            key: it.key,
            role: it.role,
            goal: it.goal,
            benefit: it.benefit,
            criteria: it.criteria,
            line: it.lines.start,
        });
        let questions = found.questions.into_iter().map(|it| QuestionLine { text: it.text, line: it.line });
        let links = found.links.into_iter().map(|(from, place)| LinkLine { from, place: place.into() });
        Self {
            document: Some(found.line.into()),
            metadata: found.metadata.into_iter().collect(),
            sections: Some(sections.take(limit).collect()),
            requirements: Some(found.requirements.into_iter().take(limit).map(RequirementLine::from).collect()),
            stories: Some(stories.take(limit).collect()),
            questions: Some(questions.take(limit).collect()),
            links: Some(links.take(limit).collect()),
            omitted: lengths.iter().map(|length| length.saturating_sub(limit)).sum(),
            ..Self::default()
        }
    }
}

impl DocumentEntry {
    fn to_line(&self) -> String {
        let title = self.title.as_ref().map(|title| format!(" “{}”", show_name(title))).unwrap_or_default();
        let counts = [
            (self.requirements, "requirement"),
            (self.stories, "story"),
            (self.questions, "open question"),
            (self.links, "link"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let counts: String = counts
            .map(|(count, thing)| match (*thing, count) {
                ("story", 2..) => format!(", {count} stories"),
                _ => format!(", {}", render_count(*count as u64, thing)),
            })
            .collect();
        let sections = render_count(self.sections as u64, "section");
        format!("{}{title}: {}, {sections}{counts}\n", show_name(&self.path), render_count(self.words.into(), "word"))
    }
}

impl OperationReply for DocumentReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text: String = self.documents.iter().map(DocumentEntry::to_line).collect();
        if let Some(document) = &self.document {
            text += &document.to_line();
        } else if text.is_empty() {
            text += "no documents found\n";
        }
        for (name, value) in &self.metadata {
            text += &format!("  {}: {}\n", show_name(name), show_name(value));
        }
        for it in self.sections.iter().flatten() {
            text += &format!("{}{} (line {})\n", "  ".repeat(it.depth as usize), show_name(&it.name), it.line);
        }
        for it in self.requirements.iter().flatten() {
            text += &format!("  {}\n", it.to_line());
        }
        for it in self.stories.iter().flatten() {
            let key = it.key.as_ref().map(|key| format!("{}: ", show_name(key))).unwrap_or_default();
            let benefit = it.benefit.as_ref().map(|it| format!(" so that {}", show_name(it))).unwrap_or_default();
            let (role, goal) = (show_name(&it.role), show_name(&it.goal));
            text += &format!("  story {key}as a {role}, I want {goal}{benefit} (line {})\n", it.line);
            for criterion in &it.criteria {
                text += &format!("    done when {}\n", show_name(criterion));
            }
        }
        for it in self.questions.iter().flatten() {
            text += &format!("  open, line {}: {}\n", it.line, show_name(&it.text));
        }
        for it in self.links.iter().flatten() {
            text += &format!("  {} names {}\n", show_name(&it.from), it.place.to_line());
        }
        if self.omitted > 0 {
            let how = match &self.cursor {
                Some(cursor) => format!("--cursor {cursor} continues"),
                None => "--limit lists more".to_owned(),
            };
            text += &format!("… {} more ({how})\n", self.omitted);
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.documents.is_empty() && self.document.is_none() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}

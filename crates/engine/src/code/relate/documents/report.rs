//! Lists the documents of a project, and describes one: its sections, requirements, stories, open questions and links.

use super::link_end::{DocumentLink, LinkEnd, REQUIREMENT, ReadDocument};
use super::table::{DocumentTable, load_documents};
use crate::base::{Error, Project, Result, spelling};
use crate::code::CodeContext;
use crate::code::graph::{Graph, NodeId, is_test};
use crate::code::graph_load::load_graph;
use crate::code::relate::NamedNode;
use model::{Confidence, LineRange};
use syntax::{OpenQuestion, UserStory};

/// A symbol, file or item at the other end of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedPlace {
    /// What it is.
    pub named: NamedNode,
    /// Whether it is a test, or in one.
    pub is_test: bool,
    /// The line that says so, in the file of the one that names the other.
    pub line: u32,
    /// How sure it is.
    pub weight: Confidence,
}

/// A requirement with what it leads to.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedRequirement {
    /// `path#KEY`, or `path:line`.
    pub id: String,
    /// Its key.
    pub key: Option<String>,
    /// What is required.
    pub text: String,
    /// How urgent it is.
    pub priority: Option<String>,
    /// How far it is.
    pub status: Option<String>,
    /// Its lines.
    pub lines: LineRange,
}

/// A document in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentLine {
    /// Its path.
    pub path: String,
    /// Its title.
    pub title: Option<String>,
    /// Number of its words.
    pub words: u32,
    /// Numbers of its sections, requirements, stories, open questions and links.
    pub sections: usize,
    /// Of its requirements.
    pub requirements: usize,
    /// Of its stories.
    pub stories: usize,
    /// Of its open questions.
    pub questions: usize,
    /// Of its links to code.
    pub links: usize,
}

/// Documents of a project.
#[derive(Clone, Debug)]
pub struct DocumentList {
    /// Ordered by path.
    pub documents: Vec<DocumentLine>,
    /// How many there are.
    pub total: usize,
}

/// One document.
#[derive(Clone, Debug)]
pub struct DocumentReport {
    /// Its numbers.
    pub line: DocumentLine,
    /// What stands at its head.
    pub metadata: Vec<(String, String)>,
    /// Its sections: name, depth and line.
    pub sections: Vec<(String, u32, u32)>,
    /// Its requirements.
    pub requirements: Vec<LinkedRequirement>,
    /// Its user stories.
    pub stories: Vec<UserStory>,
    /// What it leaves open.
    pub questions: Vec<OpenQuestion>,
    /// What code it names: from which section or item, and what.
    pub links: Vec<(String, LinkedPlace)>,
}

/// The documents of a project whose path contains a text, from a place on.
pub(crate) async fn list_documents(
    code: &CodeContext,
    project: &Project,
    path: Option<&str>,
    skip: usize,
    limit: usize,
) -> Result<DocumentList> {
    let graph = load_graph(code, project).await?;
    let table = load_documents(code, project, &graph).await?;
    let is_asked =
        |read: &&ReadDocument| read.facts.is_document && path.is_none_or(|part| graph.path(read.file).contains(part));
    let asked: Vec<&ReadDocument> = table.files.iter().filter(is_asked).collect();
    let documents = asked.iter().skip(skip).take(limit).map(|read| document_line(&table, read)).collect();
    Ok(DocumentList { documents, total: asked.len() })
}

/// One document, by its path.
pub(crate) async fn describe_document(code: &CodeContext, project: &Project, path: &str) -> Result<DocumentReport> {
    let graph = load_graph(code, project).await?;
    let table = load_documents(code, project, &graph).await?;
    let file = graph.find_file(path).or_else(|| graph.find_file(&spelling::normalize_place(project, path)));
    let Some(read) = file.and_then(|file| table.find_file(file)).filter(|read| read.facts.is_document) else {
        let hint = match file {
            Some(_) => "it is no document: `symbol` and `relations` answer about code",
            None => {
                "`epitome document list` shows the documents; files that git ignores, and those in \
                     `index.exclude`, are not indexed"
            }
        };
        return Err(Error::NotFound { what: "document", id: path.to_owned(), hint: Some(hint.to_owned()) });
    };
    let depth = |node: NodeId| std::iter::successors(Some(node), |node| graph.container(*node)).count() as u32;
    let sections =
        graph.symbols_of(read.file).map(|node| (graph.name(node).to_owned(), depth(node), graph.name_line(node)));
    let requirements = table.items.iter().filter(|item| item.file == read.file && item.kind == REQUIREMENT);
    let requirements = requirements.map(|item| LinkedRequirement {
        id: item.id.clone(),
        key: item.key.clone(),
        text: item.text.clone(),
        priority: item.priority.clone(),
        status: item.status.clone(),
        lines: item.lines,
    });
    let links = links_from(&table, read.file).map(|link| {
        let place = place_of(&table, link.to, link.line, link.weight);
        (end_id(&table, link.from), place)
    });
    Ok(DocumentReport {
        line: document_line(&table, read),
        metadata: read.facts.metadata.clone(),
        sections: sections.collect(),
        requirements: requirements.collect(),
        stories: read.facts.stories.clone(),
        questions: read.facts.questions.clone(),
        links: links.collect(),
    })
}

fn document_line(table: &DocumentTable, read: &ReadDocument) -> DocumentLine {
    DocumentLine {
        path: table.graph.path(read.file).to_owned(),
        title: read.facts.title.clone(),
        words: read.facts.words,
        sections: table.graph.symbols_of(read.file).len(),
        requirements: read.facts.requirements.len(),
        stories: read.facts.stories.len(),
        questions: read.facts.questions.len(),
        links: links_from(table, read.file).count(),
    }
}

/// The links that start in a document and lead to code.
fn links_from(table: &DocumentTable, file: NodeId) -> impl Iterator<Item = &DocumentLink> {
    let is_own = move |end: LinkEnd| match end {
        LinkEnd::Node(node) => node.file_number() == file.file_number(),
        LinkEnd::Item(at) => table.items[at].file == file,
    };
    table.links.iter().filter(move |link| is_own(link.from) && matches!(link.to, LinkEnd::Node(_)))
}

fn end_id(table: &DocumentTable, end: LinkEnd) -> String {
    match end {
        LinkEnd::Node(node) => table.graph.id(node),
        LinkEnd::Item(at) => table.items[at].id.clone(),
    }
}

/// One end of a link as replies show it.
pub(crate) fn place_of(table: &DocumentTable, end: LinkEnd, line: u32, weight: f32) -> LinkedPlace {
    let graph: &Graph = &table.graph;
    let (named, is_test) = match end {
        LinkEnd::Node(node) => (NamedNode::from_node(graph, node), is_test(graph, node)),
        LinkEnd::Item(at) => {
            let item = &table.items[at];
            let path = graph.path(item.file).to_owned();
            (NamedNode::from_item(item.id.clone(), item.kind, path, item.lines), false)
        }
    };
    LinkedPlace { named, is_test, line, weight: Confidence::new(weight) }
}

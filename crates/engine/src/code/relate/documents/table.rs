//! What all documents of a worktree say, in memory: their facts, their requirements and stories with ids, and the links
//! between them and the nodes of one graph. Made anew for another graph.

use super::link_end::{DocumentItem, DocumentLink, LinkEnd, QUESTION, REQUIREMENT, ReadDocument, USER_STORY};
use super::link_search::find_links;
use crate::base::{Project, Result, run_blocking};
use crate::code::CodeContext;
use crate::code::document_codec::decode_document;
use crate::code::graph::{Graph, NodeId};
use model::LineRange;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;
use store::{FileRecord, FileRecordKind};

pub(crate) struct DocumentTable {
    pub(crate) graph: Arc<Graph>,
    /// Documents, and files of code with keys in them, ordered by path.
    pub(crate) files: Vec<ReadDocument>,
    pub(crate) items: Vec<DocumentItem>,
    pub(crate) links: Vec<DocumentLink>,
    by_end: HashMap<LinkEnd, Vec<u32>>,
    by_id: HashMap<String, usize>,
    by_key: HashMap<String, Vec<usize>>,
    by_file: HashMap<NodeId, usize>,
}

impl DocumentTable {
    /// Puts the table of a graph together.
    fn new(graph: Arc<Graph>, records: Vec<FileRecord>) -> Self {
        let files: Vec<ReadDocument> = records
            .into_par_iter()
            .filter_map(|record| {
                // Damaged facts are those of a file that says nothing; the index is made anew where it is damaged.
                let facts = decode_document(&record.bytes).ok().flatten()?;
                Some(ReadDocument { file: graph.find_file(&record.path)?, facts })
            })
            .collect();
        let items = collect_items(&graph, &files);
        let mut by_id = HashMap::new();
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            by_id.entry(item.id.clone()).or_insert(at);
            if let Some(key) = &item.key {
                by_key.entry(key.clone()).or_default().push(at);
            }
        }
        let links = find_links(&graph, &files, &items, &by_key);
        let mut by_end: HashMap<LinkEnd, Vec<u32>> = HashMap::new();
        for (at, link) in (0..).zip(&links) {
            by_end.entry(link.from).or_default().push(at);
            by_end.entry(link.to).or_default().push(at);
        }
        let by_file = files.iter().enumerate().map(|(at, read)| (read.file, at)).collect();
        Self { graph, files, items, links, by_end, by_id, by_key, by_file }
    }

    /// The links of one end, in order.
    pub(crate) fn links_of(&self, end: LinkEnd) -> impl Iterator<Item = &DocumentLink> {
        self.by_end.get(&end).into_iter().flatten().map(|at| &self.links[*at as usize])
    }

    /// The item of an id, or the only one of a key.
    pub(crate) fn find_item(&self, text: &str) -> Option<usize> {
        let text = text.trim();
        if let Some(at) = self.by_id.get(text) {
            return Some(*at);
        }
        match self.by_key.get(text).map(Vec::as_slice) {
            Some([at]) => Some(*at),
            _ => None,
        }
    }

    pub(crate) fn find_file(&self, file: NodeId) -> Option<&ReadDocument> {
        self.by_file.get(&file).map(|at| &self.files[*at])
    }

    /// The items of a file, by their places in the table.
    pub(crate) fn items_of(&self, file: NodeId) -> impl Iterator<Item = usize> + '_ {
        // Items stand in the order of their files.
        let start = self.items.partition_point(|item| item.file < file);
        (start..self.items.len()).take_while(move |at| self.items[*at].file == file)
    }
}

/// The requirements, stories and open questions of all documents, in the order of their files.
fn collect_items(graph: &Graph, files: &[ReadDocument]) -> Vec<DocumentItem> {
    let mut items = Vec::new();
    for ReadDocument { file, facts } in files {
        let path = graph.path(*file);
        let id = |key: Option<&String>, line: u32| match key {
            Some(key) => format!("{path}#{key}"),
            None => format!("{path}:{line}"),
        };
        items.extend(facts.requirements.iter().map(|it| DocumentItem {
            id: id(it.key.as_ref(), it.lines.start),
            kind: REQUIREMENT,
            key: it.key.clone(),
            text: it.text.clone(),
            priority: it.priority.clone(),
            status: it.status.clone(),
            file: *file,
            lines: it.lines,
        }));
        items.extend(facts.stories.iter().map(|it| {
            let benefit = it.benefit.as_ref().map(|benefit| format!(" so that {benefit}")).unwrap_or_default();
            DocumentItem {
                id: id(it.key.as_ref(), it.lines.start),
                kind: USER_STORY,
                key: it.key.clone(),
                text: format!("As a {}, I want {}{benefit}", it.role, it.goal),
                priority: None,
                status: None,
                file: *file,
                lines: it.lines,
            }
        }));
        items.extend(facts.questions.iter().map(|it| DocumentItem {
            id: id(None, it.line),
            kind: QUESTION,
            key: None,
            text: it.text.clone(),
            priority: None,
            status: None,
            file: *file,
            lines: LineRange { start: it.line, end: it.line },
        }));
    }
    items.sort_by_key(|item| item.file);
    items
}

/// The table for a graph, kept or made.
pub(crate) async fn load_documents(
    code: &CodeContext,
    project: &Project,
    graph: &Arc<Graph>,
) -> Result<Arc<DocumentTable>> {
    let worktree = code.store.open_worktree(&project.id, &project.root_text()).await?;
    let kept = code.documents.get(&worktree.id, worktree.version);
    // The numbers of nodes are those of one graph.
    if let Some(kept) = kept.filter(|kept| Arc::ptr_eq(&kept.graph, graph)) {
        return Ok(kept);
    }
    let records = code.store.worktree_records(&worktree.id, FileRecordKind::Document).await?;
    let of_graph = Arc::clone(graph);
    let (version, files) = (records.version, records.files);
    let making = move || Arc::new(DocumentTable::new(of_graph, files));
    let table = run_blocking("linking documents", making).await?;
    // Where another run has changed the files meanwhile, the next question has another graph.
    if version == worktree.version {
        code.documents.insert(worktree.id, worktree.version, Arc::clone(&table));
    }
    Ok(table)
}

//! Everything that is known of one end of a link: of a symbol and a file as its text says it now (asynchronous, exported,
//! bases, imports), of a document what stands at its head, of a requirement its key and state.

use super::entity_end::{EndFinder, GraphEnd};
use super::entity_view::EntityView;
use crate::base::{Result, confined_file, run_blocking};
use crate::code::graph::{EdgeLines, NodeId};
use crate::code::relate::{LinkEnd, REQUIREMENT};
use model::{ContentHash, EdgeKind, Symbol};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use syntax::{
    Expression, ExtractLimits, FileExtract, ImportDeclaration, ImportManner, ImportedItem, Language, ReferenceKind,
};

/// So many exports and imports of a file are listed; the numbers of all stand beside them.
const MOST_LISTED: usize = 200;

pub(super) async fn describe_end(finder: &EndFinder<'_>, end: &GraphEnd) -> Result<EntityView> {
    let gone = |id: &str| EntityView::new(id.to_owned(), "gone", id.to_owned());
    match end {
        GraphEnd::Entity(id) => {
            Ok(finder.table.entity(id).cloned().map_or_else(|| gone(id.as_str()), EntityView::from))
        }
        GraphEnd::Memory(end) => Ok(end.describe(finder.memory).await?.unwrap_or_else(|| gone(end.id()))),
        GraphEnd::Gone(id) => Ok(gone(id)),
        GraphEnd::Code(LinkEnd::Item(at)) => Ok(describe_item(finder, *at)),
        GraphEnd::Code(LinkEnd::Node(node)) => describe_node(finder, *node).await,
    }
}

/// A requirement, a user story or a question.
fn describe_item(finder: &EndFinder<'_>, at: usize) -> EntityView {
    let item = &finder.documents.items[at];
    let mut metadata = Map::new();
    for (name, value) in [("key", &item.key), ("priority", &item.priority), ("status", &item.status)] {
        if let Some(value) = value {
            metadata.insert(name.to_owned(), json!(value));
        }
    }
    let facts = finder.documents.find_file(item.file).map(|read| &read.facts);
    let story = facts.and_then(|facts| facts.stories.iter().find(|story| story.lines == item.lines));
    if let Some(story) = story.filter(|_| item.kind != REQUIREMENT) {
        metadata.insert("role".to_owned(), json!(story.role));
        metadata.insert("criteria".to_owned(), json!(story.criteria));
    }
    let metadata = Some(Value::Object(metadata));
    EntityView { content: Some(item.text.clone()), metadata, ..finder.view_of_code(LinkEnd::Item(at)) }
}

async fn describe_node(finder: &EndFinder<'_>, node: NodeId) -> Result<EntityView> {
    let graph = &finder.graph;
    let view = finder.view_of_code(LinkEnd::Node(node));
    let path = graph.path(node).to_owned();
    let root = finder.project.root.clone();
    let read = move || {
        let bytes = confined_file::read_file(&root, Path::new(&path)).ok()?;
        let extract = syntax::extract(&path, &bytes, &ExtractLimits::default());
        Some((bytes, extract))
    };
    let Some((bytes, extract)) = run_blocking("reading a file", read).await? else { return Ok(view) };
    let language = graph.language(node).and_then(|name| syntax::all_languages().find(|it| it.name() == name));
    let view = EntityView { qualified_name: qualified_name(finder, node), ..view };
    if node.is_file() {
        return Ok(describe_file(finder, node, &bytes, &extract, language, view));
    }
    let wanted = graph.qualified_name(node);
    let Some(at) = extract.symbols.iter().position(|symbol| symbol.id.qualified_name() == wanted) else {
        return Ok(view);
    };
    let symbol = &extract.symbols[at];
    let text = bytes.get(symbol.span.start as usize..symbol.span.end as usize).unwrap_or_default();
    Ok(EntityView {
        content: Some(symbol.signature.clone()),
        summary: symbol.doc.clone(),
        metadata: Some(symbol_metadata(&extract, at, language)),
        hash: Some(ContentHash::hash_bytes(text).to_string()),
        ..view
    })
}

fn qualified_name(finder: &EndFinder<'_>, node: NodeId) -> Option<String> {
    (!node.is_file()).then(|| finder.graph.qualified_name(node).to_owned())
}

fn symbol_metadata(extract: &FileExtract, at: usize, language: Option<&Language>) -> Value {
    let symbol = &extract.symbols[at];
    let parts = language.map(|language| language.parse_signature(symbol)).unwrap_or_default();
    let mut metadata = Map::new();
    let mut add = |name: &str, value: Value| metadata.insert(name.to_owned(), value);
    if symbol.kind.is_function() {
        add("async", json!(parts.modifiers.iter().any(|word| word == "async")));
        add("parameters", json!(parts.parameters));
        if let Some(returns) = &parts.returns {
            add("return_type", json!(returns));
        }
    }
    if let Some(is_exported) = is_exported(symbol, extract, language) {
        add("exported", json!(is_exported));
    }
    if !parts.modifiers.is_empty() {
        add("modifiers", json!(parts.modifiers));
    }
    for (name, kind) in [("bases", ReferenceKind::Extends), ("implements", ReferenceKind::Implements)] {
        let own = extract.references.iter().filter(|it| it.kind == kind && it.within == Some(at));
        let named: Vec<String> = own.map(|it| expression_text(&it.target)).filter(|text| !text.is_empty()).collect();
        if !named.is_empty() {
            add(name, json!(named));
        }
    }
    Value::Object(metadata)
}

/// Whether other files can import a symbol from here; nothing where its language does not say so in the text.
fn is_exported(symbol: &Symbol, extract: &FileExtract, language: Option<&Language>) -> Option<bool> {
    let is_listed = extract.imports.iter().any(|import| {
        import.exported
            && import.module.is_empty()
            && matches!(&import.what, ImportedItem::Name(name) if *name == symbol.name)
    });
    if is_listed { Some(true) } else { language?.is_exported(symbol) }
}

fn describe_file(
    finder: &EndFinder<'_>,
    node: NodeId,
    bytes: &[u8],
    extract: &FileExtract,
    language: Option<&Language>,
    view: EntityView,
) -> EntityView {
    let mut metadata = Map::new();
    let mut summary = None;
    if let Some(language) = language {
        metadata.insert("language".to_owned(), json!(language.name()));
    }
    let facts = finder.documents.find_file(node).map(|read| &read.facts).filter(|facts| facts.is_document);
    if let Some(facts) = facts {
        summary.clone_from(&facts.title);
        let head: BTreeMap<&str, &str> =
            facts.metadata.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        metadata.insert("head".to_owned(), json!(head));
        metadata.insert("words".to_owned(), json!(facts.words));
    } else {
        let outer = extract.symbols.iter().filter(|symbol| symbol.container.is_none());
        let exports: Vec<&str> = outer
            .filter(|symbol| is_exported(symbol, extract, language) == Some(true))
            .map(|symbol| symbol.name.as_str())
            .collect();
        let imports = import_list(finder, node, &extract.imports);
        metadata.insert("export_count".to_owned(), json!(exports.len()));
        metadata.insert("exports".to_owned(), json!(&exports[..exports.len().min(MOST_LISTED)]));
        metadata.insert("import_count".to_owned(), json!(imports.len()));
        metadata.insert("imports".to_owned(), json!(&imports[..imports.len().min(MOST_LISTED)]));
    }
    let hash = Some(ContentHash::hash_bytes(bytes).to_string());
    EntityView { summary, metadata: Some(Value::Object(metadata)), hash, ..view }
}

/// The imports of a file, those of one line and module together.
fn import_list(finder: &EndFinder<'_>, file: NodeId, imports: &[ImportDeclaration]) -> Vec<Value> {
    let graph = &finder.graph;
    let mut lines = EdgeLines::new(graph);
    let inside: Vec<u32> = graph
        .links_from(file)
        .iter()
        .filter(|link| link.kind == EdgeKind::Imports)
        .flat_map(|link| lines.lines_between(file, EdgeKind::Imports, link.node).to_vec())
        .collect();
    let mut listed: Vec<Value> = Vec::new();
    let mut last: Option<(u32, &str)> = None;
    for import in imports.iter().filter(|import| !import.module.is_empty()) {
        let name = match &import.what {
            ImportedItem::Module => None,
            ImportedItem::All => Some("*"),
            ImportedItem::Name(name) => Some(name.as_str()),
        };
        if last != Some((import.line, &import.module)) {
            listed.push(json!({
                "module": import.module, "names": [], "line": import.line,
                "type_only": import.manner == ImportManner::Type,
                "dynamic": import.manner == ImportManner::Dynamic,
                "external": !inside.contains(&import.line),
                "exported": import.exported,
            }));
            last = Some((import.line, &import.module));
        }
        if let (Some(name), Some(Value::Array(names))) = (name, listed.last_mut().map(|it| &mut it["names"])) {
            names.push(json!(name));
        }
    }
    listed
}

/// A base as it is written, without its arguments; empty where it is no name.
fn expression_text(expression: &Expression) -> String {
    match expression {
        Expression::Name(name) | Expression::Builtin(name) => name.clone(),
        Expression::Member(inner, name) => match expression_text(inner).as_str() {
            "" => name.clone(),
            outer => format!("{outer}.{name}"),
        },
        Expression::Of(inner, _) | Expression::New(inner) | Expression::Call(inner) => expression_text(inner),
        Expression::Either(_) | Expression::This | Expression::Super | Expression::Literal | Expression::Unknown => {
            String::new()
        }
    }
}

//! Builds the symbols of a file from the definitions that the query matched: nests them in containers and adds ids,
//! names, signatures and documentation.

pub(crate) mod references;
pub(crate) mod sections;
pub(crate) mod symbol_map;
pub(crate) mod symbol_text;

use crate::expression::{Expression, parse_name};
use crate::file_extract::{ReferenceKind, TypeExtension};
use crate::harvest::{DefinitionKind, LeadingTrivia, RawDefinition, RawUses, WalkHarvest};
use crate::language::Language;
use crate::line_table::LineTable;
use foldhash::{HashMap, HashSet};
use model::{ByteSpan, DigestBuilder, Symbol, SymbolId, SymbolKind};
use std::cmp::Reverse;

/// Longer names are string keys and the like; the rest of such a name helps no search.
const LONGEST_NAME: usize = 200;

/// Beyond this a qualified name is no name any more, and a file that nests a thousand functions would be mostly qualified names.
const LONGEST_QUALIFIED_NAME: usize = 1_000;

/// The definitions of one file.
pub(crate) struct FileDefinitions {
    /// In order of place.
    pub(crate) symbols: Vec<Symbol>,
    /// The byte at which the name of each starts.
    pub(crate) names: Vec<u32>,
    /// Symbols that are declarations only.
    pub(crate) prototypes: Vec<usize>,
}

pub(crate) fn build_symbols(
    path: &str,
    language: &Language,
    lines: &LineTable,
    harvest: &mut WalkHarvest,
) -> FileDefinitions {
    let mut found = std::mem::take(&mut harvest.found);
    for found in &mut found {
        // Before definitions are nested: one that reaches over the next one's comment would contain it.
        end_before_comments(found, &harvest.leads, lines);
    }
    let mut found = arrange_definitions(found, &harvest.wraps, lines.bytes());
    sections::extend_headings(&mut found, lines, &harvest.leads);
    if let Some(most) = language.most_symbols() {
        sections::keep_structure(&mut found, most);
    }
    let mut builder = SymbolBuilder {
        path,
        lines,
        found: &found,
        open: Vec::new(),
        drafts: Vec::new(),
        taken: HashMap::default(),
        extensions: Vec::new(),
    };
    for index in 0..found.len() {
        builder.add_definition(index);
    }
    harvest.uses.extensions = builder.extensions;
    for scope in found.iter().filter(|found| found.what == DefinitionKind::Scope && found.seen_as.is_none()) {
        add_promises(scope, &mut harvest.uses, lines);
    }
    let drafts = builder.drafts;
    let owners = OwnerIndex::new(&drafts);
    let names = drafts.iter().map(|draft| draft.found.name.start).collect();
    let prototypes = (0..drafts.len()).filter(|at| drafts[*at].found.is_prototype).collect();
    let symbols = drafts
        .iter()
        .map(|draft| {
            let found = &draft.found;
            // An owner may come after its members, so it is searched once all symbols are known.
            let container = owners.find_owner(draft).or(draft.parent).map(|at| drafts[at].id.clone());
            let docstring = harvest.docstrings.binary_search_by_key(&found.body, |docstring| docstring.body);
            Symbol {
                id: draft.id.clone(),
                name: single_line(lines.bytes(), found.name),
                kind: draft.kind,
                container,
                span: found.span,
                lines: lines.range_of(found.span),
                name_line: lines.row_of(found.name.start) + 1,
                signature: build_signature(found, lines, &harvest.leads),
                doc: match docstring {
                    Ok(at) => symbol_text::parse_docstring(&lines.bytes()[harvest.docstrings[at].text.to_range()]),
                    Err(_) => {
                        symbol_text::comments_above(lines, found.span.start, &harvest.leads, language.comment_markers())
                            .or_else(|| {
                                symbol_text::comment_below(
                                    lines,
                                    found.span.end,
                                    &harvest.leads,
                                    language.comment_markers(),
                                )
                            })
                    }
                },
            }
        })
        .collect();
    FileDefinitions { symbols, names, prototypes }
}

/// Interfaces that are stated before the body of a scope are implemented by its owner: `extension Owner: Interface {`.
fn add_promises(scope: &RawDefinition, uses: &mut RawUses, lines: &LineTable) {
    let Some(owner) = scope.owner.map(|owner| type_called(&single_line(lines.bytes(), owner))) else { return };
    let lines = lines.range_of(scope.span);
    let kept = uses
        .references
        .iter()
        .filter(|use_| use_.kind == ReferenceKind::Implements && (scope.span.start..scope.body).contains(&use_.at));
    let promise = |seen_as: &Expression| {
        let members = Vec::new();
        TypeExtension { owner: owner.clone(), seen_as: Some(seen_as.clone()), members, lines }
    };
    uses.extensions.extend(kept.map(|use_| promise(&use_.target)));
}

/// Removes comments from the end of a definition: where no sign ends a definition, a grammar extends it to the next
/// one, over the documentation of that one.
fn end_before_comments(found: &mut RawDefinition, leads: &[LeadingTrivia], lines: &LineTable) {
    let bytes = lines.bytes();
    loop {
        let last = leads.partition_point(|lead| lead.span.start < found.span.end);
        let Some(lead) = leads[..last].last().filter(|lead| lead.is_comment && lead.span.start > found.name.end) else {
            return;
        };
        let rest = bytes.get(lead.span.end as usize..found.span.end as usize).unwrap_or_default();
        // A comment behind code on the same row belongs to that code.
        if !rest.trim_ascii().is_empty() || !lines.starts_its_row(lead.span.start) {
            return;
        }
        let kept = bytes[found.span.start as usize..lead.span.start as usize].trim_ascii_end().len();
        found.span.end = found.span.start + kept as u32;
        found.body = found.body.min(found.span.end);
    }
}

/// Sorts outer definitions before inner ones, keeps the earliest pattern of those that define the same, and of one
/// pattern the earliest body, and extends each definition by the wraps that end with it and the clauses that continue
/// it.
fn arrange_definitions(mut found: Vec<RawDefinition>, wraps: &[ByteSpan], bytes: &[u8]) -> Vec<RawDefinition> {
    let place = |found: &RawDefinition| (found.span.start, Reverse(found.span.end), found.name.start);
    found.sort_unstable_by_key(|found| (place(found), found.pattern, found.body));
    found.dedup_by_key(|found| place(found));
    // `private def name` (Ruby) is found with and without its first word; the outer match comes first and stays.
    let mut names = HashSet::default();
    found.retain(|found| found.what == DefinitionKind::Scope || names.insert(found.name.start));
    // Inner wraps first, so that a definition grows outward: `export` around `const` around the name.
    for wrap in wraps.iter().rev() {
        let first = found.partition_point(|found| found.span.start < wrap.start);
        let Some(inner) = found.get(first).map(|found| found.span) else { continue };
        if inner.end > wrap.end {
            continue;
        }
        let before = &bytes[wrap.start as usize..inner.start as usize];
        let mut after = bytes[inner.end as usize..wrap.end as usize].iter();
        let end = match after.all(|b| b" \t\r\n;,".contains(b)) {
            true => wrap.end,
            // `let rec f = … and g = …`: the words before belong to the first.
            false if before.iter().all(|b| b.is_ascii_alphabetic() || *b == b' ') => inner.end,
            false => continue,
        };
        let grown = ByteSpan { start: wrap.start, end };
        found[first..].iter_mut().take_while(|found| found.span == inner).for_each(|found| found.span = grown);
    }
    if found.iter().any(|found| found.clause.is_some()) { join_clauses(found, bytes) } else { found }
}

/// Joins clauses of one name that follow each other into one definition; definitions inside of them stay.
fn join_clauses(found: Vec<RawDefinition>, bytes: &[u8]) -> Vec<RawDefinition> {
    let mut joined: Vec<RawDefinition> = Vec::with_capacity(found.len());
    let mut open: Vec<usize> = Vec::new();
    for later in found {
        let mut before = None;
        // The definition that is closed last here is the neighbour that a clause may continue.
        while let Some(at) = open.pop_if(|at| joined[*at].span == later.span || !joined[*at].span.contains(later.span))
        {
            before = Some(at);
        }
        let is_same = |first: &RawDefinition| {
            let owner = |found: &RawDefinition| found.owner.map(|owner| single_line(bytes, owner));
            first.clause.is_some()
                && first.clause == later.clause
                && single_line(bytes, first.name) == single_line(bytes, later.name)
                && owner(first) == owner(&later)
        };
        if let Some(first) = before.filter(|at| is_same(&joined[*at])) {
            joined[first].span.end = later.span.end;
            open.push(first);
        } else {
            open.push(joined.len());
            joined.push(later);
        }
    }
    joined
}

/// A symbol before its signature and documentation are read.
struct SymbolDraft {
    found: RawDefinition,
    kind: SymbolKind,
    id: SymbolId,
    /// Containers joined with dots, without the suffix that makes a repeated id unique.
    qualified_name: String,
    parent: Option<usize>,
    /// For a symbol with an owner: the length of the part of `qualified name` before the owner, and the owner.
    owner: Option<(usize, String)>,
}

struct SymbolBuilder<'a> {
    path: &'a str,
    lines: &'a LineTable<'a>,
    found: &'a [RawDefinition],
    open: Vec<OpenScope>,
    drafts: Vec<SymbolDraft>,
    /// Every qualified name in use, with how often it was requested again.
    taken: HashMap<String, u32>,
    extensions: Vec<TypeExtension>,
}

/// A definition or scope that later ones may be inside of.
struct OpenScope {
    span: ByteSpan,
    qualified_name: String,
    /// The innermost symbol.
    draft: Option<usize>,
    owner: Option<(usize, String)>,
    /// For a scope with an owner.
    extension: Option<usize>,
}

impl SymbolBuilder<'_> {
    fn add_definition(&mut self, index: usize) {
        let found = self.found[index];
        // Definitions with one span (`int a, b;`) are side by side, not inside of each other.
        while self.open.pop_if(|open| open.span == found.span || !open.span.contains(found.span)).is_some() {}
        let outer = self.open.last();
        let parent = outer.and_then(|outer| outer.draft);
        let mut qualified_name = outer.map(|outer| outer.qualified_name.clone()).unwrap_or_default();
        let mut owner = None;
        let mut extension = None;
        if let Some(named) = found.owner {
            let name = single_line(self.lines.bytes(), named);
            let before = qualified_name.len();
            match found.seen_as {
                Some(seen_as) => {
                    // Two traits of one type may have methods of the same name, so the trait is part of the qualified name.
                    push_name_part(
                        &mut qualified_name,
                        &format!("<{name} as {}>", single_line(self.lines.bytes(), seen_as)),
                    );
                }
                None => push_name_part(&mut qualified_name, &name_part(&name)),
            }
            extension = Some(self.extensions.len());
            self.extensions.push(TypeExtension {
                owner: type_called(&name),
                seen_as: found.seen_as.map(|seen_as| type_called(&single_line(self.lines.bytes(), seen_as))),
                members: Vec::new(),
                lines: self.lines.range_of(found.span),
            });
            owner = Some((before, name_part(&name)));
        } else if let Some(outer) = outer {
            owner.clone_from(&outer.owner);
            extension = outer.extension;
        }
        let draft = match found.what {
            DefinitionKind::Scope => parent,
            DefinitionKind::Symbol(kind) => {
                let within = parent.map(|parent| self.drafts[parent].kind);
                // Constants of a function are its own; a prototype there is more often a variable with arguments:
                // `Widget w(1);` (C++).
                let is_local = kind == SymbolKind::Constant || found.is_prototype;
                if is_local && within.is_some_and(SymbolKind::is_function) && owner.is_none() {
                    return;
                }
                push_name_part(&mut qualified_name, &name_part(&single_line(self.lines.bytes(), found.name)));
                let belongs = owner.is_some() || within.is_some_and(SymbolKind::is_type);
                let kind = if kind == SymbolKind::Function && belongs { SymbolKind::Method } else { kind };
                let id = self.unique_id(&qualified_name, found.span);
                if let Some(extension) = extension.take() {
                    self.extensions[extension].members.push(self.drafts.len());
                }
                self.drafts.push(SymbolDraft {
                    found,
                    kind,
                    id,
                    qualified_name: qualified_name.clone(),
                    parent,
                    owner: owner.take(),
                });
                Some(self.drafts.len() - 1)
            }
        };
        self.open.push(OpenScope { span: found.span, qualified_name, draft, owner, extension });
    }

    /// The id for a qualified name; where the file has that qualified name already, a part of the definition's own hash is appended, so
    /// that definitions elsewhere in the file do not influence it. Only a definition repeated to the letter is
    /// numbered.
    fn unique_id(&mut self, qualified_name: &str, span: ByteSpan) -> SymbolId {
        if self.reserve_name(qualified_name) == 0 {
            return SymbolId::new(self.path, qualified_name);
        }
        let hash = DigestBuilder::new("symbol").add_field(&self.lines.bytes()[span.to_range()]).finish().to_string();
        let hashed = format!("{qualified_name}~{}", &hash[..4]);
        loop {
            let unique = match self.reserve_name(&hashed) {
                0 => break SymbolId::new(self.path, &hashed),
                times => format!("{hashed}~{}", times + 1),
            };
            if self.reserve_name(&unique) == 0 {
                break SymbolId::new(self.path, &unique);
            }
        }
    }

    /// Reserves a qualified name, and returns how often it was reserved before.
    fn reserve_name(&mut self, qualified_name: &str) -> u32 {
        if let Some(times) = self.taken.get_mut(qualified_name) {
            *times += 1;
            return *times - 1;
        }
        self.taken.insert(qualified_name.to_owned(), 1);
        0
    }
}

/// The symbols of a file by qualified name, for members that name their owner and are not inside of it.
struct OwnerIndex<'a>(HashMap<&'a str, usize>);

impl<'a> OwnerIndex<'a> {
    fn new(drafts: &'a [SymbolDraft]) -> Self {
        let mut by_qualified_name = HashMap::default();
        if drafts.iter().any(|draft| draft.owner.is_some()) {
            for (at, draft) in drafts.iter().enumerate() {
                // The first of several definitions has the plain id, so it is the owner.
                by_qualified_name.entry(draft.qualified_name.as_str()).or_insert(at);
            }
        }
        Self(by_qualified_name)
    }

    /// The owner's symbol: in the same scope, or in the nearest one around it.
    fn find_owner(&self, draft: &SymbolDraft) -> Option<usize> {
        let (before, name) = draft.owner.as_ref()?;
        let mut scope = &draft.qualified_name[..*before];
        loop {
            let mut qualified_name = scope.to_owned();
            push_name_part(&mut qualified_name, name);
            if let Some(&at) = self.0.get(qualified_name.as_str()) {
                return Some(at);
            }
            if scope.is_empty() {
                return None;
            }
            scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }
}

fn push_name_part(qualified_name: &mut String, name: &str) {
    if qualified_name.len() > LONGEST_QUALIFIED_NAME {
        let hash = DigestBuilder::new("chain").add_field(qualified_name.as_bytes()).finish().to_string();
        *qualified_name = format!("…{}", &hash[..8]);
    }
    if !qualified_name.is_empty() {
        qualified_name.push('.');
    }
    qualified_name.push_str(name);
}

/// A type by its name, without signs of references and pointers and without arguments.
fn type_called(written: &str) -> Expression {
    let words = written.split(['<', '[', '(']).next().unwrap_or_default();
    let name = words.trim_start_matches(['&', '*']).split_whitespace().last().unwrap_or_default();
    parse_name(name).unwrap_or(Expression::Unknown)
}

/// Everything before the body, and the name where that comes after the body: `typedef struct {…} name`.
fn build_signature(found: &RawDefinition, lines: &LineTable, leads: &[LeadingTrivia]) -> String {
    let before = symbol_text::render_signature(lines.bytes(), found.span.start, found.body, leads);
    if found.name.start < found.body {
        return before;
    }
    format!("{before} {{…}} {}", symbol_text::render_signature(lines.bytes(), found.name.start, found.span.end, leads))
}

/// A name of several parts as a part of a qualified name.
fn name_part(name: &str) -> String {
    if !name.contains("::") {
        return name.to_owned();
    }
    // `List<Key>::Iterator`: whatever the arguments are, the qualified name is the same.
    let mut depth = 0;
    let outside = name.chars().filter(|c| {
        depth += i32::from(*c == '<') - i32::from(*c == '>');
        depth == 0 && *c != '>'
    });
    outside.collect::<String>().replace("::", ".")
}

/// A name or type as written, on one line.
fn single_line(bytes: &[u8], span: ByteSpan) -> String {
    let written = String::from_utf8_lossy(&bytes[span.to_range()]);
    if written.len() <= LONGEST_NAME && !written.contains(char::is_whitespace) {
        return written.into_owned();
    }
    let mut name = written.split_whitespace().collect::<Vec<_>>().join(" ");
    symbol_text::truncate_text(&mut name, LONGEST_NAME);
    name
}

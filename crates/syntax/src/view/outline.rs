//! Parses a file and sorts its rows by what they are (comments, imports, docstrings, heads, bodies, constants, tables,
//! sections, statements, strings), so that a view can choose what it leaves out.

use super::doc_comments::{self, DocstringRows, comment_runs, documenting_lead};
use super::rows::{RowRange, bytes_after, has_content, rows_of};
use super::tree_shapes::{RowBlock, TreeShapes, read_shapes};
use crate::file_extract::{ExtractLimits, ImportDeclaration, ImportManner};
use crate::harvest::{DefinitionKind, RawDefinition, WalkHarvest, node_span, trim_span};
use crate::language::{Language, QueryRules, language_of};
use crate::line_table::LineTable;
use crate::walk::{embedded_text, walk_tree};
use crate::{content_checks, parse};
use model::{ByteSpan, SymbolKind};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use tree_sitter::Tree;

/// How many levels of a statement's parts are shown.
const PART_LEVELS: usize = 2;

/// The rows of one file by what they are, each list in order of place.
pub(super) struct FileOutline {
    /// Runs of rows that are comment and nothing else.
    pub(super) comments: Vec<RowRange>,
    /// Imports that take effect before anything runs and are not re-exported.
    pub(super) imports: Vec<RowRange>,
    /// Texts of several rows that document the definition around them.
    pub(super) docstrings: Vec<DocstringRows>,
    /// Bodies of functions and of computed fields, outer before inner.
    pub(super) bodies: Vec<BodyRows>,
    /// The heads of functions and types.
    pub(super) heads: Vec<RowRange>,
    /// Constants without functions in them.
    pub(super) values: Vec<RowRange>,
    /// The text below a heading, up to the next one.
    pub(super) sections: Vec<RowRange>,
    /// Whether the language is one of code; other languages hold data.
    pub(super) is_code: bool,
    /// Tables.
    pub(super) lists: Vec<RowRange>,
    /// Statements outside of symbols that contain none.
    pub(super) statements: Vec<StatementRows>,
    /// Texts of the program; half of one may not be shown.
    pub(super) solids: Vec<RowRange>,
}

pub(super) struct BodyRows {
    pub(super) rows: RowRange,
    pub(super) docstring: Option<DocstringRows>,
}

pub(super) struct StatementRows {
    pub(super) rows: RowRange,
    /// First rows of its longer parts.
    pub(super) parts: Vec<u32>,
}

impl FileOutline {
    /// Parses a file; `None` for one that is not parsed.
    pub(super) fn from_file(
        path: &str,
        lines: &LineTable,
        limits: &ExtractLimits,
        stop: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let bytes = lines.bytes();
        let language = language_of(path, bytes)?;
        if bytes.len() > limits.most_bytes(Some(language))
            || content_checks::not_text(bytes).is_some()
            || (content_checks::is_minified(lines) && !language.has_long_lines())
            || content_checks::is_wordless(bytes)
            || content_checks::too_deep_brace(bytes, language.deepest_braces()).is_some()
        {
            return None;
        }
        let read = |language: &Language, stretch| {
            let rules = language.query_rules()?;
            parse::with_tree(rules, bytes, stretch, limits.parse_millis, stop, |tree, queries| {
                let harvest = walk_tree(tree, queries, rules, lines, limits.max_depth);
                let imports = import_rows(tree, &harvest.uses.imports, lines);
                (harvest, read_shapes(tree, rules, lines), imports)
            })
        };
        if let Some(headings) = language.heading_rules() {
            return Some(Self::from_harvest(&headings.harvest_headings(lines), &TreeShapes::default(), false, lines));
        }
        let (mut harvest, mut shapes, mut imports) = read(language, None)?;
        let mut is_code = language.query_rules().is_some_and(self::is_code);
        for (embedded, language) in embedded_text::take_stretches(&mut harvest, language) {
            let Some((inner, shapes_inside, imports_inside)) = read(language, Some(embedded.range)) else { continue };
            // The text of a macro that defines nothing stays what it was in the outer tree.
            if embedded.is_again() && inner.found.is_empty() {
                continue;
            }
            let start = embedded.range.start_byte as u32;
            let end = embedded.range.end_byte as u32;
            shapes.merge_embedded(shapes_inside, &rows_of(ByteSpan { start, end }, lines));
            imports.extend(imports_inside);
            embedded_text::merge_embedded(&mut harvest, inner, &embedded);
            is_code |= language.query_rules().is_some_and(self::is_code);
        }
        embedded_text::in_order(&mut harvest);
        imports.sort_unstable_by_key(|rows| rows.start);
        Some(Self { imports, ..Self::from_harvest(&harvest, &shapes, is_code, lines) })
    }

    fn from_harvest(harvest: &WalkHarvest, shapes: &TreeShapes, is_code: bool, lines: &LineTable) -> Self {
        let mut found: Vec<RawDefinition> = harvest.found.clone();
        found.sort_unstable_by_key(|found| (found.span.start, Reverse(found.span.end)));
        let docstrings: BTreeMap<u32, DocstringRows> = harvest
            .docstrings
            .iter()
            .filter_map(|docstring| {
                Some((docstring.body, doc_comments::docstring_rows(docstring.text, &shapes.solids, lines)?))
            })
            .collect();
        let functions: Vec<RawDefinition> = found.iter().copied().filter(is_function).collect();
        // A field of code with a body is computed (`get name() { … }`); in data the body is the value itself.
        let is_computed = |found: &RawDefinition| is_code && found.what == DefinitionKind::Symbol(SymbolKind::Field);
        let bodies = found.iter().filter(|found| is_function(found) || is_computed(found));
        let body = |found: &RawDefinition| {
            Some(BodyRows { rows: body_rows(found, lines)?, docstring: docstrings.get(&found.body).cloned() })
        };
        Self {
            comments: comment_runs(harvest, lines),
            imports: Vec::new(),
            bodies: bodies.filter_map(body).collect(),
            heads: found
                .iter()
                .filter(|found| is_function(found) || is_type(found))
                .map(|f| head_rows(f, lines))
                .collect(),
            values: value_rows(&found, &functions, lines),
            lists: list_rows(&found, harvest, shapes, lines),
            is_code,
            sections: section_rows(&found, lines),
            statements: if is_code { find_statements(&found, harvest, shapes, lines) } else { Vec::new() },
            docstrings: docstrings
                .into_values()
                .chain(harvest.leads.iter().filter_map(|lead| documenting_lead(lead, lines)))
                // A text of one row is no longer than the note that would replace it.
                .filter(|docstring| docstring.rows.len() > 1)
                .collect(),
            solids: shapes.solids.clone(),
        }
    }
}

/// The rows of each import statement that has them for itself.
fn import_rows(tree: &Tree, imports: &[ImportDeclaration], lines: &LineTable) -> Vec<RowRange> {
    let is_plain = |import: &&ImportDeclaration| !import.exported && import.manner != ImportManner::Dynamic;
    let mut starts: Vec<u32> = imports.iter().filter(is_plain).map(|import| import.line - 1).collect();
    starts.sort_unstable();
    starts.dedup();
    let statement = |at: usize| {
        let row = starts[at];
        let first = lines.span_of(row, row + 1).start + lines.indent_width(row) as u32;
        let mut node = tree.root_node().descendant_for_byte_range(first as usize, first as usize + 1)?;
        // The outermost node that begins here and contains no other import.
        let mut rows = rows_of(node_span(&node), lines);
        while let Some(parent) = node.parent().filter(|parent| parent.start_byte() == first as usize) {
            let wider = rows_of(trim_span(node_span(&parent), lines.bytes()), lines);
            if starts.get(at + 1).is_some_and(|next| wider.contains(next)) || parent.parent().is_none() {
                break;
            }
            (node, rows) = (parent, wider);
        }
        let is_alone = lines.starts_its_row(first) && !has_content(bytes_after(node_span(&node), lines));
        (is_alone && rows.start == row).then_some(rows)
    };
    (0..starts.len()).filter_map(statement).collect()
}

/// The rows of a function that are only its body.
fn body_rows(found: &RawDefinition, lines: &LineTable) -> Option<RowRange> {
    if found.body >= found.span.end {
        return None;
    }
    let first = lines.row_of(found.body) + u32::from(!lines.starts_its_row(found.body));
    let all = rows_of(found.span, lines);
    // Code behind the closing brace keeps its row visible.
    let end = if has_content(bytes_after(found.span, lines)) { all.end - 1 } else { all.end };
    (first < end).then_some(first..end)
}

/// The rows from a declaration's start to its body.
fn head_rows(found: &RawDefinition, lines: &LineTable) -> RowRange {
    let all = rows_of(found.span, lines);
    let end = lines.row_of(found.body.min(found.span.end - 1));
    let end = end + u32::from(found.body >= found.span.end || !lines.starts_its_row(found.body));
    all.start..end.clamp(all.start + 1, all.end)
}

fn value_rows(found: &[RawDefinition], functions: &[RawDefinition], lines: &LineTable) -> Vec<RowRange> {
    let constants = found.iter().filter(|found| found.what == DefinitionKind::Symbol(SymbolKind::Constant));
    let plain = constants.filter(|constant| {
        let at = functions.partition_point(|function| function.span.start < constant.span.start);
        functions.get(at).is_none_or(|function| !constant.span.contains(function.span))
    });
    plain.map(|constant| rows_of(constant.span, lines)).collect()
}

fn section_rows(found: &[RawDefinition], lines: &LineTable) -> Vec<RowRange> {
    let headings: Vec<RowRange> =
        found.iter().filter(|found| found.level.is_some()).map(|found| rows_of(found.span, lines)).collect();
    let ends = headings.iter().skip(1).map(|next| next.start).chain([lines.line_count()]);
    headings.iter().zip(ends).map(|(heading, end)| heading.end..end.max(heading.end)).collect()
}

/// Lists that are not part of a type, a signature or an import.
fn list_rows(found: &[RawDefinition], harvest: &WalkHarvest, shapes: &TreeShapes, lines: &LineTable) -> Vec<RowRange> {
    let is_table = |list: &&ByteSpan| {
        let around = found.iter().rfind(|found| found.span != **list && found.span.contains(**list));
        let rows = lines.range_of(**list);
        around.is_none_or(|around| match around.what {
            DefinitionKind::Scope
            | DefinitionKind::Symbol(
                SymbolKind::Constant | SymbolKind::Field | SymbolKind::Module | SymbolKind::Section,
            ) => true,
            DefinitionKind::Symbol(_) => is_function(around) && around.body <= list.start,
        }) && !found.iter().any(|found| list.contains(found.span))
            && !harvest.uses.imports.iter().any(|import| rows.contains(import.line))
    };
    shapes.lists.iter().filter(is_table).map(|list| rows_of(*list, lines)).collect()
}

fn find_statements(
    found: &[RawDefinition],
    harvest: &WalkHarvest,
    shapes: &TreeShapes,
    lines: &LineTable,
) -> Vec<StatementRows> {
    // Rows that show a block to be more than a statement, and rows of symbols, in which no statement begins.
    let mut marked = vec![false; lines.line_count() as usize + 1];
    let mut taken = marked.clone();
    for found in found {
        marked[lines.row_of(found.span.start) as usize] = true;
        if !matches!(found.what, DefinitionKind::Scope | DefinitionKind::Symbol(SymbolKind::Module)) {
            let rows = rows_of(found.span, lines);
            taken[rows.start as usize..rows.end as usize].fill(true);
        }
    }
    for import in &harvest.uses.imports {
        marked[import.line as usize - 1] = true;
    }
    let marked = prefix_sums(&marked);
    let is_taken = taken.clone();
    let taken = prefix_sums(&taken);
    let count = |sums: &[u32], rows: &RowRange| sums[rows.end as usize] - sums[rows.start as usize];
    let mut statements: Vec<StatementRows> = Vec::new();
    // The ends of the open parts of the statement.
    let mut open: Vec<u32> = Vec::new();
    for RowBlock { rows: block, is_call } in &shapes.blocks {
        if let Some(last) = statements.last_mut()
            && block.start < last.rows.end
        {
            while open.pop_if(|end| *end <= block.start).is_some() {}
            if open.len() < PART_LEVELS && block.start > last.rows.start && last.parts.last() != Some(&block.start) {
                last.parts.push(block.start);
                open.push(block.end);
            }
            continue;
        }
        // A function that is passed to a call may define something for itself; most of the call has to be something
        // else.
        let is_plain = count(&marked, block) == 0 || (*is_call && count(&taken, block) * 2 < block.len() as u32);
        if is_plain && !is_taken[block.start as usize] {
            open.clear();
            statements.push(StatementRows { rows: block.clone(), parts: Vec::new() });
        }
    }
    statements
}

/// How many rows before each one are set: nested blocks ask about the same rows again and again.
fn prefix_sums(rows: &[bool]) -> Vec<u32> {
    let mut sum = 0;
    let before = rows.iter().map(|row| {
        sum += u32::from(*row);
        sum
    });
    std::iter::once(0).chain(before).collect()
}

/// Whether the language has calls; data has none, and its lines are all that there is to read.
fn is_code(rules: &QueryRules) -> bool {
    (0..rules.grammar().node_kind_count() as u16).any(|kind| rules.expression_reader().is_call_kind(kind))
}

fn is_function(found: &RawDefinition) -> bool {
    use SymbolKind::{Function, Macro, Method};
    matches!(found.what, DefinitionKind::Symbol(Function | Method | Macro))
}

fn is_type(found: &RawDefinition) -> bool {
    use SymbolKind::{Class, Enum, Interface, Struct, Trait};
    matches!(found.what, DefinitionKind::Symbol(Class | Enum | Interface | Struct | Trait))
}

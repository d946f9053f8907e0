//! Shortened views of a source file (lightweight, skeleton), from which every byte can be restored. A view is the
//! file's own lines with whole lines left out, nothing rewritten. A [`marker`] names missing lines, and `expand` puts
//! them back; the lightweight view also removes [`whitespace`], noted once. No cut begins or ends inside of a string:
//! half of one reads like another. Views are made on request, from a parse of their own; the index pays nothing.

mod doc_comments;
mod lightweight;
mod marker;
mod mask;
mod outline;
mod rows;
mod skeleton;
mod tree_shapes;
mod whitespace;

use crate::extract::extract_until;
use crate::file_extract::{ExtractLimits, FileExtract};
use crate::line_table::LineTable;
use crate::symbols::symbol_map::map_within;
pub use marker::{HiddenRange, ViewPiece, render_window, restore_view, split_view};
use model::{LineRange, Symbol, SymbolKind};
use outline::FileOutline;
use rows::RowRange;
use std::cell::OnceCell;
use whitespace::SqueezedView;

/// How a text is shown, from everything to least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ViewMode {
    /// Byte for byte.
    Raw,
    /// Without the rest of long comments after their beginning, and without meaningless blanks.
    Lightweight,
    /// The skeleton: declarations without comments, most imports and the bodies of functions.
    Aggressive,
    /// One line for each symbol.
    Map,
}

model::enum_words! { pub ViewMode { Raw = "raw", Lightweight = "lightweight", Aggressive = "aggressive", Map = "map" } }

/// Some lines of a file, as one mode shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileView {
    /// The mode of the text: [`ViewMode::Raw`] where the file has no tree for the requested mode.
    pub mode: ViewMode,
    /// The text.
    pub text: Vec<u8>,
    /// The lines that are left out, in order. A map shows no line as it is, so it lists none.
    pub cuts: Vec<LineRange>,
}

/// A file whose views can be requested. Each step of the work is done at most once, and only when it is needed.
pub struct FileViews<'a> {
    path: &'a str,
    lines: LineTable<'a>,
    limits: ExtractLimits,
    stop: &'a dyn Fn() -> bool,
    extract: OnceCell<FileExtract>,
    outline: OnceCell<Option<FileOutline>>,
}

impl<'a> FileViews<'a> {
    /// The views of a file; `bytes` must be addressable by 32 bits. A parse is given up once `stop` returns true.
    pub fn new(path: &'a str, bytes: &'a [u8], limits: ExtractLimits, stop: &'a dyn Fn() -> bool) -> Self {
        Self { path, lines: LineTable::new(bytes), limits, stop, extract: OnceCell::new(), outline: OnceCell::new() }
    }

    /// Number of lines.
    pub fn line_count(&self) -> u32 {
        self.lines.line_count()
    }

    /// The bytes of some lines, line ends included; lines that the file does not have are left out.
    pub fn line_bytes(&self, lines: LineRange) -> &'a [u8] {
        &self.lines.bytes()[self.lines.span_of(lines.start - 1, lines.end).to_range()]
    }

    /// The facts of the file.
    pub fn file_extract(&self) -> &FileExtract {
        self.extract.get_or_init(|| extract_until(self.path, self.lines.bytes(), &self.limits, self.stop))
    }

    /// Some lines of the file in a mode.
    pub fn render_view(&self, mode: ViewMode, shown: LineRange) -> FileView {
        let hide = match mode {
            ViewMode::Raw => return self.raw_view(shown),
            ViewMode::Map => {
                let text = map_within(self.path, self.lines.bytes(), self.file_extract(), shown).into_bytes();
                return FileView { mode, text, cuts: Vec::new() };
            }
            ViewMode::Lightweight => lightweight::lightweight_mask,
            ViewMode::Aggressive => skeleton::skeleton_mask,
        };
        let read = || FileOutline::from_file(self.path, &self.lines, &self.limits, self.stop);
        // Without a tree nothing says which lines could be left out.
        let Some(outline) = self.outline.get_or_init(read) else { return self.raw_view(shown) };
        let name = |lines| (mode == ViewMode::Aggressive).then(|| self.function_of(lines, &outline.comments))?;
        let cuts = hide(outline, &self.lines).into_cuts(self.path, &self.lines, &outline.solids, shown, name);
        // A skeleton hides blank lines with the cuts above them.
        let squeezed = (mode == ViewMode::Lightweight)
            .then(|| SqueezedView::from_lines(&self.lines, shown, &cuts, &outline.solids))
            .flatten();
        let (text, is_plain) = marker::write_view(self.path, &self.lines, shown, &cuts, squeezed.as_ref());
        if cuts.is_empty() && squeezed.is_none() && !is_plain {
            // A reader would take lines of the file itself for markers.
            return self.raw_view(shown);
        }
        FileView { mode, text, cuts: cuts.iter().map(mask::RowCut::line_range).collect() }
    }

    /// The qualified name of the function that some lines belong to. Blank lines below it and the comment of the next definition
    /// are hidden with the body and make no difference.
    fn function_of(&self, lines: LineRange, comments: &[RowRange]) -> Option<&str> {
        let is_comment = |row: u32| {
            let at = comments.partition_point(|run| run.end <= row);
            comments.get(at).is_some_and(|run| run.contains(&row))
        };
        let last = |says: &dyn Fn(u32) -> bool| (lines.start..=lines.end).rev().find(|line| says(line - 1));
        // A body of comments alone still belongs to its function.
        let end = last(&|row| !self.lines.is_blank(row) && !is_comment(row))
            .or_else(|| last(&|row| !self.lines.is_blank(row)))?;
        let is_function =
            |symbol: &&Symbol| matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Macro);
        let holds = |symbol: &&Symbol| symbol.lines.start < lines.start && end <= symbol.lines.end;
        let around = self.file_extract().symbols.iter().filter(is_function).filter(holds);
        around.min_by_key(|symbol| symbol.lines.count()).map(|symbol| symbol.id.qualified_name())
    }

    fn raw_view(&self, shown: LineRange) -> FileView {
        FileView { mode: ViewMode::Raw, text: self.line_bytes(shown).to_vec(), cuts: Vec::new() }
    }
}

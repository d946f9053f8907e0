//! Finds the lines of the syntax node that begins at a byte of a file, whether or not it is a symbol: an anonymous
//! function, for one.

use crate::file_extract::ExtractLimits;
use crate::harvest::node_span;
use crate::language::language_of;
use crate::line_table::LineTable;
use crate::{content_checks, parse};
use model::LineRange;

/// The lines of the largest node that begins at a byte, other than the whole file; `None` where no node does, or the
/// file is not parsed.
pub fn lines_at(path: &str, bytes: &[u8], byte: u32, limits: &ExtractLimits) -> Option<LineRange> {
    let language = language_of(path, bytes)?;
    if bytes.len() > limits.most_bytes(Some(language)) || content_checks::not_text(bytes).is_some() {
        return None;
    }
    let at = byte as usize;
    let lines = LineTable::new(bytes);
    parse::with_tree(language.query_rules()?, bytes, None, limits.parse_millis, &|| false, |tree, _| {
        let mut node = tree.root_node().descendant_for_byte_range(at, at + 1)?;
        while let Some(parent) = node.parent().filter(|parent| parent.start_byte() == at && parent.parent().is_some()) {
            node = parent;
        }
        (node.start_byte() == at && node.parent().is_some()).then(|| lines.range_of(node_span(&node)))
    })?
}

//! Summarizes source code in an artifact: its skeleton (signatures without bodies) where that fits the budget, else one
//! line for each symbol.

use super::ContentOutline;
use model::{LineRange, TokenCount, count_tokens};
use syntax::{ExtractLimits, FileViews, ViewMode};

/// `None` for content without a known language or without symbols.
pub(super) fn outline_code(content: &[u8], name: &str, budget: TokenCount) -> Option<ContentOutline> {
    let language = syntax::language_of(name, content)?;
    let views = FileViews::new(name, content, ExtractLimits::default(), &|| false);
    let lines = LineRange { start: 1, end: views.line_count() };
    if lines.end == 0 || views.file_extract().symbols.is_empty() {
        return None;
    }
    let text = |mode: ViewMode| {
        let view = views.render_view(mode, lines);
        (view.mode == mode).then(|| String::from_utf8_lossy(&view.text).into_owned())
    };
    let skeleton = text(ViewMode::Aggressive).filter(|text| count_tokens(text) < budget);
    let shown = skeleton.or_else(|| text(ViewMode::Map))?;
    let head = format!("{} source, {}", language.name(), super::scalar::render_count(lines.end as usize, "line"));
    Some(ContentOutline {
        media_type: "text/plain",
        lines: std::iter::once(head).chain(shown.lines().map(str::to_owned)).collect(),
    })
}

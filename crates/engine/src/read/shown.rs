//! Lines of one file for packing, as they are.

use super::{LOSSY, content};
use crate::{Project, Result};
use model::LineRange;
use std::borrow::Cow;

/// Reads some lines of a file.
pub(crate) fn shown_lines(project: &Project, path: &str, lines: LineRange) -> Result<String> {
    let content = content::load(project, path)?;
    let bytes = content.lines(lines)?;
    let text = String::from_utf8_lossy(&bytes);
    let mark = if matches!(text, Cow::Owned(_)) { LOSSY } else { "" };
    Ok(format!("{text}{mark}"))
}

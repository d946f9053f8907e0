//! Lines of one file for packing: as they are, or in shorter views.

use super::LOSSY;
use super::content::{self, Content};
use crate::{Project, Result};
use model::LineRange;
use std::borrow::Cow;
use syntax::{Limits, Mode, Views};

/// Lines of a file that was read.
pub(crate) struct Shown {
    path: String,
    content: Content,
    lines: LineRange,
}

impl Shown {
    /// Reads a file for some of its lines.
    pub(crate) fn read(project: &Project, path: &str, lines: LineRange) -> Result<Self> {
        Ok(Self { path: path.to_owned(), content: content::load(project, path)?, lines })
    }

    /// Bytes of the whole file.
    pub(crate) fn bytes(&self) -> u64 {
        self.content.len()
    }

    /// The lines as they are.
    pub(crate) fn raw(&self) -> Result<String> {
        Ok(text(&self.content.lines(self.lines)?))
    }

    /// The lines in some modes, the fullest first; none for those that would show nothing less.
    pub(crate) fn views(&self, modes: &[Mode], limits: Limits) -> Vec<String> {
        let Content::Whole(bytes) = &self.content else { return Vec::new() };
        let views = Views::new(&self.path, bytes, limits, &|| false);
        let shorter = modes.iter().map(|mode| views.show(*mode, self.lines)).filter(|view| view.mode != Mode::Raw);
        shorter.map(|view| text(&view.text)).collect()
    }
}

fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mark = if matches!(text, Cow::Owned(_)) { LOSSY } else { "" };
    format!("{text}{mark}")
}

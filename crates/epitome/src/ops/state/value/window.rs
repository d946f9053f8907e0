//! What the model of a session has before its eyes for certain, in the reply of the `value` operation: what is not sent
//! again.

use crate::ops::render_count;
use engine::{SeenRegion, SeenTexts};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;

#[derive(Serialize, JsonSchema)]
pub(super) struct WindowTexts {
    texts: u64,
    lines: u64,
    /// Oldest first
    places: Vec<String>,
}

impl WindowTexts {
    /// Those of a session; none where nothing is known of it. Places in the project are named by their paths in it.
    pub(super) fn from_seen(seen: &SeenTexts, root: &Path) -> Option<Self> {
        let place = |region: &SeenRegion| {
            let path = Path::new(&region.path);
            let path = path.strip_prefix(root).unwrap_or(path).display();
            if region.end == 0 { path.to_string() } else { format!("{path}:{}-{}", region.start, region.end) }
        };
        (!seen.regions.is_empty()).then(|| Self {
            texts: seen.regions.len() as u64,
            lines: seen.regions.iter().map(|region| region.lines.len() as u64).sum(),
            places: seen.regions.iter().map(place).collect(),
        })
    }

    pub(super) fn to_text(&self) -> String {
        let (texts, lines) = (render_count(self.texts, "text"), render_count(self.lines, "line"));
        format!("in the window of the session: {texts}, {lines}, not sent again\n")
    }
}

//! JSON types that the replies of several operations share: locations of symbols, and notices about what did not run.

use engine::Error;
use model::show_name;
use schemars::JsonSchema;
use serde::Serialize;

/// A symbol or file.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SymbolLocation {
    /// Its project, where several are asked
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    /// Symbol id, or the path of a file
    pub(crate) id: String,
    /// Short name to read it by
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) handle: Option<String>,
    /// `function`, `class`, …, `requirement`, or `file`
    pub(crate) kind: &'static str,
    pub(crate) path: String,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
}

impl From<engine::NamedNode> for SymbolLocation {
    fn from(named: engine::NamedNode) -> Self {
        Self {
            project: None,
            id: named.id,
            handle: named.handle.map(|handle| handle.to_string()),
            kind: named.kind.map(model::SymbolKind::as_str).or(named.item).unwrap_or("file"),
            path: named.path,
            start_line: named.lines.start,
            end_line: named.lines.end,
        }
    }
}

impl SymbolLocation {
    /// The same in a project.
    pub(crate) fn of_project(self, project: Option<&str>) -> Self {
        Self { project: project.map(str::to_owned), ..self }
    }

    /// One line: id, kind and place.
    pub(crate) fn to_line(&self) -> String {
        let handle = self.handle.as_ref().map(|handle| format!(" {handle}")).unwrap_or_default();
        let id = show_place(self.project.as_deref(), &self.id);
        format!("{id} ({} {}-{}{handle})", self.kind, self.start_line, self.end_line)
    }
}

/// A path or an id, behind the name of its project where several were asked.
pub(crate) fn show_place(project: Option<&str>, place: &str) -> String {
    let project = project.map(|project| format!("{}:", show_name(project))).unwrap_or_default();
    format!("{project}{}", show_name(place))
}

/// Something that did not run as it should have.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DegradationNotice {
    reason: String,
    /// What to do about it
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl From<engine::Degradation> for DegradationNotice {
    fn from(engine::Degradation { reason, fix }: engine::Degradation) -> Self {
        Self { reason, fix }
    }
}

impl DegradationNotice {
    /// Both on one line.
    pub(crate) fn to_text(&self) -> String {
        let fix = self.fix.as_ref().map(|fix| format!(" (fix: {fix})")).unwrap_or_default();
        format!("degraded: {}{fix}", self.reason)
    }
}

/// Two digits behind the point are all that a confidence means.
pub(crate) fn round_hundredths(value: f32) -> f64 {
    f64::from((value * 100.0).round()) / 100.0
}

/// How many entries a cursor leaves out.
pub(crate) fn read_cursor(cursor: Option<&str>) -> Result<usize, Error> {
    cursor.map_or(Ok(0), |cursor| {
        let reason = || format!("is `{cursor}`: the cursor of an earlier reply is a number");
        cursor.trim().parse().map_err(|_| Error::Parameter { field: "cursor", reason: reason() })
    })
}

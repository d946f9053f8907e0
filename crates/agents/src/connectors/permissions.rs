//! Permission rules in an agent's settings that let it call our MCP tools without asking its user each time. Only for
//! tools that change nothing, and only where the user agreed: `allowed` of a [`Program`] is that consent, and a rule of
//! ours that still stands renews it. A rule that the user removed withdraws it. The rules are removed together with
//! everything else.

use super::{ConnectionRecord, FileFormat, Graft, Program, edit};

/// The name of our server in names of tools: as in the settings, or as our plugin brings it.
const SERVERS: [&str; 2] = ["epitome", "plugin_epitome_epitome"];

fn allow_path() -> Vec<String> {
    ["permissions", "allow"].map(str::to_owned).to_vec()
}

/// The rules that a file should have, for the server as it is called there: those that the user just allowed, or those of
/// before that `text` still has.
pub(super) fn permission_grafts(
    program: &Program,
    record: Option<&ConnectionRecord>,
    text: &str,
    by_plugin: bool,
) -> Vec<Graft> {
    let server = SERVERS[usize::from(by_plugin)];
    let rule = |tool: String| Graft::Element { path: allow_path(), value: format!("mcp__{server}__{tool}").into() };
    // The user allowed tools in this run, which replaces what stood there before.
    if !program.allowed_tools().is_empty() {
        return program.allowed_tools().iter().cloned().map(rule).collect();
    }
    let written = record.into_iter().flat_map(|record| &record.written).map(|written| &written.graft);
    // A rule that the user took out of the file was taken back, and must not return with the next update.
    let standing = written.filter(|graft| edit::has_graft(FileFormat::Json, text, graft).unwrap_or(false));
    standing.filter_map(permitted_tool).map(rule).collect()
}

/// The tool that a rule of ours is about.
pub(super) fn permitted_tool(graft: &Graft) -> Option<String> {
    let Graft::Element { path, value } = graft else { return None };
    let name = value.as_str().filter(|_| *path == self::allow_path())?.strip_prefix("mcp__")?;
    SERVERS.iter().find_map(|server| Some(name.strip_prefix(server)?.strip_prefix("__")?.to_owned()))
}

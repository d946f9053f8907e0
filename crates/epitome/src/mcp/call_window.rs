//! What the model behind one tool call has before its eyes (`CallWindow`), where that is known for certain: the client
//! names the call, and a hook of the same session has announced it under that name. The reply leaves out what was seen
//! already, and what it shows is noted for the calls that follow.

use super::profile::{ProfileAction, ProfileTool};
use crate::compose::App;
use crate::window_log::{CallNotice, LoggedRegion, WindowEvent, WindowLogs};
use engine::{CallFacts, SeenRegion, SeenTexts};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Map, Value};
use std::path::Path;

/// Operations that leave out what was seen.
const WITHHOLDING: [&str; 2] = ["read", "context"];

/// The argument that asks for every text whole.
const FRESH: &str = "fresh";

/// A longer reply may not reach the model whole: clients shorten it, or put it into a file.
const MAX_REPLY_BYTES: usize = 32 << 10;

/// One call of a session whose window is known.
pub(super) struct CallWindow {
    call: String,
    notice: CallNotice,
    /// What the model has seen; nothing where it asks for every text whole.
    pub(super) seen: SeenTexts,
}

/// Takes the argument that asks for every text whole from those of a tool that leaves out texts. It is no parameter of the
/// operation, since nobody but a model of a session is ever refused a text.
pub(super) fn take_fresh(offer: &ProfileTool, arguments: Option<&mut Map<String, Value>>) -> bool {
    if !may_withhold(offer) {
        return false;
    }
    match arguments.and_then(|arguments| arguments.shift_remove(FRESH)) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        // Models write a switch in many ways, and a text too many is better than one too few.
        Some(given) => given != "false",
    }
}

/// Whether a tool leaves out texts: tools under the names of other systems give what those give.
fn may_withhold(offer: &ProfileTool) -> bool {
    matches!(offer.action, ProfileAction::Run(operation) if WITHHOLDING.contains(&operation.name()))
}

impl CallWindow {
    /// The window of the session that makes a call.
    pub(super) fn open(
        app: &App,
        offer: &ProfileTool,
        context: &RequestContext<RoleServer>,
        fresh: bool,
    ) -> Option<Self> {
        let is_on = app.config.hooks.withhold_seen && app.config.memory.enabled && !app.is_for_remote_callers();
        if !is_on || !may_withhold(offer) {
            return None;
        }
        let call = agents::call_keys().find_map(|key| context.meta.get(key)?.as_str())?.to_owned();
        let logs = WindowLogs::in_directory(&app.directories.state);
        let notice = logs.find_call(&call)?;
        // The context may have been emptied since the call was announced: then nothing is known.
        let seen = logs.read_window(&notice.conversation).seen_for(&call)?;
        let seen = if fresh { SeenTexts::default() } else { seen };
        Some(Self { call, notice, seen: in_project(seen, &app.project.root) })
    }

    /// Notes what a reply of so many bytes leaves the model with, before it is sent.
    pub(super) fn note_reply(&self, app: &App, facts: &CallFacts, bytes: usize) {
        let logs = WindowLogs::in_directory(&app.directories.state);
        let logged = |region: &SeenRegion| LoggedRegion::in_project(&app.project.root, region);
        let shown: Vec<LoggedRegion> = facts.shown.iter().map(logged).collect();
        let withheld: Vec<LoggedRegion> = facts.withheld.iter().map(|withheld| logged(&withheld.region)).collect();
        let conversation = &self.notice.conversation;
        let mut noted = Ok(());
        if !withheld.is_empty() {
            let event = WindowEvent::Withheld { agent: self.notice.agent.clone(), regions: withheld };
            noted = logs.append(conversation, &event);
        }
        if !shown.is_empty() && bytes <= MAX_REPLY_BYTES {
            let event = WindowEvent::Shown { call: self.call.clone(), regions: shown };
            noted = noted.and_then(|()| logs.append(conversation, &event));
        }
        // Without a note that a text was withheld, it would be withheld again from a model that wants it.
        if noted.is_err() {
            let _ = logs.clear(conversation);
        }
    }
}

/// The regions in files of a project, by their paths in it.
fn in_project(seen: SeenTexts, root: &Path) -> SeenTexts {
    let own = seen.regions.into_iter().filter_map(|region| {
        let path = Path::new(&region.path).strip_prefix(root).ok()?.to_str()?.to_owned();
        Some(SeenRegion { path, ..region })
    });
    SeenTexts { regions: own.collect() }
}

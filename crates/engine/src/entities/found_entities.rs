//! Lists the entities of a type that nobody had to name: symbols and files, what documents hold, and sessions, decisions and
//! questions of conversations.

use super::entity_end::EndFinder;
use super::entity_kinds::WantedKind;
use super::entity_view::EntityView;
use super::memory_end::{list_decisions, list_questions, list_sessions};
use crate::base::{Error, Result};
use crate::code::relate::LinkEnd;
use model::EntityKind;

/// Those of a type whose name or text contains `text`, in order of their places, or the newest first. Messages are by the
/// million, and are found by what they say.
pub(super) async fn list_found(
    finder: &EndFinder<'_>,
    wanted: WantedKind,
    has_text: impl Fn(&EntityView) -> bool,
) -> Result<Vec<EntityView>> {
    let graph = &finder.graph;
    let nodes = graph.file_nodes().chain(graph.symbol_nodes()).filter(|node| wanted.fits(finder.kind_of_node(*node)));
    let mut ends: Vec<LinkEnd> = nodes.map(LinkEnd::Node).collect();
    let items = finder.documents.items.iter().enumerate().filter(|(_, item)| wanted.fits(item.kind));
    ends.extend(items.map(|(at, _)| LinkEnd::Item(at)));
    let mut found: Vec<EntityView> = ends.into_iter().map(|end| finder.view_of_code(end)).collect();
    let project = &finder.project.id;
    match wanted {
        WantedKind::Entity(EntityKind::Session) => found.extend(list_sessions(finder.memory, project).await?),
        WantedKind::Entity(EntityKind::Decision) => found.extend(list_decisions(finder.memory, project).await?),
        WantedKind::Entity(EntityKind::Question) => found.extend(list_questions(finder.memory, project).await?),
        WantedKind::Entity(EntityKind::Message) => {
            let reason =
                "is `message`: `history` lists those of a session, `recall` and `grep` find them by what they say";
            return Err(Error::Parameter { field: "type", reason: reason.to_owned() });
        }
        WantedKind::Entity(_) | WantedKind::Symbol(_) => {}
    }
    found.retain(has_text);
    Ok(found)
}

//! Loads what a new session may be told of earlier ones: the facts that hold over all conversations of its project, its
//! memories, and its newest sessions.

use super::orientation::{SESSION_LINES, SessionMemory};
use crate::base::{Project, Result};
use crate::memory::MemoryContext;
use crate::memory::durable::load_intact;
use crate::memory::project_memory::{project_conversations, standing_facts};
use crate::memory::session_lines::session_lines;
use model::DurableMemory;
use store::MemoryScope;

/// What is known for a session about a project; `except` is the conversation of the session itself.
pub(crate) async fn load_session_memory(
    memory: &MemoryContext,
    project: &Project,
    except: &str,
) -> Result<SessionMemory> {
    let conversations = project_conversations(memory, project, Some(except)).await?;
    let now = memory.clock.now();
    let with_confidence = |memory: DurableMemory| {
        let confidence = memory.confidence_at(now);
        (memory, confidence)
    };
    let memories = load_intact(memory, MemoryScope::Project(project.id.clone())).await?;
    let standing = standing_facts(memory, &conversations).await?;
    Ok(SessionMemory {
        facts: standing.facts,
        left: standing.left,
        memories: memories.into_iter().map(with_confidence).collect(),
        sessions: session_lines(memory, &conversations, SESSION_LINES).await?,
        checkpoint: None,
    })
}

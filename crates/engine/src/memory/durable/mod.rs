//! Memories: short texts that outlive their conversation and are told to later sessions. A user or an agent asks for
//! one (`remember`), or a fact of a conversation becomes one (`promote`).
//!
//! ```text
//! remember   takes a text in, without its secrets
//! promote    takes facts of conversations in: rules, decisions in force, failures and the command that ended them
//! placement  decides what a statement is beside what is known: new, said again, or in the place of others
//! lookup     finds memories for a question, and notes that they were found
//! attempts   finds what was tried about an error that is met again
//! lesson     what a reflection is: a lesson with its outcome; `reflection` keeps and finds them
//! tiers      what sessions keep near at hand (hot), further away (warm) and far away (cold)
//! listing    lists memories, and puts one aside
//! visibility says which memories of several people a reader is told, and which of them contradict each other
//! ```
//! Nothing is deleted or overwritten: what happens to a memory is noted behind what is noted already.

mod attempts;
mod known_memories;
mod lesson;
mod listing;
mod lookup;
mod placement;
mod promote;
mod reflection;
mod remember;
mod stems;
mod tiers;
mod visibility;

pub(crate) use attempts::find_attempts;
pub(crate) use known_memories::{KnownMemories, count_memories};
pub(crate) use lesson::told_words;
pub use lesson::{Reflection, ReflectionOutcome};
pub use listing::{ListedMemory, MemoriesRequest, MemoryListing};
pub(crate) use listing::{forget_memory, list_memories, load_active_where, load_intact, load_intact_where, load_own};
pub use lookup::{FoundMemory, MemoryLookup};
pub(crate) use lookup::{RecalledMemories, flush_recalled, lookup_memories, note_recalled};
pub(crate) use placement::is_joined as is_same_statement;
pub use promote::{PromoteReport, PromoteRequest, PromotedMemory};
pub(crate) use promote::{promote_after_fold, promote_facts};
pub use reflection::{
    NewReflection, ReflectionAction, ReflectionFilter, ReflectionReport, ReflectionRequest, ReflectionSummary,
};
pub(crate) use reflection::{manage_reflections, note_used};
pub(crate) use remember::remember_text;
pub use remember::{MemoryAudience, RememberOutcome, RememberRequest, RememberedText};
pub(crate) use tiers::manage_tiers;
pub use tiers::{NewTierItem, TierAction, TierItem, TierReport, TierRequest, TierSettings, TierTotal};
pub(crate) use visibility::{ACCEPTED_FIELD, check_own, is_contrary_to, is_readable, mark_disputes, set_origin};

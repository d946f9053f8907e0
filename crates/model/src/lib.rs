//! The domain data types every other crate shares: ids, spans, symbols, messages, summaries, facts, token counts; also
//! the tokenizer for search terms and the scrubber of secrets.
//!
//! Plain values only. Nothing here reads a file, a clock or an environment variable, and nothing is serializable: each
//! door (CLI, MCP, …) and each store owns the shape it writes (see ARCHITECTURE.md, rule 15).

mod compounds;
mod context;
mod conversation;
mod durable_memory;
mod entity;
mod enum_words;
mod fact;
mod hash;
mod id;
mod injection;
mod money;
mod part;
mod part_mark;
pub mod scrub;
mod session;
mod session_event;
mod session_record;
mod shown_text;
mod span;
mod summary;
mod symbol;
pub mod terms;
mod time;
mod tokens;
mod transcript;

pub use compounds::is_compound;
pub use context::{ContextItem, ContextItemKind};
pub use conversation::{
    ChainHash, Message, MessageRole, NewMessage, SPEAKER_PROGRAM, SPEAKER_SUMMARY, believed_time, content_of,
    message_id,
};
pub use durable_memory::{
    DurableMemory, MemoryDispute, MemoryEvent, MemoryKind, MemoryNote, MemoryStatement, MemoryTier, MemoryVisibility,
    NewMemory,
};
pub use entity::{EntityKind, EntityLinkStatement, EntityState, EntityStatement};
pub use fact::{Fact, FactKind, FactState};
pub use hash::{ContentHash, DigestBuilder};
pub use id::{
    ArtifactId, ConversationId, EntityId, EntityLinkId, FactId, GrantId, IdError, MemoryId, MessageId, ProjectId,
    SummaryId, SymbolId,
};
pub use injection::{
    INJECTION_BEGIN, INJECTION_END, injected_ranges, is_own_tool, quote_tags, remove_injected, remove_wrapped,
};
pub use money::Money;
pub use part::{MessagePart, PartKind};
pub use part_mark::{PartMark, PartMarks};
pub use session::{ConversationState, SessionSummary};
pub use session_event::{EventKind, SessionEvent, StartReason, ToolEvent};
pub use session_record::{NewRecord, RecordEvent, RecordId, RecordKind, RecordNote, SessionRecord};
pub use shown_text::{is_hidden, quote_headings, show_name, show_quoted, show_text};
pub use span::{ByteSpan, LineRange};
pub use summary::{FoldTrigger, KeptFacts, SeqRange, Summary, SummaryKind, SummaryMethod};
pub use symbol::{Confidence, Edge, EdgeKind, Symbol, SymbolHandle, SymbolKind};
pub use time::{EventTime, Timestamp, UtcDay};
pub use tokens::{TokenCount, count_tokens};
pub use transcript::{
    AgentName, LineKind, ProjectedLine, ProjectedMessage, Projection, TranscriptContainer, TranscriptDescent,
    TranscriptHead,
};

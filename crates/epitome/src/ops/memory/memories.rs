//! The `memories` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It
//! lists what is remembered, and puts a memory aside.

use super::memory_line::MemoryLine;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::{Args, ValueEnum};
use engine::{ListedMemory, MemoriesRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) struct MemoriesOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoriesParams {
    /// What to do
    #[arg(value_enum, default_value = "list")]
    #[serde(default)]
    action: MemoriesAction,
    /// Which memory to forget, by id
    id: Option<String>,
    /// Only memories with this tag; with all of several
    #[arg(long = "tag", value_name = "TAG")]
    #[serde(default)]
    tags: Vec<String>,
    /// Also those that were put aside, and those of other projects
    #[arg(long)]
    #[serde(default)]
    all: bool,
    /// Most memories to list (default: all)
    #[arg(long)]
    limit: Option<u32>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum MemoriesAction {
    /// List them
    #[default]
    List,
    /// Put one aside: it is told no more, and kept
    Forget,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct MemoriesReply {
    /// The one that was stated or recalled last first; of `forget`, the one that was put aside
    memories: Vec<MemoryLine>,
    /// How many more fit
    #[serde(skip_serializing_if = "is_zero")]
    omitted: u64,
    /// How many more were put aside
    #[serde(skip_serializing_if = "is_zero")]
    put_aside: u64,
    /// Memories whose words are not those they were stored with: they are not shown
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<String>,
    /// The memory that was put aside
    #[serde(skip_serializing_if = "Option::is_none")]
    forgotten: Option<String>,
    #[serde(skip)]
    was_aside: bool,
    #[serde(skip)]
    is_narrowed: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Operation for MemoriesOperation {
    const NAME: &'static str = "memories";
    const SUMMARY: &'static str = "List what is remembered for later sessions, or forget one of it";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Conversations;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
Memories come from `epitome remember`, and from rules, decisions and fixes of conversations that were promoted. What is \
forgotten is put aside, never deleted: `--all` shows it, and remembering the same again brings it back. Exit status 3: \
there is none.

Examples:
  epitome memories --tag deploy
  epitome memories forget mem_51432ca8c094e7e8";
    type Params = MemoriesParams;
    type Reply = MemoriesReply;

    async fn run(call: &OperationCall<'_>, params: MemoriesParams) -> Result<MemoriesReply, engine::Error> {
        let is_narrowed = !params.tags.is_empty();
        match (params.action, params.id) {
            (MemoriesAction::Forget, Some(id)) => {
                let forgotten = call.engine.forget_memory(&id).await?;
                Ok(MemoriesReply {
                    was_aside: !forgotten.is_active(),
                    forgotten: Some(forgotten.id.to_string()),
                    memories: vec![MemoryLine::new(&forgotten, None)],
                    omitted: 0,
                    put_aside: 0,
                    damaged: Vec::new(),
                    is_narrowed,
                })
            }
            (MemoriesAction::Forget, None) => {
                let reason = "is needed to forget a memory: `memories` lists them".to_owned();
                Err(engine::Error::Parameter { field: "id", reason })
            }
            (MemoriesAction::List, Some(id)) => {
                let reason = format!("is `{id}`, which only `forget` takes; `describe` shows one memory");
                Err(engine::Error::Parameter { field: "id", reason })
            }
            (MemoriesAction::List, None) => {
                let request = MemoriesRequest { tags: params.tags, everything: params.all, limit: params.limit };
                let listing = call.engine.list_memories(call.project, request).await?;
                Ok(MemoriesReply {
                    memories: listing.memories.iter().map(listed_line).collect(),
                    omitted: listing.omitted,
                    put_aside: listing.put_aside,
                    damaged: listing.damaged.iter().map(ToString::to_string).collect(),
                    forgotten: None,
                    was_aside: false,
                    is_narrowed,
                })
            }
        }
    }
}

fn listed_line(listed: &ListedMemory) -> MemoryLine {
    let line = MemoryLine::new(&listed.memory, Some(listed.confidence));
    if listed.is_elsewhere { line.of_project(&listed.memory) } else { line }
}

impl OperationReply for MemoriesReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        if let (Some(id), Some(memory)) = (&self.forgotten, self.memories.first()) {
            let how = if self.was_aside { "was put aside before" } else { "put aside; it is kept, and told no more" };
            return format!("{id} {how}:\n    {}\n", memory.content.trim().replace('\n', "\n    "));
        }
        let mut text: String = self.memories.iter().map(MemoryLine::to_text).collect();
        if self.memories.is_empty() {
            text = if self.is_narrowed {
                "no memory has this tag\n".to_owned()
            } else {
                "nothing is remembered yet: `epitome remember TEXT` keeps something, `epitome promote` takes rules and \
                 decisions from conversations\n"
                    .to_owned()
            };
        }
        if self.omitted > 0 {
            text += &format!("{} more: a larger `--limit` shows them\n", self.omitted);
        }
        if self.put_aside > 0 {
            text += &format!("{} more put aside: `--all` shows all\n", self.put_aside);
        }
        if !self.damaged.is_empty() {
            let count = render_count(self.damaged.len() as u64, "damaged one");
            text += &format!("{count} not shown: {}; `epitome verify` says more\n", self.damaged.join(", "));
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        if self.memories.is_empty() { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}

//! The `entity` operation (command, MCP tool, HTTP route): its parameters and its reply; the engine does the work. It keeps
//! entities that somebody names, links them, and shows what hangs together.

use super::entity_wire::{EntityLine, EntityLinkLine, RelationLine};
use crate::ops::wire::read_cursor;
use crate::ops::{
    CommandExit, CommandGroup, DataSource, Operation, OperationCall, OperationKind, OperationReply, render_count,
};
use clap::{Args, ValueEnum};
use engine::{
    EntityFilter, EntityLinkRequest, EntityRequest, EntityWalkRequest, Error, RelationDirection, RemovedEntity,
};
use model::show_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub(crate) struct EntityOperation;

#[derive(Deserialize, JsonSchema, Args)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntityParams {
    /// What to do
    #[arg(value_enum, default_value = "list")]
    #[serde(default)]
    action: EntityAction,
    /// Id or name; for `list` a text to find
    name: Option<String>,
    /// Where it leads
    target: Option<String>,
    /// `concept`, `person`, `technology`, …
    #[arg(long = "type", value_name = "TYPE")]
    #[serde(rename = "type")]
    kind: Option<String>,
    /// What is known of it
    #[arg(long)]
    content: Option<String>,
    /// In short
    #[arg(long)]
    summary: Option<String>,
    /// More, as JSON
    #[arg(long, value_name = "JSON", value_parser = parse_object)]
    metadata: Option<Map<String, Value>>,
    /// Its file
    #[arg(long)]
    file: Option<String>,
    /// `relates_to` by default
    #[arg(long)]
    relationship: Option<String>,
    /// 0 to 1 (default: 1)
    #[arg(long)]
    weight: Option<f32>,
    /// 1 to 10 (default: 1)
    #[arg(long)]
    depth: Option<u32>,
    /// Which way
    #[arg(long, value_enum)]
    direction: Option<EntityDirection>,
    /// Only these relationships or types
    #[arg(long, value_delimiter = ',')]
    #[serde(default)]
    types: Vec<String>,
    /// Default: 50
    #[arg(long)]
    limit: Option<u32>,
    /// Continues a list
    #[arg(long)]
    cursor: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "snake_case")]
enum EntityAction {
    /// List entities
    #[default]
    List,
    /// Keep one, or more of it
    Add,
    /// Link two
    Link,
    /// Show one with what hangs together with it
    Show,
    /// Put one, or a link, aside
    Remove,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum EntityDirection {
    #[serde(alias = "incoming")]
    In,
    #[serde(alias = "outgoing")]
    Out,
    Both,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct EntityReply {
    /// Of `list`
    #[serde(skip_serializing_if = "Option::is_none")]
    entities: Option<Vec<EntityLine>>,
    /// Of `add`, `show` and `remove`
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<EntityLine>,
    /// Of `show`: nearest first
    #[serde(skip_serializing_if = "Option::is_none")]
    relations: Option<Vec<RelationLine>>,
    /// Of `link` and `remove`
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<EntityLinkLine>,
    /// `new`, `known`, `removed`, or `removed` with a number of links
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    /// How many more are in the list
    #[serde(skip_serializing_if = "is_zero")]
    omitted: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// The rules by which secrets were replaced, one for each secret
    #[serde(skip_serializing_if = "Vec::is_empty")]
    secrets: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape serde asks for")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

const DEFAULT_LIMIT: u32 = 50;

impl Operation for EntityOperation {
    const NAME: &'static str = "entity";
    const SUMMARY: &'static str =
        "Keep, link, list, show or remove entities that are in no file: concepts, people, technologies";
    const KIND: OperationKind = OperationKind::Write;
    const READS: DataSource = DataSource::Both;
    const GROUP: CommandGroup = CommandGroup::Remember;
    const HELP: &'static str = "\
An entity has a type (`concept`, `person`, `technology`, `pattern`, …) and a name; adding it again says more of it. Links lead from anything with an id to anything with one: \
entities, symbols, files, requirements, sessions, messages, decisions. `show` walks over them, over links of documents, over \
the code and over conversations as over one graph, what leads to it, what it leads to or both. `list` shows what somebody named; with `--type` also what is so in code, \
documents and conversations: `requirement`, `class`, `decision`, `question`. What is removed is put aside, never deleted. Secrets are replaced before anything is stored. Exit status 3: there is \
none.

Examples:
  epitome entity add \"Rate limiting\" --type concept --content \"Per account, not per address\"
  epitome entity link \"Rate limiting\" src/limits.py#Limiter --relationship implements
  epitome entity show \"Rate limiting\" --depth 2
  epitome entity list --type requirement
  epitome entity remove link_51432ca8c094e7e8";
    type Params = EntityParams;
    type Reply = EntityReply;

    async fn run(call: &OperationCall<'_>, params: EntityParams) -> Result<EntityReply, Error> {
        let (engine, project) = (call.engine, call.project);
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT) as usize;
        let metadata = params.metadata.map(|metadata| Value::Object(metadata).to_string());
        let needed = |name: Option<String>, field: &'static str, what: &str| {
            name.ok_or_else(|| Error::Parameter { field, reason: format!("is needed to {what}") })
        };
        match params.action {
            EntityAction::List => {
                let skip = read_cursor(params.cursor.as_deref())?;
                let filter = EntityFilter { kind: params.kind, text: params.name, skip, limit };
                let found = engine.list_entities(project, filter).await?;
                let end = skip + found.entities.len();
                Ok(EntityReply {
                    entities: Some(found.entities.into_iter().map(EntityLine::from).collect()),
                    omitted: found.total.saturating_sub(end),
                    cursor: (end < found.total).then(|| end.to_string()),
                    ..EntityReply::default()
                })
            }
            EntityAction::Add => {
                let request = EntityRequest {
                    kind: needed(params.kind, "type", "add an entity: concept, person, technology, pattern, …")?,
                    name: needed(params.name, "name", "add an entity")?,
                    content: params.content,
                    summary: params.summary,
                    metadata,
                    file: params.file,
                };
                let kept = engine.add_entity(project, request).await?;
                Ok(EntityReply {
                    entity: Some(engine::EntityView::from(kept.entity).into()),
                    outcome: Some(if kept.is_new { "new" } else { "known" }.to_owned()),
                    secrets: kept.secrets.iter().map(ToString::to_string).collect(),
                    ..EntityReply::default()
                })
            }
            EntityAction::Link => {
                let request = EntityLinkRequest {
                    source: needed(params.name, "name", "link something: where the link starts")?,
                    target: needed(params.target, "target", "link something: where the link leads")?,
                    relationship: params.relationship.unwrap_or_else(|| "relates_to".to_owned()),
                    weight: params.weight,
                    metadata,
                };
                let kept = engine.link_entities(project, request).await?;
                Ok(EntityReply {
                    link: Some(kept.link.into()),
                    outcome: Some(if kept.is_new { "new" } else { "known" }.to_owned()),
                    ..EntityReply::default()
                })
            }
            EntityAction::Show => {
                let request = EntityWalkRequest {
                    start: needed(params.name, "name", "show an entity")?,
                    depth: params.depth.unwrap_or(1),
                    direction: params.direction.map_or(RelationDirection::Both, Into::into),
                    types: params.types,
                    skip: read_cursor(params.cursor.as_deref())?,
                    limit,
                };
                let found = engine.walk_entities(project, request).await?;
                Ok(EntityReply {
                    entity: Some(found.start.into()),
                    relations: Some(found.relations.into_iter().map(RelationLine::from).collect()),
                    cursor: found.next.map(|next| next.to_string()),
                    ..EntityReply::default()
                })
            }
            EntityAction::Remove => {
                let name = needed(params.name, "name", "remove an entity or a link")?;
                Ok(removed_reply(engine.remove_entity(project, &name).await?))
            }
        }
    }
}

fn parse_object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("is no JSON object: {error}"))
}

/// What was put aside.
fn removed_reply(removed: RemovedEntity) -> EntityReply {
    match removed {
        RemovedEntity::Entity(entity, links) => {
            let with = if links > 0 { format!(" with {}", render_count(links as u64, "link")) } else { String::new() };
            EntityReply {
                entity: Some(engine::EntityView::from(entity).into()),
                outcome: Some(format!("removed{with}")),
                ..EntityReply::default()
            }
        }
        RemovedEntity::Link(link) => {
            EntityReply { link: Some(link.into()), outcome: Some("removed".to_owned()), ..EntityReply::default() }
        }
    }
}

impl From<EntityDirection> for RelationDirection {
    fn from(direction: EntityDirection) -> Self {
        match direction {
            EntityDirection::In => Self::In,
            EntityDirection::Out => Self::Out,
            EntityDirection::Both => Self::Both,
        }
    }
}

impl OperationReply for EntityReply {
    fn is_report(&self) -> bool {
        true
    }

    fn to_text(&self) -> String {
        let mut text = match (&self.outcome, &self.entity, &self.link) {
            (Some(outcome), Some(_), _) => format!("{outcome}: "),
            (Some(outcome), None, Some(link)) => {
                let (source, target) = (show_name(&link.source_id), show_name(&link.target_id));
                let sure = if link.weight < 1.0 { format!(" {:.2}", link.weight) } else { String::new() };
                format!("{outcome}: {source} {}{sure} {target} ({})\n", link.relationship, link.id)
            }
            _ => String::new(),
        };
        text.extend(self.entity.iter().map(EntityLine::to_text));
        if let Some(relations) = &self.relations {
            text.extend(relations.iter().map(RelationLine::to_text));
            if relations.is_empty() {
                text += "  nothing is linked to it\n";
            }
            if let Some(cursor) = &self.cursor {
                text += &format!("  … more (--cursor {cursor} continues)\n");
            }
        }
        if let Some(entities) = &self.entities {
            text.extend(entities.iter().map(EntityLine::to_text));
            if entities.is_empty() {
                text += "no entities: `epitome entity add NAME --type concept` keeps one\n";
            }
        }
        if let (Some(cursor), None) = (&self.cursor, &self.relations) {
            text += &format!("… {} more (--cursor {cursor} continues)\n", self.omitted);
        }
        if !self.secrets.is_empty() {
            let count = render_count(self.secrets.len() as u64, "secret");
            text += &format!("without {count}: {}\n", self.secrets.join(", "));
        }
        text
    }

    fn command_exit(&self) -> CommandExit {
        let is_empty = self.entities.as_ref().is_some_and(Vec::is_empty);
        if is_empty { CommandExit::NothingFound } else { CommandExit::Ok }
    }
}

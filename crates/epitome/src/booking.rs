//! Notes every dispatch of an operation for the ledger: who called, what the caller got, and what the reply says about
//! the text that it stands for. The engine decides what that is worth (`engine/src/ledger/calls`).

use crate::compose::App;
use engine::{CallFacts, CallNote, CallQuestion, CallSource, ReplacedText, ShownFile, ValueFormula, ViewMode};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Notes a dispatch whose caller got `shown`.
pub(crate) fn note_dispatch(
    app: &App,
    source: CallSource,
    operation: &str,
    facts: CallFacts,
    shown: String,
    elapsed: Duration,
) {
    let (operation, project) = (operation.to_owned(), Some(app.project.id.clone()));
    app.engine.note_call(CallNote { source, operation, project, elapsed, shown, facts });
}

/// What a caller asks about, taken from the parameters before an operation consumes them.
#[derive(Default)]
pub(crate) struct CallSubject {
    query: Option<String>,
    place: Option<String>,
}

/// Parameters that hold a question, and those that name a place.
const QUERY_PARAMETERS: [&str; 2] = ["query", "pattern"];
const PLACE_PARAMETERS: [&str; 4] = ["symbol", "name", "path", "id"];

/// What people call an entity is kept with it alone, where a purge of secrets finds it.
const UNNOTED: &str = "entity";

/// Longer questions are cut.
const MAX_QUERY_BYTES: usize = 2_000;

impl CallSubject {
    pub(crate) fn from_params(operation: &str, params: &Value) -> Self {
        if operation == UNNOTED {
            return Self::default();
        }
        let first = |names: &[&str]| {
            let text = names.iter().find_map(|name| params.get(name).and_then(Value::as_str));
            text.map(|text| text[..text.floor_char_boundary(MAX_QUERY_BYTES)].to_owned())
        };
        Self { query: first(&QUERY_PARAMETERS), place: first(&PLACE_PARAMETERS) }
    }

    /// Adds the subject to what a reply says about itself.
    pub(crate) fn complete(self, facts: &mut CallFacts) {
        facts.place = facts.place.take().or(self.place);
        match self.query {
            Some(query) => facts.question.get_or_insert_default().query = query,
            None => facts.question = None,
        }
    }
}

/// What the reply of an operation says about the text that it stands for. `original_tokens` are those of files that were
/// asked for, as they are.
pub(crate) fn describe_reply(operation: &str, reply: &Value, original_tokens: Option<u64>, root: &Path) -> CallFacts {
    let files =
        |formula: ValueFormula, paths: Vec<String>| ReplacedText::Files { formula, root: root.to_owned(), paths };
    let text_of = |value: &Value| value.as_str().map(str::to_owned);
    let question = Some(CallQuestion {
        query: String::new(),
        intent: text_of(&reply["intent"]),
        strategy: text_of(&reply["gate"]["suggested_strategy"]),
        gate: reply["gate"]["retrieve"].as_bool().map(|retrieve| if retrieve { "retrieve" } else { "skip" }.to_owned()),
        results: count_results(reply),
    });
    let replaced = match operation {
        "read" => ReplacedText::Views { tokens: original_tokens.unwrap_or_default() },
        "search" => files(ValueFormula::FilesListed, paths_of(reply, "results")),
        "symbol" => files(ValueFormula::FilesListed, paths_of(reply, "symbols")),
        "context" => files(ValueFormula::FilesCited, cited_paths(reply)),
        "relations" => files(ValueFormula::FilesGrepped, paths_of(reply, "relations")),
        "impact" => files(ValueFormula::FilesGrepped, paths_of(reply, "affected")),
        "briefing" => files(ValueFormula::GraphDump, paths_of(reply, "central")),
        "tree" => {
            let listed =
                reply["files"].as_u64().unwrap_or_default() + reply["directories"].as_u64().unwrap_or_default();
            ReplacedText::Bytes { formula: ValueFormula::Tree, bytes: listed * LISTED_BYTES }
        }
        "recall" | "grep" => {
            let bytes = count_conversations(reply).min(MAX_CONVERSATIONS) * CONVERSATION_BYTES;
            ReplacedText::Bytes { formula: ValueFormula::Conversations, bytes }
        }
        _ => ReplacedText::Nothing,
    };
    let views = if operation == "read" { shown_files(reply) } else { Vec::new() };
    CallFacts { replaced, views, question, ..CallFacts::default() }
}

/// Bytes of an entry in the listing of a directory, with what listings say besides the name.
const LISTED_BYTES: u64 = 24;

/// So many conversations an agent would look through, and so much of each.
const MAX_CONVERSATIONS: u64 = 5;
const CONVERSATION_BYTES: u64 = 32 << 10;

fn items<'r>(reply: &'r Value, list: &str) -> impl Iterator<Item = &'r Value> {
    reply[list].as_array().into_iter().flatten()
}

fn paths_of(reply: &Value, list: &str) -> Vec<String> {
    items(reply, list).filter_map(|item| item["path"].as_str()).map(str::to_owned).collect()
}

/// The files that an answer cites, as `path:start-end`.
fn cited_paths(reply: &Value) -> Vec<String> {
    let of_files = items(reply, "items").filter(|item| item["from"] != "conversation");
    let sources = of_files.filter_map(|item| item["source"].as_str());
    sources.map(|source| source.rsplit_once(':').map_or(source, |(path, _)| path).to_owned()).collect()
}

fn count_results(reply: &Value) -> u64 {
    let lists = ["results", "items", "symbols", "relations", "matches", "affected"];
    lists.iter().find_map(|list| reply[*list].as_array()).map_or(0, |list| list.len() as u64)
}

fn count_conversations(reply: &Value) -> u64 {
    let found = items(reply, "results").chain(items(reply, "matches"));
    let named = found.filter_map(|item| item["conversation_id"].as_str().or(item["conversation"].as_str()));
    named.collect::<std::collections::BTreeSet<_>>().len() as u64
}

fn shown_files(reply: &Value) -> Vec<ShownFile> {
    let asked = items(reply, "items").filter(|item| item["relation"].is_null());
    let file = |item: &Value| {
        Some(ShownFile {
            path: item["path"].as_str()?.to_owned(),
            mode: item["mode"].as_str().and_then(ViewMode::parse)?,
            bytes_raw: item["original_bytes"].as_u64()?,
            bytes_shown: item["compressed_bytes"].as_u64()?,
        })
    };
    asked.filter_map(file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reply_says_which_files_it_stands_for() {
        let reply = json!({
            "items": [
                { "source": "src/a.rs:1-20", "from": "code" },
                { "source": "msg_1 c#4", "from": "conversation" },
                { "source": "docs/b:c.md:3-4", "from": "document" },
            ],
            "intent": "find",
            "gate": { "retrieve": true, "suggested_strategy": "keyword" },
        });
        let mut facts = describe_reply("context", &reply, None, Path::new("/p"));
        CallSubject::from_params("search", &json!({ "query": "where" })).complete(&mut facts);
        let ReplacedText::Files { formula, paths, .. } = facts.replaced else { panic!("files") };
        assert_eq!((formula, paths), (ValueFormula::FilesCited, vec!["src/a.rs".to_owned(), "docs/b:c.md".to_owned()]));
        let question = facts.question.expect("a question");
        assert_eq!((question.query.as_str(), question.results), ("where", 3));
        let words = [question.intent, question.strategy, question.gate].map(Option::unwrap_or_default);
        assert_eq!(words, ["find", "keyword", "retrieve"]);
    }

    #[test]
    fn only_files_that_were_asked_for_are_views() {
        let item = |path: &str, relation: Option<&str>| json!({ "path": path, "mode": "map", "original_bytes": 900, "compressed_bytes": 100, "relation": relation });
        let reply = json!({ "items": [item("a.rs", None), item("b.rs", Some("callee"))] });
        let facts = describe_reply("read", &reply, Some(300), Path::new("/p"));
        assert!(matches!(facts.replaced, ReplacedText::Views { tokens: 300 }));
        assert_eq!(facts.views.iter().map(|view| view.path.as_str()).collect::<Vec<_>>(), ["a.rs"]);
    }

    #[test]
    fn an_operation_without_a_formula_stands_for_nothing() {
        let facts = describe_reply("status", &json!({ "files": 3 }), None, Path::new("/p"));
        assert!(matches!(facts.replaced, ReplacedText::Nothing));
    }
}

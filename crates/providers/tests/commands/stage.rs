//! The suite of the port, for every command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use providers::Generator;
use providers::conformance::generator::{self, CANARY, End, Said, Scene, Stage};
use providers::vendors::{claude_cli::ClaudeCli, codex_cli::CodexCli};
use serde_json::{Value, json};
use tempfile::TempDir;

/// One command from both sides.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) generator: fn(&Path) -> Arc<dyn Generator>,
    says: fn(&Said) -> Option<Vec<Value>>,
}

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commands/play.sh")
}

pub(crate) const CLAUDE: Dialect = Dialect {
    generator: |scene| Arc::new(ClaudeCli::new(scene.display().to_string(), script())),
    says: |said| Some(vec![claude(said)]),
};

pub(crate) const CODEX: Dialect = Dialect {
    generator: |scene| Arc::new(CodexCli::new(scene.display().to_string(), script())),
    says: |said| (said.end == End::Whole).then(|| codex(said)),
};

fn claude(said: &Said) -> Value {
    let [input, output, cache_read, cache_write] = said.usage;
    json!({
        "type": "result",
        "subtype": "success",
        "is_error": false,
        "result": said.text,
        "stop_reason": match said.end { End::Whole => "end_turn", End::Cut => "max_tokens", End::Refused => "refusal" },
        "usage": {
            "input_tokens": input,
            "output_tokens": output,
            "cache_read_input_tokens": cache_read,
            "cache_creation_input_tokens": cache_write,
        },
    })
}

fn codex(said: &Said) -> Vec<Value> {
    let item = |kind: &str, text: &str| json!({ "type": "item.completed", "item": { "type": kind, "text": text } });
    let [input, output, cache_read, _] = said.usage;
    let usage = json!({
        "input_tokens": input.saturating_add(cache_read),
        "cached_input_tokens": cache_read,
        "output_tokens": output,
    });
    let mut events = vec![json!({ "type": "thread.started" }), json!({ "type": "turn.started" })];
    events.extend(said.reasoning.map(|text| item("reasoning", text)));
    events.push(item("agent_message", said.text));
    events.push(json!({ "type": "turn.completed", "usage": usage }));
    events
}

struct CommandStage {
    dialect: Dialect,
    place: TempDir,
}

#[async_trait]
impl Stage for CommandStage {
    async fn set(&self, scene: Scene) -> Option<Arc<dyn Generator>> {
        let answer = self.place.path().join("answer");
        let plain = Said { text: "Two.", reasoning: None, end: End::Whole, usage: [11, 7, 3, 2] };
        let said = if let Scene::Says(said) = &scene { said } else { &plain };
        let lines = (self.dialect.says)(said)?;
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs_err::write(&answer, &text).expect("it can be written");
        let play = match scene {
            Scene::Says(_) => format!("cat >/dev/null; cat {}", answer.display()),
            Scene::Garbage => format!("echo {CANARY}"),
            Scene::Hollow => format!("echo '{{\"type\":\"result\",\"id\":\"{CANARY}\"}}'"),
            Scene::Silence => "sleep 600 & wait".to_owned(),
            Scene::Breaks => format!("head -c 40 {}; exit 1", answer.display()),
            Scene::Endless => format!("yes {CANARY}"),
        };
        let script = self.place.path().join("scene");
        fs_err::write(&script, play).expect("it can be written");
        Some((self.dialect.generator)(&script))
    }
}

async fn check(dialect: Dialect) {
    let place = tempfile::tempdir().expect("a directory");
    generator::run(&CommandStage { dialect, place }).await;
}

#[tokio::test]
async fn claude_keeps_every_promise() {
    check(CLAUDE).await;
}

#[tokio::test]
async fn codex_keeps_every_promise() {
    check(CODEX).await;
}

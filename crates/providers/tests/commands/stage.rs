//! Runs the conformance tests for generators on the `claude` and `codex` commands: `CommandStage` is the stub, a
//! script that prints what each command would.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use providers::Generator;
use providers::conformance::generator::{self, CANARY, StubAnswer, StubEnding, VendorBehaviour, VendorStub};
use providers::vendors::{claude_cli::ClaudeCli, codex_cli::CodexCli};
use serde_json::{Value, json};
use tempfile::TempDir;

/// One command from both sides.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) generator: fn(&Path) -> Arc<dyn Generator>,
    says: fn(&StubAnswer) -> Option<Vec<Value>>,
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
    says: |said| (said.end == StubEnding::Whole).then(|| codex(said)),
};

fn claude(said: &StubAnswer) -> Value {
    let [input, output, cache_read, cache_write] = said.usage;
    json!({
        "type": "result",
        "subtype": "success",
        "is_error": false,
        "result": said.text,
        "stop_reason": match said.end { StubEnding::Whole => "end_turn", StubEnding::Cut => "max_tokens", StubEnding::Refused => "refusal" },
        "usage": {
            "input_tokens": input,
            "output_tokens": output,
            "cache_read_input_tokens": cache_read,
            "cache_creation_input_tokens": cache_write,
        },
    })
}

fn codex(said: &StubAnswer) -> Vec<Value> {
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
impl VendorStub for CommandStage {
    async fn build_generator(&self, scene: VendorBehaviour) -> Option<Arc<dyn Generator>> {
        let answer = self.place.path().join("answer");
        let plain = StubAnswer { text: "Two.", reasoning: None, end: StubEnding::Whole, usage: [11, 7, 3, 2] };
        let said = if let VendorBehaviour::Says(said) = &scene { said } else { &plain };
        let lines = (self.dialect.says)(said)?;
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs_err::write(&answer, &text).expect("it can be written");
        let play = match scene {
            VendorBehaviour::Says(_) => format!("cat >/dev/null; cat {}", answer.display()),
            VendorBehaviour::Garbage => format!("echo {CANARY}"),
            VendorBehaviour::Hollow => format!("echo '{{\"type\":\"result\",\"id\":\"{CANARY}\"}}'"),
            VendorBehaviour::Silence => "sleep 600 & wait".to_owned(),
            VendorBehaviour::Breaks => format!("head -c 40 {}; exit 1", answer.display()),
            VendorBehaviour::Endless => format!("yes {CANARY}"),
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

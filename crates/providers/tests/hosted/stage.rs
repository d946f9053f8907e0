//! Runs the conformance tests for generators on every HTTP vendor: `HostedStage` is the stub, a scripted server that
//! answers in the vendor's format.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use providers::conformance::generator::{self, CANARY, StubAnswer, StubEnding, VendorBehaviour, VendorStub};
use providers::conformance::server::{ScriptedReply, ScriptedServer, ServerAction};
use providers::{Address, ApiKey, Generator, NetworkReach, VendorConnection};
use serde_json::json;

use crate::dialects::{self, Dialect};

/// A connection to `server`, with a key that must not be seen again.
pub(crate) fn connection(server: &ScriptedServer) -> VendorConnection {
    VendorConnection {
        address: Address::parse(&server.url(), NetworkReach::Public).expect("this machine is allowed"),
        key: Some(ApiKey::from_variable("TEST_KEY", "canary-key").expect("it is a key")),
    }
}

struct HostedStage {
    dialect: Dialect,
    /// Kept until the suite is through.
    servers: Mutex<Vec<ScriptedServer>>,
}

#[async_trait]
impl VendorStub for HostedStage {
    async fn build_generator(&self, scene: VendorBehaviour) -> Option<Arc<dyn Generator>> {
        let plain = StubAnswer { text: "Two.", reasoning: None, end: StubEnding::Whole, usage: [11, 7, 3, 2] };
        let says = |said: &StubAnswer| (self.dialect.says)(said).map(|body| ScriptedReply::from_json(200, &body));
        let act = match scene {
            VendorBehaviour::Says(said) => ServerAction::Answer(says(&said)?),
            VendorBehaviour::Garbage => {
                let headers = vec!["content-type: application/json".to_owned()];
                ServerAction::Answer(ScriptedReply { status: 200, headers, body: format!("<b>{CANARY}").into() })
            }
            VendorBehaviour::Hollow => ServerAction::Answer(ScriptedReply::from_json(200, &json!({ "id": CANARY }))),
            VendorBehaviour::Silence => ServerAction::Silence,
            VendorBehaviour::Breaks => ServerAction::Break(says(&plain)?),
            VendorBehaviour::Endless => {
                ServerAction::Answer(says(&StubAnswer { text: Box::leak("word ".repeat(1 << 17).into()), ..plain })?)
            }
        };
        let server = ScriptedServer::start_fixed(act).await;
        let generator = (self.dialect.generator)(connection(&server));
        self.servers.lock().expect("not poisoned").push(server);
        Some(generator)
    }
}

async fn check(name: &str) {
    let dialect = dialects::ALL_DIALECTS.into_iter().find(|dialect| dialect.name == name).expect("it is a dialect");
    generator::run(&HostedStage { dialect, servers: Mutex::default() }).await;
}

#[tokio::test]
async fn anthropic_keeps_every_promise() {
    check("anthropic").await;
}

#[tokio::test]
async fn openai_keeps_every_promise() {
    check("openai").await;
}

#[tokio::test]
async fn compatible_servers_keep_every_promise() {
    check("openai-compatible").await;
}

#[tokio::test]
async fn ollama_keeps_every_promise() {
    check("ollama").await;
}

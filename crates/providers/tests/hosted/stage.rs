//! The suite of the port, for every vendor.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use providers::conformance::generator::{self, CANARY, End, Said, Scene, Stage};
use providers::conformance::server::{Act, Reply, Server};
use providers::{Address, Connection, Generator, Key, Reach};
use serde_json::json;

use crate::dialects::{self, Dialect};

/// A connection to `server`, with a key that must not be seen again.
pub(crate) fn connection(server: &Server) -> Connection {
    Connection {
        address: Address::parse(&server.url(), Reach::Public).expect("this machine is allowed"),
        key: Some(Key::from_variable("TEST_KEY", "canary-key").expect("it is a key")),
    }
}

struct HostedStage {
    dialect: Dialect,
    /// Kept until the suite is through.
    servers: Mutex<Vec<Server>>,
}

#[async_trait]
impl Stage for HostedStage {
    async fn set(&self, scene: Scene) -> Option<Arc<dyn Generator>> {
        let plain = Said { text: "Two.", reasoning: None, end: End::Whole, usage: [11, 7, 3, 2] };
        let says = |said: &Said| (self.dialect.says)(said).map(|body| Reply::json(200, &body));
        let act = match scene {
            Scene::Says(said) => Act::Answer(says(&said)?),
            Scene::Garbage => {
                let headers = vec!["content-type: application/json".to_owned()];
                Act::Answer(Reply { status: 200, headers, body: format!("<b>{CANARY}").into() })
            }
            Scene::Hollow => Act::Answer(Reply::json(200, &json!({ "id": CANARY }))),
            Scene::Silence => Act::Silence,
            Scene::Breaks => Act::Break(says(&plain)?),
            Scene::Endless => Act::Answer(says(&Said { text: Box::leak("word ".repeat(1 << 17).into()), ..plain })?),
        };
        let server = Server::always(act).await;
        let generator = (self.dialect.generator)(connection(&server));
        self.servers.lock().expect("not poisoned").push(server);
        Some(generator)
    }
}

async fn check(name: &str) {
    let dialect = dialects::ALL.into_iter().find(|dialect| dialect.name == name).expect("it is a dialect");
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

//! Models asked in passing while a question is answered: what is sent, what is told, what it costs.

use crate::house::House;
use crate::vendor::{Asked, Vendor};
use crate::{house_with, json_of};
use serde_json::{Value, json};

const FILES: &[(&str, &str)] = &[
    (
        "src/access.rs",
        "/// Compares the given secret with what is kept, by digest.\npub fn authenticate(given: &str) -> bool {\n    \
         digest(given) == given\n}\n\nfn digest(text: &str) -> String {\n    text.to_owned()\n}\n",
    ),
    ("src/server.rs", "/// Opens the socket.\npub fn listen(port: u16) -> u16 {\n    port\n}\n"),
];

const QUESTION: &str = "how does the system let people sign in?";

/// A vendor that answers with a text.
fn saying(text: &'static str) -> Vendor {
    Vendor::start(move |_: &Asked| {
        let answer = json!({
            "type": "message", "role": "assistant", "stop_reason": "end_turn",
            "content": [{ "type": "text", "text": text }],
            "usage": { "input_tokens": 300, "output_tokens": 40 },
        });
        (200, answer)
    })
}

fn house(vendor: &Vendor, more: &str) -> House {
    house_with(FILES, vendor, more)
}

#[test]
fn a_guess_is_asked_for_once_told_with_its_cost_and_used() {
    let vendor = saying("Authenticates a person by comparing the digest of the given secret.");
    let house = house(&vendor, "");
    let plain = json_of(&house, &["search", QUESTION, "--json"]);
    assert_eq!((plain.get("consulted"), vendor.asked().len()), (None, 0), "nobody is asked unasked");
    let mut found = json_of(&house, &["search", QUESTION, "--hyde", "--json"]);
    assert_eq!(found["results"][0]["path"], "src/access.rs");
    assert!(found["consulted"][0]["cost"]["ms"].take().is_number(), "{found}");
    assert_eq!(
        found["consulted"],
        json!([{
            "for": "hyde",
            "text": "Authenticates a person by comparing the digest of the given secret.",
            "model": "anthropic/claude-haiku-4-5",
            "cost": { "tokens": 340, "dollars": 0.0005, "ms": null },
        }])
    );
    // The setting does what the flag does, and what was paid is paid.
    let shown = house.run(&["search", QUESTION, "--explain", "--set", "search.hyde=true"], "").stdout;
    assert!(shown.contains("hyde: answered before, at no cost\n    Authenticates a person"), "{shown}");
    let context = json_of(&house, &["context", QUESTION, "--hyde", "--json"]);
    assert_eq!((&context["consulted"][0]["for"], vendor.asked().len()), (&json!("hyde"), 1));
    assert_eq!(context["consulted"][0]["cached"], true, "{context}");
    let value = json_of(&house, &["value", "--by", "operation", "--json"]);
    assert_eq!((&value["total"]["dollars"], &value["totals"][0]["key"]), (&json!(0.0005), &json!("search")));

    let skipped = json_of(&house, &["search", "authenticate", "--hyde", "--json"]);
    assert_eq!(skipped["consulted"], json!([{ "for": "hyde", "skipped": "the question is not about an idea" }]));
    assert_eq!(vendor.asked().len(), 1);
}

#[test]
fn a_ceiling_stands_before_a_guess() {
    let vendor = saying("never");
    let house = house(&vendor, "[spend]\nday_tokens = 10\n");
    let found = json_of(&house, &["search", "how does the system open its socket", "--hyde", "--json"]);
    assert!(!found["results"].as_array().expect("a list").is_empty());
    let told = found["degraded"][0].as_str().expect("a reason");
    assert!(told.starts_with("searched without a guess: cannot call anthropic/claude-haiku-4-5"), "{told}");
    assert_eq!(vendor.asked().len(), 0);
}

#[test]
fn a_model_is_asked_whether_to_look_only_where_the_user_allows_it() {
    let vendor = saying("{\"retrieve\": false, \"reason\": \"needs no code\"}");
    let house = house(&vendor, "");
    let asks = ["context", "rate limits for callers", "--json"];
    assert_eq!(json_of(&house, &asks)["gate"]["confidence"], 0.5);
    assert_eq!(vendor.asked().len(), 0);
    let gate = json!({ "retrieve": false, "reason": "is judged by a model: needs no code", "confidence": 0.7 });
    for cached in [Value::Null, json!(true)] {
        let allowed = [&asks[..], &["--set", "context.model_gate=true"]].concat();
        let answered = json_of(&house, &allowed);
        assert_eq!((&answered["gate"], &answered["consulted"][0]["cached"]), (&gate, &cached));
    }
    assert_eq!(vendor.asked().len(), 1, "the verdict is kept");
    let project: Value = json!({ "retrieve": true, "confidence": 0.5 });
    house.write(".epitome.toml", b"[context]\nmodel_gate = true\n[search]\nhyde = true\n");
    let ended = house.run(&asks, "");
    let mut narrowed: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    drop(narrowed["gate"].as_object_mut().expect("a gate").remove("reason"));
    assert_eq!(narrowed["gate"], project, "a project does not spend its user's money");
    assert!(ended.stderr.contains("search.hyde"), "{}", ended.stderr);
}

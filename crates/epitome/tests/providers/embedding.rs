//! A model that embeds, through the real binary: what it is asked, what is answered with it, and what without it.

use crate::house::House;
use crate::json_of;
use crate::vendor::{Asked, Vendor};
use serde_json::{Value, json};
use std::collections::HashSet;

/// The words of the questions stand in the wrong file, and what they mean in the right one.
const FILES: &[(&str, &str)] = &[
    (
        "src/gate.rs",
        "pub fn authenticate(secret: &str) -> bool {\n    let known = digest(secret);\n    known == secret\n}\n\n\
         fn digest(text: &str) -> String {\n    text.to_owned()\n}\n",
    ),
    (
        "src/people.rs",
        "/// People sign forms.\npub fn people_sign(count: u32) -> u32 {\n    let sign = count;\n    sign\n}\n",
    ),
    (
        "src/server.rs",
        "/// Opens the socket.\npub fn listen(port: u16) -> u16 {\n    let socket = port;\n    socket\n}\n",
    ),
];

const QUESTION: &str = "how do people sign in";

const DIMENSIONS: usize = 16;

/// Some direction for every text: what lets people in points one way, whatever it is called.
fn numbers(text: &str, dimensions: usize) -> Vec<f32> {
    let mut numbers = vec![0.01_f32; dimensions];
    for word in text.split(|c: char| !c.is_alphabetic()) {
        let at = match word {
            "authenticate" | "secret" | "digest" | "how" => 0,
            "socket" | "listen" => 1,
            "" => continue,
            other => 2 + other.len() % (dimensions - 2),
        };
        numbers[at] += if at < 2 { 3.0 } else { 0.2 };
    }
    numbers
}

fn inputs(asked: &Asked) -> Vec<String> {
    let inputs = asked.body["input"].as_array().expect("a list of texts");
    inputs.iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// As Ollama embeds.
fn ollama(asked: &Asked) -> (u16, Value) {
    let vectors: Vec<Vec<f32>> = inputs(asked).iter().map(|text| numbers(text, DIMENSIONS)).collect();
    (200, json!({ "embeddings": vectors, "prompt_eval_count": 7 }))
}

fn configured(vendor: &Vendor, files: &[(&str, &str)], more: &str) -> House {
    let house = House::new(files);
    let config = format!(
        "[providers]\nembedder = 'ollama'\nollama_url = '{}'\nembedding_model = 'nomic-embed-text'\n\
         embedding_dimensions = {DIMENSIONS}\n{more}",
        vendor.url
    );
    house.write_home("config/config.toml", config.as_bytes());
    house
}

/// The texts of all requests since some.
fn since(vendor: &Vendor, requests: usize) -> Vec<String> {
    vendor.asked()[requests..].iter().flat_map(inputs).collect()
}

fn paths(found: &Value) -> Vec<&str> {
    found["results"].as_array().expect("a list").iter().map(|hit| hit["path"].as_str().expect("a path")).collect()
}

#[test]
fn each_unit_is_embedded_once_and_each_question_once() {
    let vendor = Vendor::start(ollama);
    let house = configured(&vendor, FILES, "");
    let run = json_of(&house, &["index", "--json"]);
    let texts = since(&vendor, 0);
    let units: Vec<&String> = texts.iter().filter(|text| text.contains('\n')).collect();
    assert_eq!(texts.iter().collect::<HashSet<_>>().len(), texts.len(), "nothing is embedded twice: {texts:?}");
    for function in ["fn authenticate", "fn people_sign", "fn listen"] {
        assert_eq!(units.iter().filter(|text| text.contains(function)).count(), 1, "{function}: {texts:?}");
    }
    assert!(texts.iter().all(|text| text.starts_with("search_document: ")), "{texts:?}");
    assert_eq!(texts.len() - units.len(), FILES.len(), "a path each: {texts:?}");
    assert_eq!(
        run["embedding"],
        json!({
            "model": "ollama/nomic-embed-text", "embedded": texts.len(), "known": 0, "left": 0, "degraded": [],
        })
    );
    assert_eq!(vendor.asked()[0].line, "POST /api/embed");

    let before = vendor.asked().len();
    let question = "how is tea brewed";
    let found = json_of(&house, &["search", question, "--json"]);
    assert_eq!(since(&vendor, before), [format!("search_query: {question}")], "one text a question");
    assert_eq!((vendor.asked().len(), found.get("degraded")), (before + 1, None), "{found}");
    // No file has its words: to this model `how` means what lets people in.
    assert_eq!(paths(&found), ["src/gate.rs"], "by what the model says: {found}");
    let own = json_of(&house, &["search", question, "--json", "--set", "providers.embedder="]);
    assert_ne!(paths(&own), ["src/gate.rs"], "{own}");
    json_of(&house, &["search", question, "--json"]);
    assert_eq!(vendor.asked().len(), before + 1, "the same question is known");
    json_of(&house, &["context", "where is the socket opened", "--json"]);
    assert_eq!(since(&vendor, before + 1), ["search_query: where is the socket opened"]);

    let before = vendor.asked().len();
    house.write("src/server.rs", b"/// Closes the socket.\npub fn close(port: u16) -> u16 {\n    port\n}\n");
    json_of(&house, &["search", "who closes it again", "--json"]);
    let again = since(&vendor, before);
    let (questions, units): (Vec<String>, Vec<String>) = again.into_iter().partition(|text| text.contains("query"));
    assert_eq!((questions.len(), units.len()), (1, 1), "only what changed: {questions:?} {units:?}");
    assert!(units[0].contains("fn close"), "{units:?}");

    let status = json_of(&house, &["status", "--json"]);
    let model = &status["embedding_models"][0];
    assert_eq!((&model["name"], &model["provider"]), (&json!("nomic-embed-text"), &json!("ollama")));
    assert_eq!(model["dimensions"], DIMENSIONS);
    assert!(model["id"].as_str().is_some_and(|id| id.starts_with("emb_")), "{model}");
    assert!(model["created_at"].as_str().is_some_and(|at| at.ends_with('Z')), "{model}");
}

#[test]
fn a_threshold_leaves_only_what_is_near() {
    let vendor = Vendor::start(ollama);
    let house = configured(&vendor, FILES, "");
    house.run(&["index"], "");
    let all = json_of(&house, &["search", QUESTION, "--json"]);
    let near = json_of(&house, &["search", QUESTION, "--threshold", "0.6", "--json"]);
    assert!(paths(&all).len() > 1, "{all}");
    assert_eq!(paths(&near), ["src/gate.rs"]);
    let first = json_of(&house, &["search", QUESTION, "--threshold", "-1", "--limit", "1", "--json"]);
    assert_eq!(paths(&first).len(), 1);
    assert_eq!(house.run(&["search", QUESTION, "--threshold", "2"], "").status, 2);
}

#[test]
fn a_model_that_fails_leaves_all_of_an_answer_to_the_one_inside_the_program() {
    let plain = House::new(FILES);
    let wanted = json_of(&plain, &["search", QUESTION, "--json"]);
    // It embeds what is indexed, and then no question.
    let is_question = |asked: &Asked| inputs(asked).iter().any(|text| text.contains("query"));
    let vendor = Vendor::start(
        move |asked: &Asked| {
            if is_question(asked) { (400, json!({ "error": "no" })) } else { ollama(asked) }
        },
    );
    let house = configured(&vendor, FILES, "");
    house.run(&["index"], "");
    let found = json_of(&house, &["search", QUESTION, "--json"]);
    assert_eq!(found["results"], wanted["results"], "to the last number");
    let told = found["degraded"][0].as_str().expect("a reason");
    assert!(told.starts_with("meaning is compared by the built-in model: cannot use ollama"), "{told}");

    let dead = Vendor::start(|_| (400, json!({ "error": "no" })));
    let house = configured(&dead, FILES, "");
    let run = json_of(&house, &["index", "--json"]);
    assert_eq!((&run["embedding"]["embedded"], &run["embedding"]["known"]), (&json!(0), &json!(0)));
    assert!(run["embedding"]["left"].as_u64().is_some_and(|left| left > 3), "{run}");
    let found = json_of(&house, &["search", QUESTION, "--json"]);
    assert_eq!(found["results"], wanted["results"]);
    assert!(found["degraded"][0].as_str().is_some_and(|told| told.contains("cannot use ollama")), "{found}");
}

/// More functions than one request takes, in two files.
fn many() -> Vec<(String, String)> {
    let body = |file: u32, at: u32| {
        let lines: String = (0..6).map(|line| format!("    let value{line} = {file} + {at} + {line};\n")).collect();
        format!("pub fn made_{file}_{at}() -> u32 {{\n{lines}    value0\n}}\n\n")
    };
    (0..2).map(|file| (format!("src/m{file}.rs"), (0..60).map(|at| body(file, at)).collect())).collect()
}

#[test]
fn a_run_that_was_stopped_goes_on_where_it_ended() {
    let files = many();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let limit = std::sync::atomic::AtomicUsize::new(1);
    let limit = std::sync::Arc::new(limit);
    let left = std::sync::Arc::clone(&limit);
    let vendor = Vendor::start(move |asked: &Asked| {
        match left.load(std::sync::atomic::Ordering::SeqCst) {
            0 => return (400, json!({ "error": "no" })),
            some => left.store(some - 1, std::sync::atomic::Ordering::SeqCst),
        }
        ollama(asked)
    });
    let house = configured(&vendor, &files, "");
    let first = json_of(&house, &["index", "--json"]);
    let embedded = first["embedding"]["embedded"].as_u64().expect("a number");
    let left = first["embedding"]["left"].as_u64().expect("a number");
    assert!(embedded > 0 && left > 0, "{first}");
    let asked = json_of(&house, &["search", "what is made", "--json"]);
    let told = asked["degraded"][0].as_str().expect("a reason");
    assert!(
        told.contains(&format!("has embedded {embedded} of {} texts", embedded + left)) || told.contains("cannot use"),
        "{told}"
    );
    limit.store(1_000, std::sync::atomic::Ordering::SeqCst);
    let before = vendor.asked().len();
    let second = json_of(&house, &["index", "--json"]);
    assert_eq!((&second["embedding"]["known"], &second["embedding"]["left"]), (&json!(embedded), &json!(0)));
    let again = since(&vendor, before);
    let texts = since(&vendor, 0);
    assert_eq!(again.len() as u64, second["embedding"]["embedded"].as_u64().expect("a number"));
    let first: HashSet<String> = inputs(&vendor.asked()[0]).into_iter().collect();
    assert!(again.iter().all(|text| !first.contains(text)), "what was paid for is not asked for again");
    assert!(vendor.asked().iter().all(|asked| inputs(asked).len() <= 64), "{}", texts.len());
}

#[test]
fn openai_embeds_in_batches_of_its_own_form() {
    let vendor = Vendor::start(|asked: &Asked| {
        let data: Vec<Value> = (0..)
            .zip(inputs(asked))
            .map(|(index, text)| json!({ "index": index, "embedding": numbers(&text, 1536) }))
            .collect();
        (200, json!({ "data": data, "usage": { "prompt_tokens": 11 } }))
    });
    let files = many();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    for (embedder, url) in [("openai", "openai_url"), ("openai-compatible", "compatible_url")] {
        let before = vendor.asked().len();
        let house = House::new(&files);
        let config = format!(
            "[providers]\nembedder = '{embedder}'\n{url} = '{}'\nopenai_key = 'env:HOME'\n\
             embedding_model = 'text-embedding-3-small'\nembedding_dimensions = 1536\n\
             [spend]\nprices = ['openai-compatible/*=0/0']\n",
            vendor.url
        );
        house.write_home("config/config.toml", config.as_bytes());
        let run = json_of(&house, &["index", "--json"]);
        assert_eq!((&run["embedding"]["left"], &run["embedding"]["degraded"]), (&json!(0), &json!([])), "{run}");
        let asked = vendor.asked()[before..].to_vec();
        assert!(asked.iter().all(|asked| asked.line == "POST /embeddings" && inputs(asked).len() <= 64), "{asked:?}");
        assert!(asked.len() > 1 && asked.iter().any(|asked| inputs(asked).len() > 1), "in batches");
        assert!(asked.iter().flat_map(inputs).all(|text| !text.starts_with("search_")), "nobody asked for a prefix");
        let found = json_of(&house, &["search", "where is made_1_7", "--json"]);
        assert_eq!((paths(&found)[0], found.get("degraded")), ("src/m1.rs", None), "{found}");
    }
}

#[test]
fn what_was_said_is_recalled_by_the_same_model() {
    let vendor = Vendor::start(ollama);
    let house = configured(&vendor, FILES, "");
    let said = "{\"role\":\"user\",\"content\":\"The digest of a secret must be compared in constant time.\"}\n\
                {\"role\":\"user\",\"content\":\"People sign the visitors' book at the desk, sign by sign.\"}\n";
    let stored = house.run(&["ingest", "--conversation", "talk"], said);
    assert_eq!(stored.status, 0, "{}", stored.shown());
    assert_eq!(vendor.asked().len(), 0, "storing asks nobody");
    let found = json_of(&house, &["recall", QUESTION, "--json"]);
    let texts = since(&vendor, 0);
    assert_eq!(texts.len(), 3, "two messages and a question: {texts:?}");
    assert_eq!(found["degraded"], json!([]), "{found}");
    let near = |at: usize| found["results"][at]["text"].as_str().unwrap_or_default().to_owned();
    assert!(near(0).contains("digest") || near(1).contains("digest"), "what shares no word is found: {found}");
    json_of(&house, &["recall", "which book do people sign", "--json"]);
    assert_eq!(since(&vendor, 0).len(), 4, "messages are embedded once");
    house.run(&["index"], "");
    let count = vendor.asked().len();
    json_of(&house, &["context", "why is the digest compared so", "--json"]);
    assert_eq!(vendor.asked().len(), count + 1, "one question, whatever it is looked up in");
}

#[test]
fn a_project_cannot_name_who_embeds() {
    let vendor = Vendor::start(ollama);
    let house = House::new(FILES);
    let theirs = format!(
        "[providers]\nembedder = 'ollama'\nollama_url = '{}'\nembedding_model = 'm'\nembedding_dimensions = 16\n",
        vendor.url
    );
    house.write(".epitome.toml", theirs.as_bytes());
    assert!(json_of(&house, &["index", "--json"]).get("embedding").is_none());
    json_of(&house, &["search", QUESTION, "--json"]);
    assert_eq!(vendor.asked().len(), 0);
}

/// The settings that have a vendor embed.
fn embedder(vendor: &Vendor) -> String {
    let url = &vendor.url;
    format!(
        "embedder = 'ollama'\nollama_url = '{url}'\nembedding_model = 'nomic-embed-text'\nembedding_dimensions = 16\n"
    )
}

/// A vendor that embeds as Ollama and writes as Anthropic.
fn both(asked: &Asked) -> (u16, Value) {
    if asked.line.ends_with("/api/embed") { ollama(asked) } else { crate::anthropic(asked) }
}

#[test]
fn what_a_model_says_about_a_symbol_is_embedded_searched_and_shown() {
    let vendor = Vendor::start(both);
    let house = crate::house_with(FILES, &vendor, &embedder(&vendor));
    house.run(&["index", "--summarize"], "");
    let embedded: Vec<String> =
        vendor.asked().iter().filter(|asked| asked.line.ends_with("/api/embed")).flat_map(inputs).collect();
    let with_summary =
        |name: &str| embedded.iter().any(|text| text.contains(name) && text.contains("Gives the sum of what"));
    assert!(with_summary("fn listen") && with_summary("fn people_sign"), "{embedded:?}");
    // A word that stands in no file, and no model that embeds.
    let found = json_of(&house, &["search", "sum given", "--json", "--set", "providers.embedder="]);
    assert!(!paths(&found).is_empty(), "{found}");
    assert!(
        found["results"]
            .as_array()
            .expect("a list")
            .iter()
            .any(|hit| hit["summary"] == "Gives the sum of what it is given."),
        "{found}"
    );
    let shown = house.run(&["search", "listen"], "").stdout;
    assert!(shown.contains("    Gives the sum of what it is given.\n"), "{shown}");
}

#[test]
fn a_guess_at_the_answer_is_embedded_with_the_question() {
    let vendor = Vendor::start(both);
    let house = crate::house_with(FILES, &vendor, &embedder(&vendor));
    house.run(&["index"], "");
    let before = vendor.asked().len();
    let question = "how does the system let people sign in?";
    let found = json_of(&house, &["search", question, "--hyde", "--json"]);
    let embeds = |asked: &&Asked| asked.line.ends_with("/api/embed");
    let asked: Vec<Vec<String>> = vendor.asked()[before..].iter().filter(embeds).map(inputs).collect();
    let [both] = &asked[..] else { panic!("one request: {asked:?}") };
    let guess = "search_query: Gives the sum of what it is given.".to_owned();
    assert!(both.contains(&format!("search_query: {question}")) && both.contains(&guess), "{both:?}");
    assert_eq!((both.len(), found.get("degraded")), (2, None), "{found}");
}

/// A function that no small budget holds, behind one that fits.
fn long_and_short() -> Vec<(&'static str, String)> {
    let lines: String = (0..200).map(|line| format!("    let parcel_{line} = weigh(parcel, {line});\n")).collect();
    let long = format!("/// Ships parcels.\npub fn ship_parcels(parcel: u32) -> u32 {{\n{lines}    parcel\n}}\n");
    let short =
        "/// Ships one parcel.\npub fn ship_parcel(parcel: u32) -> u32 {\n    let sent = parcel;\n    sent\n}\n";
    vec![("src/ship.rs", short.to_owned()), ("src/freight.rs", long)]
}

#[test]
fn a_summary_stands_for_what_does_not_fit() {
    let vendor = Vendor::start(crate::anthropic);
    let files = long_and_short();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let house = crate::house_with(&files, &vendor, "");
    house.run(&["index", "--summarize"], "");
    let asks = ["context", "ship_parcel one parcel", "--budget", "400"];
    let answer = json_of(&house, &[&asks[..], &["--json"]].concat());
    let items = answer["items"].as_array().expect("a list");
    let summary = items.iter().find(|item| item["summary"] == true).unwrap_or_else(|| panic!("{answer}"));
    assert!(summary["source"].as_str().is_some_and(|source| source.starts_with("src/freight.rs:")), "{summary}");
    let text = house.run(&asks, "").stdout;
    assert!(text.contains("(summary)") && text.contains("in short: Gives the sum of what it is given."), "{text}");
    assert!(items.iter().any(|item| item["source"].as_str().is_some_and(|source| source.starts_with("src/ship.rs"))));
}

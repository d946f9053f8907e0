//! What is found in drafts about a small web framework in Python, and in parts of a Go and a TypeScript project.

use super::house::{House, Noon, home, house, store_in};
use async_trait::async_trait;
use engine::{
    CallInitiative, CritiqueRequest, DraftIssue, Engine, EngineSettings, PriceTable, ProviderSet, SpendPolicy,
};
use expect_test::{Expect, expect};
use model::{Money, TokenCount};
use providers::{GenerateRequest, GeneratedText, GenerationModel, Generator, StopReason, Usage, Vendor};
use std::process::Command;
use std::sync::{Arc, Mutex};
use store::{SpendAmount, SpendLimits};

const SOURCES: &[(&str, &str)] = &[
    (
        "web/app.py",
        "from .base import Base\nfrom .helpers import jsonify, render\n\n\nclass Web(Base):\n    \"\"\"An application.\"\"\"\n\n    \
         def make_response(self, rv):\n        status = self.check(rv)\n        return Response(rv, status)\n\n    \
         def check(self, rv):\n        return len(rv)\n\n    def dispatch(self, name, callback, *, timeout=3):\n        \
         return callback(self.routes[name])\n\n    def answer(self, data):\n        return jsonify(data)\n\n\n\
         class Response:\n    def __init__(self, body, status):\n        self.body = body\n        self.status = status\n",
    ),
    (
        "web/base.py",
        "class Base:\n    def __init__(self):\n        self.routes = {}\n\n    def add_route(self, name, view):\n        \
         self.routes[name] = view\n",
    ),
    (
        "web/helpers.py",
        "import json\n\n\ndef jsonify(data):\n    return json.dumps(data)\n\n\ndef render(template, **values):\n    \
         return template.format(**values)\n",
    ),
    (
        "web/wrap.py",
        "from outside import Wrapper\n\n\nclass Session(Wrapper):\n    def open(self, key):\n        return key\n",
    ),
    (
        "web/store.py",
        "from collections.abc import MutableMapping\nfrom dataclasses import dataclass\n\n\n@dataclass\nclass Store(MutableMapping):\n    \
         items: dict\n\n    def load(self, key):\n        return self.items[key]\n",
    ),
    ("web/broken.py", "def odd(:\n    return dispatch\n"),
    (
        "cmd/main.go",
        "package main\n\nimport \"fmt\"\n\ntype Server struct{ port int }\n\nfunc (s *Server) Run(name string) error {\n\treturn \
         s.listen(name)\n}\n\nfunc (s *Server) listen(name string) error {\n\tfmt.Println(name)\n\treturn nil\n}\n\n\
         func main() {\n\ts := &Server{port: 1}\n\ts.Run(\"a\")\n}\n",
    ),
    (
        "ui/cart.ts",
        "export interface Item { price: number }\n\nexport class Cart {\n  items: Item[] = [];\n\n  add(item: Item, count = 1) {\n    \
         this.items.push(item);\n  }\n\n  total(): number {\n    return sum(this.items);\n  }\n}\n\n\
         function sum(items: Item[]): number {\n  return items.reduce((all, item) => all + item.price, 0);\n}\n",
    ),
];

fn request(draft: &str) -> CritiqueRequest {
    CritiqueRequest {
        draft: draft.to_owned(),
        query: None,
        context: None,
        budget: TokenCount(2_000),
        max_iterations: 3,
        revise: false,
        initiative: CallInitiative::User,
    }
}

fn tell(issue: &DraftIssue) -> String {
    let DraftIssue { kind, claim, evidence, suggestion, .. } = issue;
    let meant = suggestion.as_ref().map(|meant| format!(" [{meant}]")).unwrap_or_default();
    format!(
        "{} {}: {claim} — {}{meant}\n",
        issue.severity().as_str(),
        kind.as_str(),
        evidence.clone().unwrap_or_default()
    )
}

impl House {
    async fn draft_issues(&self, draft: &str) -> Vec<DraftIssue> {
        let report = self.engine.critique_draft(&self.project, request(draft)).await.expect("a report");
        for claim in &report.claims {
            assert_eq!(&draft[claim.span.start as usize..claim.span.end as usize], claim.text);
        }
        assert_eq!(report.iterations, 1);
        report.issues
    }

    async fn criticises(&self, draft: &str, expected: Expect) {
        expected.assert_eq(&self.draft_issues(draft).await.iter().map(tell).collect::<String>());
    }

    /// Nothing of it is contradicted.
    async fn contradicts_none(&self, drafts: &[&str]) {
        for draft in drafts {
            let high: String = self
                .draft_issues(draft)
                .await
                .iter()
                .filter(|issue| issue.severity().as_str() == "high")
                .map(tell)
                .collect();
            assert_eq!(high, "", "{draft}");
        }
    }
}

#[tokio::test]
async fn an_invented_method_with_its_place_and_its_call_are_three_issues() {
    let house = house(SOURCES);
    house.criticises("`Web.make_answer(rv, retries)` in helpers.py calls `jsonify`.", expect![[r#"
        high hallucination: `Web.make_answer(rv, retries)` in helpers.py calls `jsonify` — `Web.make_answer` does not exist, so it calls nothing [web/app.py#Web.answer]
        high hallucination: `Web.make_answer(rv, retries)` — `web/app.py#Web`, with what it is made from, has no member `make_answer` [web/app.py#Web.answer]
        high hallucination: `Web.make_answer(rv, retries)` in helpers.py — web/helpers.py does not have `make_answer`; its type is in web/app.py:5-19 [web/app.py:5-19]
    "#]]).await;
    house.criticises("`Web.make_response(rv, retries)` in helpers.py calls `jsonify`.", expect![[r#"
        high hallucination: `Web.make_response(rv, retries)` in helpers.py calls `jsonify` — the body of `web/app.py#Web.make_response` mentions `jsonify` nowhere; it calls Response, check
        high hallucination: `Web.make_response(rv, retries)` — it does not take 2 arguments: `web/app.py#Web.make_response` takes (rv)
        high hallucination: `Web.make_response(rv, retries)` in helpers.py — web/helpers.py does not have it; it is in web/app.py:8-10 [web/app.py:8-10]
    "#]]).await;
}

#[tokio::test]
async fn what_the_symbol_table_contradicts_is_found() {
    let house = house(SOURCES);
    let check = |draft: &'static str, kind: &'static str| {
        let house = &house;
        async move {
            let issues = house.draft_issues(draft).await;
            let is_high = |issue: &DraftIssue| issue.severity().as_str() == "high";
            assert!(issues.iter().any(is_high), "{kind} {draft}: {issues:?}");
        }
    };
    check("`Web.render_all` writes the page.", "symbol").await;
    check("`Web.add_route` is defined in `web/broken.py`.", "place in a file that could not be parsed").await;
    check("`Store.flush_pending` writes the page.", "member of a library class").await;
    check("This goes through `Store.add_route`.", "member of another class").await;
    check("The method `Server.Shutdown` stops it.", "symbol").await;
    check("The function `rebuild_routes()` is called at startup.", "symbol").await;
    check("`Cart.remove` takes an item out.", "symbol").await;
    check("It is told in `web/router.py`.", "file").await;
    check("`Web.add_route` takes a `retries` parameter.", "signature").await;
    check("`Cart.add(item, count, retries)` adds it.", "signature").await;
    check("`jsonify(data, indent=2)` writes it.", "signature").await;
    check("`Web.check` takes three parameters.", "signature").await;
    check("The `depth` argument of `Web.check` says how far.", "signature").await;
    check("`jsonify` is defined in `web/app.py`.", "location").await;
    check("`cmd/main.go` defines `Cart`.", "location").await;
    check("`Server.listen` (`ui/cart.ts:3`) waits.", "location").await;
    check("`Web.check` calls `jsonify`.", "relation").await;
    check("`Cart.total` is called by `Server.Run`.", "relation").await;
    check("`Web.answer` does not call `jsonify`.", "relation").await;
    check("`Response` extends `Cart`.", "relation").await;
}

#[tokio::test]
async fn what_is_true_or_cannot_be_known_is_not_contradicted() {
    let house = house(SOURCES);
    house
        .contradicts_none(&[
            // True.
            "`Web.add_route(name, view)` in `web/base.py` keeps the view. `Web.answer` calls `jsonify`.",
            "`Web` extends `Base`; `Server.Run(name)` in `cmd/main.go:7` calls `listen`. `Cart.add(item)` is enough.",
            "`render` takes a `title` parameter. `Web.dispatch` takes a `timeout` parameter.",
            "`Web.check` does not call `jsonify`. `Response(body, status)` is made by `Web.make_response`.",
            "`Web.routes` and `Response.status` are fields.",
            "`Web.dispatch` is defined in `web/broken.py`.",
            "`Store.setdefault` and `Store._snapshot` come from elsewhere.",
            // From elsewhere, or nobody's.
            "`json.dumps` and `asyncio.gather()` are of the standard library. `useState` is a hook of React.",
            "`Session.close_all` is inherited. `self.retry()` may be one of its own.",
            "Run `cargo test --all`, set `MAX_RETRIES=3` and read `config.retry.count` in `settings.yaml`.",
            "The key `server.max_open_files` of `~/.config/web.toml`, `node_modules/x/index.js` and `example.com`.",
            // A call that may be one.
            "`Web.dispatch` calls `jsonify`.",
            // Plans, opinions, questions, what was, what is not.
            "Add a function `rebuild_routes()` to `web/app.py`. I will create `web/router.py`.",
            "`Web.rebuild_routes()` should call `jsonify`. Does `Web.shutdown()` exist? We could use `Web.flush_all()`.",
            "I removed `Web.old_answer()`. `web/router.py` was deleted. There is no `Web.shutdown()`.",
            "`Web.reload_views()` does this:\n\n```python\ndef reload_views(self):\n    pass\n```\n",
            "Thanks. It works.",
        ])
        .await;
}

#[tokio::test]
async fn a_context_decides_what_the_symbol_table_cannot() {
    let house = house(SOURCES);
    let asked = CritiqueRequest {
        context: Some("`Web.check` counts the letters of the value, at most 512.".to_owned()),
        ..request("`Web.check` counts the letters of the value. `Web.check` allows 4096 letters of a value.")
    };
    let report = house.engine.critique_draft(&house.project, asked).await.expect("a report");
    let words: Vec<(&str, Option<&str>)> = report
        .claims
        .iter()
        .filter(|claim| claim.kind.as_str() == "behaviour")
        .map(|claim| (claim.support.as_str(), claim.source.as_deref()))
        .collect();
    assert_eq!(words, [("yes", Some("context")), ("unknown", None)]);
    expect![[r#"
        medium unsupported: `Web.check` allows 4096 letters of a value. — the context does not have `4096`
    "#]]
    .assert_eq(&report.issues.iter().map(tell).collect::<String>());
    assert!(report.passed);

    let asked = CritiqueRequest { query: Some("how is jsonify written".to_owned()), ..request("It is `Cart`.") };
    let report = house.engine.critique_draft(&house.project, asked).await.expect("a report");
    let is_missed = |issue: &DraftIssue| issue.kind.as_str() == "incomplete" && issue.claim.contains("web/helpers.py");
    assert!(report.issues.iter().any(is_missed), "{:?}", report.issues);
}

#[tokio::test]
async fn what_changed_since_the_cited_commit_is_outdated() {
    let house = house(SOURCES);
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments)
            .current_dir(&house.project.root)
            .output()
            .expect("git runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "One"]);
    let first = git(&["rev-parse", "HEAD"]);
    house.write("web/helpers.py", format!("{}\n\ndef other():\n    pass\n", SOURCES[2].1));
    git(&["commit", "--quiet", "--all", "--message", "Two"]);
    let project = engine::Project::discover_from(&house.project.root).expect("a project");
    let draft = format!("As of {first}, `jsonify` is in `web/helpers.py` and `Web.check` in `web/app.py`.");
    let report = house.engine.critique_draft(&project, request(&draft)).await.expect("a report");
    let told: String = report.issues.iter().map(tell).collect::<String>().replace(&first, "FIRST");
    assert!(told.contains("1 commit since FIRST changed web/helpers.py") && !told.contains("web/app.py —"), "{told}");
    assert!(report.passed);
}

#[tokio::test]
async fn bad_requests_are_refused_with_the_reason() {
    let house = house(SOURCES);
    let refused = async |asked: CritiqueRequest| {
        house.engine.critique_draft(&house.project, asked).await.expect_err("it is refused").to_string()
    };
    assert!(refused(request(" ")).await.contains("is empty"));
    let none = CritiqueRequest { max_iterations: 0, ..request("a") };
    assert!(refused(none).await.contains("is 0: from 1 to 10"));
    assert!(refused(request(&"a".repeat(200_001))).await.contains("200001 bytes"));
}

/// A model that writes what it is given to write, the last of it again and again.
struct Writer {
    model: GenerationModel,
    texts: Mutex<Vec<&'static str>>,
    asked: Mutex<Vec<String>>,
}

#[async_trait]
impl Generator for Writer {
    fn model(&self) -> &GenerationModel {
        &self.model
    }

    async fn generate(&self, request: &GenerateRequest) -> providers::Result<GeneratedText> {
        self.asked.lock().expect("nobody panics").push(request.messages[0].text.clone());
        let mut texts = self.texts.lock().expect("nobody panics");
        let text = if texts.len() > 1 { texts.remove(0) } else { texts[0] };
        let usage = Usage { input: Some(10), output: Some(5), cache_read: None, cache_write: None };
        Ok(GeneratedText { text: text.to_owned(), stop: StopReason::End, usage })
    }
}

fn with_writer(texts: &[&'static str]) -> (House, Arc<Writer>) {
    let (directory, project) = home(SOURCES);
    let model = GenerationModel { vendor: Vendor::Ollama, name: "writer".to_owned() };
    let writer = Arc::new(Writer { model, texts: Mutex::new(texts.to_vec()), asked: Mutex::default() });
    let generators = vec![Arc::clone(&writer) as Arc<dyn Generator>];
    let high = SpendAmount { tokens: 1_000_000, money: Money(1_000_000) };
    let limits = SpendLimits { call: high, session: high, day: high, concurrent: 2 };
    let spend = SpendPolicy { limits, background: false, prices: PriceTable::default() };
    let settings = EngineSettings { spend, ..EngineSettings::default() };
    let engine = Engine::new(Arc::new(store_in(directory.path())), Arc::new(Noon), settings)
        .with_providers(ProviderSet { generators, ..ProviderSet::default() });
    (House { directory, engine, project }, writer)
}

#[tokio::test]
async fn a_draft_is_revised_until_it_passes() {
    let (house, writer) =
        with_writer(&["`Web.check` calls `render`.", "`Web.answer` calls `jsonify`.", "Nobody asks for this."]);
    let asked = CritiqueRequest { revise: true, ..request("`Web.check` calls `jsonify`.") };
    let report = house.engine.critique_draft(&house.project, asked).await.expect("a report");
    assert!(report.passed && report.issues.is_empty(), "{report:?}");
    assert_eq!((report.iterations, report.revised.as_deref()), (3, Some("`Web.answer` calls `jsonify`.")));
    assert_eq!(report.model.as_deref(), Some("ollama/writer"));
    let questions = writer.asked.lock().expect("nobody panics").clone();
    assert_eq!(questions.len(), 2);
    assert!(
        questions[0].contains("`Web.check` calls `jsonify`") && questions[0].contains("nowhere"),
        "{}",
        questions[0]
    );

    let (house, _) = with_writer(&["`Web.check` calls `render`."]);
    let asked = CritiqueRequest { revise: true, max_iterations: 2, ..request("`Web.check` calls `jsonify`.") };
    let report = house.engine.critique_draft(&house.project, asked).await.expect("a report");
    assert_eq!((report.passed, report.iterations), (false, 2), "it is told as it stands: {report:?}");
}

#[tokio::test]
async fn without_a_model_the_draft_is_criticised_and_the_fix_is_told() {
    let house = house(SOURCES);
    let asked = CritiqueRequest { revise: true, ..request("`Web.check` calls `jsonify`.") };
    let report = house.engine.critique_draft(&house.project, asked).await.expect("a report");
    assert_eq!((report.passed, report.iterations, report.revised), (false, 1, None));
    assert!(report.degraded[0].contains("no provider of models is configured"), "{:?}", report.degraded);
}

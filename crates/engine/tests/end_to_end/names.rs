//! What a bare name leads to: code before headings, the product before tests, the top before members; then all of them.

use super::house::{House, house};
use engine::{
    ImpactRequest, ReadRequest, RelationDirection, RelationsRequest, SearchRequest, SymbolRequest, TreeCaps, TreeMode,
    TreeRequest,
};
use expect_test::{Expect, expect};

const SOURCES: &[(&str, &str)] = &[
    ("README.md", "# connect\n\nHow to connect to it.\n"),
    ("Makefile", "all: connect\n\nconnect:\n\techo yes\n"),
    ("lib/net.py", "LIMIT = 3\n\n\ndef connect(host: str, port: int = 80) -> bool:\n    return close()\n"),
    ("lib/style.css", ".connect {\n  color: red;\n}\n.close {\n  color: red;\n}\n"),
    ("lib/a.py", "class A:\n    def close(self):\n        pass\n\n    def connect(self):\n        pass\n"),
    ("lib/b.py", "class B:\n    def close(self):\n        return 1\n"),
    ("tests/test_net.py", "def connect():\n    pass\n\n\ndef close():\n    pass\n"),
    ("examples/demo.py", "def connect():\n    pass\n"),
];

impl House {
    async fn read_names(&self, name: &str) -> String {
        let request = ReadRequest { targets: vec![name.to_owned()], ..ReadRequest::default() };
        match self.engine.read(&self.project, request).await {
            Ok(reply) => reply.items.iter().map(engine::ReadItem::render_text).collect(),
            Err(error) => error.to_string(),
        }
    }

    async fn check_name(&self, name: &str, expected: &Expect) {
        expected.assert_eq(&self.read_names(name).await);
    }
}

#[tokio::test]
async fn a_bare_name_is_the_code_of_the_product_at_the_top() {
    let house = house(SOURCES);
    house
        .check_name(
            "connect",
            &expect![[r#"
        ## lib/net.py#connect
        ```
        def connect(host: str, port: int = 80) -> bool:
            return close()
        ```
    "#]],
        )
        .await;
    house
        .check_name(
            "B.close",
            &expect![[r#"
        ## lib/b.py#B.close
        ```
            def close(self):
                return 1
        ```
    "#]],
        )
        .await;
    let request = SymbolRequest { name: "connect".to_owned(), kinds: Vec::new(), path: None, limit: 10 };
    let found = house.engine.find_symbols(&house.project, request).await.expect("symbols");
    let ids: Vec<&str> = found.hits.iter().map(|hit| hit.named.id.as_str()).collect();
    assert_eq!(ids[0], "lib/net.py#connect", "{ids:?}");
    let place = |id: &str| ids.iter().position(|other| *other == id).expect("it is found");
    assert!(place("lib/a.py#A.connect") < place("tests/test_net.py#connect"), "{ids:?}");
    assert!(place("tests/test_net.py#connect") < place("README.md#connect"), "{ids:?}");
}

#[tokio::test]
async fn several_homes_of_a_name_are_all_answered_for_and_marked() {
    let house = house(SOURCES);
    house
        .check_name(
            "close",
            &expect![[r#"
        ## lib/a.py#A.close (one of 2 named close)
        ```
            def close(self):
                pass
        ```
        ## lib/b.py#B.close (one of 2 named close)
        ```
            def close(self):
                return 1
        ```
    "#]],
        )
        .await;
    let request = RelationsRequest {
        symbol: "close".to_owned(),
        only: Vec::new(),
        direction: RelationDirection::Both,
        depth: 1,
        min_confidence: 0.0,
        limit: 50,
        matches: 5,
        mentions: 10,
        to: None,
    };
    let found = house.engine.find_relations(&house.project, request).await.expect("relations");
    let others: Vec<&str> = found.others.iter().map(|home| home.symbol.id.as_str()).collect();
    assert_eq!((found.symbol.id.as_str(), others, found.more), ("lib/a.py#A.close", vec!["lib/b.py#B.close"], 0));
    let request = ImpactRequest { symbols: vec!["close".to_owned()], depth: 1, limit: 9, ..ImpactRequest::default() };
    let touched = house.engine.analyze_impact(&house.project, request).await.expect("an impact");
    assert_eq!(touched.changed.len(), 2);
}

#[tokio::test]
async fn of_very_many_homes_the_first_are_answered_for_and_all_are_counted() {
    let class =
        |at: usize| (format!("lib/c{at}.py"), format!("class C{at}:\n    def close(self):\n        return {at}\n"));
    let files: Vec<(String, String)> = (0..9).map(class).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let read = house(&files).read_names("close").await;
    assert_eq!(read.matches(" (one of 9 named close)\n").count(), 5, "{read}");
}

#[tokio::test]
async fn names_with_offsets_of_other_tools_lead_to_members() {
    let house = house(SOURCES);
    house
        .check_name(
            "lib/a.py:close:13",
            &expect![[r#"
        ## lib/a.py#A.close
        ```
            def close(self):
                pass
        ```
    "#]],
        )
        .await;
}

#[tokio::test]
async fn the_map_of_a_tree_shows_signatures_of_code_types_and_functions_first() {
    let house = house(SOURCES);
    let request = TreeRequest { path: String::new(), mode: TreeMode::Map, caps: TreeCaps::default() };
    let tree = house.engine.build_tree(&house.project, request).await.expect("a tree");
    expect![[r#"
        examples/
          demo.py
          | demo.py: def connect()
        lib/
          a.py  b.py  net.py  style.css
          | a.py: class A
        tests/
          test_net.py
          | test_net.py: def connect()
          | test_net.py: def close()
        Makefile  README.md
        | Makefile: all: connect
        | Makefile: connect
    "#]]
    .assert_eq(&tree.text);
}

#[tokio::test]
async fn what_was_built_is_found_last_where_git_tracks_it() {
    let built = "function measurePulse(rate) {\n  return rate * 60;\n}\n";
    let house = house(&[
        ("dist/pulse.js", built),
        ("pulse.min.js", built),
        ("package-lock.json", "{\n  \"name\": \"measure-pulse\",\n  \"measure\": \"pulse\"\n}\n"),
        ("src/heart.js", "// Something about a pulse.\nfunction beat() {\n  return measure;\n}\n"),
    ]);
    let search = async || {
        let request = SearchRequest { query: "measure pulse".to_owned(), limit: 5, ..SearchRequest::default() };
        let reply = house.engine.search(&house.project, request).await.expect("a reply");
        reply.hits.into_iter().map(|hit| hit.path).collect::<Vec<_>>()
    };
    assert_eq!(search().await, ["src/heart.js"], "nobody tracks what was built");
    for arguments in [&["init", "-q"][..], &["add", "."]] {
        assert!(engine::git_command(&house.project.root).args(arguments).output().expect("git").status.success());
    }
    let mut paths = search().await;
    assert_eq!(paths.remove(0), "src/heart.js");
    paths.sort();
    assert_eq!(paths, ["dist/pulse.js", "package-lock.json", "pulse.min.js"]);
}

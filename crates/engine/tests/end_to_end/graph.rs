//! Questions about how code hangs together, on a small project with a hierarchy, calls over files, and tests.

use super::house::{House, engine_in};
use engine::{
    AffectedSymbol, BriefingRequest, Engine, ExportLine, GraphNeighbour, ImpactRequest, Project, RelationDirection,
    RelationKind, RelationsRequest, SymbolRequest, TreeCaps, TreeMode, TreeRequest,
};
use expect_test::{Expect, expect};
use model::TokenCount;
use std::ops::ControlFlow;
use std::process::Command;

const SOURCES: &[(&str, &str)] = &[
    ("README.md", "# Shop\n\nA small shop that keeps its stock in memory and prints receipts.\n"),
    (
        "pyproject.toml",
        "[project]\nname = 'shop'\n[project.scripts]\nshop = 'shop.main:main'\n[tool.pytest.ini_options]\n",
    ),
    ("shop/__init__.py", "from .stock import Stock\n"),
    (
        "shop/stock.py",
        "class Base:\n    def count(self) -> int:\n        return 0\n\n\nclass Stock(Base):\n    \"\"\"What is on the shelves.\"\"\"\n\n    \
         def count(self) -> int:\n        return self.total()\n\n    def total(self) -> int:\n        return helper(1)\n\n\n\
         def helper(n: int) -> int:\n    return n\n",
    ),
    (
        "shop/main.py",
        "from shop import Stock\n\n\ndef make() -> Stock:\n    return Stock()\n\n\ndef main():\n    stock = make()\n    print(stock.count())\n",
    ),
    ("tests/test_stock.py", "from shop.stock import Stock\n\n\ndef test_count():\n    assert Stock().count() == 1\n"),
];

fn house() -> House {
    super::house::house(SOURCES)
}

fn request(symbol: &str) -> RelationsRequest {
    RelationsRequest {
        symbol: symbol.to_owned(),
        only: Vec::new(),
        direction: RelationDirection::Both,
        depth: 1,
        min_confidence: 0.5,
        limit: 50,
        matches: 5,
        mentions: 10,
        to: None,
    }
}

fn impact_request() -> ImpactRequest {
    ImpactRequest { min_confidence: 0.5, tests: 12, mentions: 10, ..ImpactRequest::default() }
}

impl House {
    async fn relations(&self, request: RelationsRequest) -> String {
        match self.engine.find_relations(&self.project, request).await {
            Ok(found) => {
                let line = |neighbour: &GraphNeighbour| {
                    let GraphNeighbour { relation, named, line, confidence, through, .. } = neighbour;
                    let through = through.as_ref().map(|id| format!(" through {id}")).unwrap_or_default();
                    format!("{} {} line {line} {:.2}{through}\n", relation.as_str(), named.id, confidence.get())
                };
                format!("{}\n{}", found.symbol.id, found.neighbours.iter().map(line).collect::<String>())
            }
            Err(error) => format!("{error}\n{}\n", error.hint().unwrap_or_default()),
        }
    }

    async fn relates(&self, request: RelationsRequest, expected: Expect) {
        expected.assert_eq(&self.relations(request).await);
    }

    async fn impact(&self, request: ImpactRequest, expected: Expect) {
        let impact = self.engine.analyze_impact(&self.project, request).await.expect("an answer");
        let mut told: String = impact.changed.iter().map(|named| format!("changes {}\n", named.id)).collect();
        let tell = |found: &AffectedSymbol| {
            let AffectedSymbol { named, confidence, distance, how, through, lines } = found;
            format!("{} {:.2} {distance}: {how} {through} at {lines:?}\n", named.id, confidence.get())
        };
        told.extend(impact.affected.iter().map(|found| format!("affects {}", tell(found))));
        for test in &impact.tests {
            told.push_str(&format!("test {}\n", test.path));
            told.extend(test.reasons.iter().map(|reason| format!("  {reason:?}\n")));
            told.extend(test.symbols.iter().map(|found| format!("  {}", tell(found))));
        }
        let files = impact.files.iter();
        told.extend(files.map(|(path, confidence)| format!("file {path} {:.2}\n", confidence.get())));
        expected.assert_eq(&told);
    }
}

/// Every definition and edge that an engine tells of a project.
async fn told(engine: &Engine, project: &Project) -> Vec<String> {
    let mut lines = Vec::new();
    let mut take = |line: ExportLine| {
        lines.push(format!("{line:?}"));
        ControlFlow::Continue(())
    };
    engine.export_graph(project, &mut take).await.expect("an export");
    lines
}

#[tokio::test]
async fn after_saves_a_running_engine_answers_like_a_new_one() {
    let house = house();
    assert!(!told(&house.engine, &house.project).await.is_empty());
    let stock = SOURCES[3].1;
    let steps = [
        ("shop/stock.py", Some(stock.replace("helper(1)", "helper(2) + helper(3)"))),
        ("shop/stock.py", Some(format!("def shelf():\n    return Stock().total()\n\n\n{stock}"))),
        (
            "shop/price.py",
            Some("from shop import Stock\n\n\ndef price(of: Stock):\n    return of.total()\n".to_owned()),
        ),
        ("shop/__init__.py", Some("from .price import *\n".to_owned())),
        ("shop/stock.py", None),
        ("shop/stock.py", Some(stock.to_owned())),
        ("pyproject.toml", None),
    ];
    for (path, text) in steps {
        let file = house.project.root.join(path);
        match text {
            Some(text) => fs_err::write(file, text).expect("a file"),
            None => fs_err::remove_file(file).expect("a removal"),
        }
        let other = tempfile::tempdir().expect("a temporary directory");
        let new = engine_in(other.path());
        assert_eq!(told(&house.engine, &house.project).await, told(&new, &house.project).await, "{path}");
    }
}

#[tokio::test]
async fn callers_callees_types_and_hierarchy_are_told_with_their_lines() {
    let house = house();
    house
        .relates(
            request("Stock.count"),
            expect![[r#"
                shop/stock.py#Stock.count
                caller tests/test_stock.py#test_count line 5 1.00
                caller shop/main.py#main line 10 0.90
                callee shop/stock.py#Stock.total line 10 1.00
                overridden shop/stock.py#Base.count line 2 1.00
            "#]],
        )
        .await;
    house
        .relates(
            RelationsRequest { only: vec![RelationKind::Subtype], ..request("Base") },
            expect![[r#"
        shop/stock.py#Base
        subtype shop/stock.py#Stock line 6 1.00
    "#]],
        )
        .await;
    let deep = RelationsRequest { only: vec![RelationKind::Callee], depth: 3, ..request("shop/main.py#main") };
    house
        .relates(
            deep,
            expect![[r#"
        shop/main.py#main
        callee shop/main.py#make line 9 1.00
        callee shop/stock.py#Stock.count line 10 0.90
        callee shop/stock.py#Stock line 5 1.00 through shop/main.py#make
        callee shop/stock.py#Stock.total line 10 0.90 through shop/stock.py#Stock.count
        callee shop/stock.py#helper line 13 0.90 through shop/stock.py#Stock.total
    "#]],
        )
        .await;
    house
        .relates(
            RelationsRequest { direction: RelationDirection::In, ..request("helper") },
            expect![[r#"
        shop/stock.py#helper
        caller shop/stock.py#Stock.total line 13 1.00
    "#]],
        )
        .await;
}

#[tokio::test]
async fn a_symbol_is_found_by_id_handle_place_or_name_and_the_way_to_another_is_shown() {
    let house = house();
    let by_id = house.relations(request("shop/stock.py#helper")).await;
    let found = house.engine.find_relations(&house.project, request("helper")).await.expect("an answer");
    let handle = found.symbol.handle.expect("a handle").to_string();
    let absolute = format!("{}/shop/stock.py:17", house.project.root.display());
    let spelled =
        ["helper()", "stock.helper", "shop\\stock.py:17:5", "shop/stock.py#L17", "shop/stock.py::helper()", &absolute];
    for name in ["helper", &handle, "shop/stock.py:17"].into_iter().chain(spelled) {
        assert_eq!(house.relations(request(name)).await, by_id, "{name}");
    }
    let way = RelationsRequest { to: Some("helper".to_owned()), ..request("shop/main.py#main") };
    house
        .relates(
            way,
            expect![[r#"
        shop/main.py#main
        callee shop/stock.py#Stock.count line 10 0.90
        callee shop/stock.py#Stock.total line 10 0.90 through shop/stock.py#Stock.count
        callee shop/stock.py#helper line 13 0.90 through shop/stock.py#Stock.total
    "#]],
        )
        .await;
    house
        .relates(
            request("count"),
            expect![[r#"
                shop/stock.py#Base.count
                override shop/stock.py#Stock.count line 9 1.00
            "#]],
        )
        .await;
    house
        .relates(
            request("helpr"),
            expect![[r#"
        symbol `helpr` does not exist
        did you mean `shop/stock.py#helper`?
    "#]],
        )
        .await;
    house
        .relates(
            request("@000000000"),
            expect![[r#"
        symbol `@000000000` does not exist
        epitome search finds symbols by words; epitome symbol NAME by a part of the name
    "#]],
        )
        .await;
}

#[tokio::test]
async fn a_change_reaches_what_leans_on_it_and_the_tests() {
    let house = house();
    let symbols = vec!["helper".to_owned()];
    let asked = ImpactRequest { symbols, depth: 3, limit: 30, ..impact_request() };
    house
        .impact(
            asked,
            expect![[r#"
                changes shop/stock.py#helper
                affects shop/stock.py#Stock.total 1.00 1: calls shop/stock.py#helper at [13]
                affects shop/stock.py#Stock.count 1.00 2: calls shop/stock.py#Stock.total at [10]
                affects shop/main.py#main 0.90 3: calls shop/stock.py#Stock.count at [10]
                test tests/test_stock.py
                  Reaches { confidence: Confidence(1.0), distance: 3 }
                  Imports { path: "shop/stock.py", distance: 1 }
                  NamedAfter { path: "shop/stock.py" }
                  tests/test_stock.py#test_count 1.00 3: calls shop/stock.py#Stock.count at [5]
                file shop/stock.py 1.00
                file shop/main.py 0.90
            "#]],
        )
        .await;
}

#[tokio::test]
async fn a_diff_is_a_change_of_the_symbols_it_touches() {
    let house = house();
    let git = |arguments: &[&str]| {
        let names = ["-c", "user.name=a", "-c", "user.email=a@b"];
        let done = Command::new("git").args(names).args(arguments).current_dir(&house.project.root).output();
        assert!(done.expect("git runs").status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    let path = house.project.root.join("shop/stock.py");
    let text = fs_err::read_to_string(&path).expect("a file").replace("return n\n", "return n + 1\n");
    fs_err::write(path, text).expect("a file");
    let diff = Some("HEAD".to_owned());
    let asked = ImpactRequest { diff, depth: 1, limit: 30, ..impact_request() };
    house
        .impact(
            asked.clone(),
            expect![[r#"
                changes shop/stock.py#helper
                affects shop/stock.py#Stock.total 1.00 1: calls shop/stock.py#helper at [13]
                test tests/test_stock.py
                  Reaches { confidence: Confidence(1.0), distance: 3 }
                  Imports { path: "shop/stock.py", distance: 1 }
                  NamedAfter { path: "shop/stock.py" }
                  ChangedWith { path: "shop/stock.py", together: 1, of: 1 }
                  tests/test_stock.py#test_count 1.00 3: calls shop/stock.py#Stock.count at [5]
                file shop/stock.py 1.00
            "#]],
        )
        .await;
    for wrong in ["--output=x", "nowhere", ""] {
        let request = ImpactRequest { diff: Some(wrong.to_owned()), ..asked.clone() };
        let error = house.engine.analyze_impact(&house.project, request).await.expect_err("no such revision");
        assert!(error.to_string().starts_with("`diff` is "), "{error}");
    }
}

#[tokio::test]
async fn names_are_found_exactly_by_their_beginning_and_nearly() {
    let house = house();
    let check = async |name: &str, expected: Expect| {
        let request = SymbolRequest { name: name.to_owned(), kinds: Vec::new(), path: None, limit: 10 };
        let reply = house.engine.find_symbols(&house.project, request).await.expect("an answer");
        let line = |hit: &engine::SymbolHit| {
            format!("{} {} {:?} {:?}\n", hit.fit, hit.named.id, hit.parts.parameters, hit.doc)
        };
        expected.assert_eq(&reply.hits.iter().map(line).collect::<String>());
    };
    check(
        "Stock",
        expect![[r#"
        exact shop/stock.py#Stock [] Some("What is on the shelves.")
    "#]],
    )
    .await;
    check(
        "Stock.count",
        expect![[r#"
        exact shop/stock.py#Stock.count ["self"] None
    "#]],
    )
    .await;
    check(
        "help",
        expect![[r#"
        prefix shop/stock.py#helper ["n: int"] None
    "#]],
    )
    .await;
    check(
        "hepler",
        expect![[r#"
        near shop/stock.py#helper ["n: int"] None
    "#]],
    )
    .await;
    check("nothing_like_it", expect![[""]]).await;
}

#[tokio::test]
async fn the_project_is_introduced_by_its_tree_and_on_one_page() {
    let house = house();
    let request = TreeRequest { path: String::new(), mode: TreeMode::Map, caps: TreeCaps::default() };
    let tree = house.engine.build_tree(&house.project, request).await.expect("a tree");
    expect![[r#"
        shop/
          __init__.py  main.py  stock.py
          | stock.py: class Base
          | stock.py: class Stock(Base)
          | stock.py: def helper(n: int) -> int
        tests/
          test_stock.py
          | test_stock.py: def test_count()
        README.md  pyproject.toml
        | README.md: # Shop
    "#]]
    .assert_eq(&tree.text);
    let page = house
        .engine
        .build_briefing(&house.project, BriefingRequest { budget: TokenCount(1_500) })
        .await
        .expect("a page");
    expect![[r#"
        About:
          A small shop that keeps its stock in memory and prints receipts.
        Languages:
          python 4 files, 33 lines
          toml 1 file, 5 lines
          markdown 1 file, 3 lines
        Starts at:
          shop/main.py#main (named by pyproject.toml: shop)
        Leans on:
          shop/stock.py: Stock, Base, helper
          shop/main.py: make, main
        Build, test, run:
          pytest  (pyproject.toml)
        Tests:
          1 file
    "#]]
    .assert_eq(&page.text);
    let short =
        house.engine.build_briefing(&house.project, BriefingRequest { budget: TokenCount(60) }).await.expect("a page");
    assert!(short.tokens.0 <= 60, "{}", short.text);
}

//! Reading at every size: what is left out comes back by its handle, and bad input gets an answer.

use super::house::{House, house};
use engine::{
    ErrorKind, Freshness, IndexRequest, ModeChoice, NullObserver, OmissionReason, ReadItem, ReadReply, ReadRequest,
    ViewMode,
};
use expect_test::{Expect, expect};
use model::{SymbolHandle, SymbolId, TokenCount, count_tokens};
use syntax::{HiddenRange, ViewPiece};

impl House {
    async fn ask(&self, targets: &[&str], mode: ModeChoice, budget: Option<u32>) -> engine::Result<ReadReply> {
        let targets = targets.iter().map(|target| (*target).to_owned()).collect();
        let budget = budget.map(TokenCount);
        let request = ReadRequest { targets, mode: Some(mode), budget, ..ReadRequest::default() };
        self.engine.read(&self.project, request).await
    }

    async fn read(&self, target: &str, mode: ViewMode) -> ReadItem {
        let reply = self.ask(&[target], ModeChoice::Fixed(mode), None).await;
        reply.expect("a reply").items.remove(0)
    }

    /// The item's text with everything put back, each piece read by its handle.
    async fn restore(&self, item: &ReadItem) -> String {
        let mut hidden = Vec::new();
        for piece in syntax::split_view(item.text.as_bytes()) {
            match piece {
                ViewPiece::Kept(_) => {}
                ViewPiece::Cut(HiddenRange::Lines(lines)) => {
                    let handle = format!("{}:{}-{}", item.path, lines.start, lines.end);
                    hidden.push(self.read(&handle, ViewMode::Raw).await.text);
                }
                ViewPiece::Cut(HiddenRange::Bytes { start, end }) => {
                    let rest = self.read(&format!("{}@{start}-{end}", item.path), ViewMode::Raw).await;
                    hidden.push(Box::pin(self.restore(&rest)).await);
                }
            }
        }
        let mut hidden = hidden.into_iter();
        let next = |_| hidden.next().map(String::into_bytes).ok_or("one text for each piece");
        String::from_utf8(syntax::restore_view(item.text.as_bytes(), next).expect("whole")).expect("text")
    }

    async fn check_error(&self, target: &str, kind: ErrorKind, expected: &Expect) {
        let error = self.ask(&[target], ModeChoice::Auto, None).await.expect_err(target);
        assert_eq!(error.kind(), kind, "{error}");
        expected.assert_eq(&error.to_string());
    }
}

fn class(methods: usize) -> String {
    let method = |n: usize| {
        format!(
            "    def method_{n}(self, value):\n        \"\"\"Does the thing number {n}.\"\"\"\n        total = value + {n}\n        \
             for other in range(total):\n            total += self.weigh(other, value)\n        return total\n\n"
        )
    };
    let methods: String = (0..methods).map(method).collect();
    format!("import math\n\n\nclass Scale:\n    unit = 'kg'\n\n{methods}\ndef weigh():\n    return Scale()\n")
}

#[tokio::test]
async fn every_cut_is_read_back_by_its_handle() {
    let house = house(&[]);
    let text = class(6);
    house.write("src/scale.py", &text);
    for (target, whole) in [
        ("src/scale.py", text.clone()),
        ("src/scale.py#Scale", house.read("src/scale.py#Scale", ViewMode::Raw).await.text),
        ("src/scale.py:7-30", text.split_inclusive('\n').skip(6).take(24).collect()),
    ] {
        let item = house.read(target, ViewMode::Aggressive).await;
        assert!(item.text.len() * 3 < whole.len() * 2, "{}", item.text);
        assert_eq!((item.mode, item.original_bytes), (ViewMode::Aggressive, whole.len() as u64));
        assert_eq!(house.restore(&item).await, whole, "{target}");
    }
}

#[tokio::test]
async fn a_class_is_shown_as_its_skeleton() {
    let house = house(&[]);
    house.write("src/scale.py", class(2));
    let item = house.read("src/scale.py#Scale", ViewMode::Aggressive).await;
    expect![[r#"
        class Scale:
            unit = 'kg'

            def method_0(self, value):
                """Does the thing number 0."""
        …:9-13 #Scale.method_0 (left out: read src/scale.py:9-13)
            def method_1(self, value):
                """Does the thing number 1."""
        …:16-19 #Scale.method_1
    "#]]
    .assert_eq(&item.text);
    expect![[r#"
        src/scale.py:4-19 (16 lines; ids like …#Scale.method_0)
        4-19 class Scale
          7-12 def method_0(self, value)
          14-19 def method_1(self, value)
    "#]]
    .assert_eq(&house.read("src/scale.py#Scale", ViewMode::Map).await.text);
}

#[tokio::test]
async fn a_budget_shows_less_of_later_items_and_names_the_rest() {
    let house = house(&[]);
    house.write("src/scale.py", class(40));
    house.write("src/small.py", "def small():\n    return 1\n");
    let targets = ["src/small.py", "src/scale.py", "src/scale.py#Scale.method_3", "src/small.py"];
    let mut seen = Vec::new();
    for budget in [10_000, 1_600, 700, 100, 64] {
        let reply = house.ask(&targets, ModeChoice::Fixed(ViewMode::Raw), Some(budget)).await.expect("a reply");
        let written: String = reply.items.iter().map(ReadItem::render_text).collect();
        assert!(count_tokens(&written) <= TokenCount(budget), "{budget}: {written}");
        assert_eq!(reply.items.len() + reply.omitted.len(), targets.len());
        let modes: Vec<&str> = reply.items.iter().map(|item| item.mode.as_str()).collect();
        let omitted =
            reply.omitted.iter().filter(|omitted| matches!(omitted.why, OmissionReason::Budget { .. })).count();
        seen.push(format!("{budget}: {} and {omitted} named\n", modes.join(" ")));
    }
    expect![[r#"
        10000: raw raw raw raw and 0 named
        1600: raw aggressive raw raw and 0 named
        700: raw map raw raw and 0 named
        100: raw raw and 2 named
        64: raw raw and 2 named
    "#]]
    .assert_eq(&seen.concat());
}

#[tokio::test]
async fn one_bad_target_keeps_back_no_other() {
    let house = house(&[]);
    house.write("src/a.py", "A = 1\n");
    let reply = house.ask(&["src/none.py", "src/a.py", "../x"], ModeChoice::Auto, None).await.expect("a reply");
    assert_eq!(reply.items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>(), ["A = 1\n"]);
    let failed: Vec<&str> = reply.omitted.iter().map(|omitted| omitted.id.as_str()).collect();
    assert_eq!(failed, ["src/none.py", "../x"]);
    let error = house.ask(&["src/none.py", "../x"], ModeChoice::Auto, None).await.expect_err("nothing to show");
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn an_item_says_whether_the_index_knows_it() {
    let house = house(&[]);
    house.write("src/scale.py", class(1));
    let freshness = async || house.read("src/scale.py", ViewMode::Raw).await.freshness;
    assert_eq!(freshness().await, Freshness::Unindexed);
    house.engine.index_project(&house.project, IndexRequest::default(), &NullObserver).await.expect("an index");
    assert_eq!(freshness().await, Freshness::Fresh);
    house.write("src/scale.py", class(2));
    assert_eq!(freshness().await, Freshness::Edited);
    fs_err::remove_file(house.project.root.join("src/scale.py")).expect("removed");
    let gone = house.read("src/scale.py", ViewMode::Raw).await;
    assert_eq!((gone.freshness, gone.mode), (Freshness::Stale, ViewMode::Map));
    expect![[r#"
        src/scale.py (as last indexed; it cannot be read now)
        4-12 class Scale
          7-12 def method_0(self, value)
        15-16 def weigh()
    "#]]
    .assert_eq(&gone.text);
}

const LOGIN: &str = "\
from model import Credentials, Session
from crypto import digest


def login(given: Credentials) -> Session:
    return open_session(given.name, digest(given.password))


def open_session(name, digest):
    return Session(name)
";

#[tokio::test]
async fn with_a_symbol_comes_what_it_depends_on_types_first() {
    let house = house(&[]);
    house.write("login.py", LOGIN);
    house.write("crypto.py", "import base\n\n\ndef digest(text):\n    return base.mix(text)\n");
    house.write("base.py", "def mix(text):\n    return text\n\n\ndef unused():\n    pass\n");
    house.write(
        "model.py",
        "class Credentials:\n    name: str\n    password: str\n\n\nclass Session:\n    def __init__(self, name):\n        self.name = name\n",
    );
    let told = async |depth, budget: Option<u32>| {
        let targets = vec!["login.py#login".to_owned()];
        let request = ReadRequest { targets, depth, budget: budget.map(TokenCount), ..ReadRequest::default() };
        let reply = house.engine.read(&house.project, request).await.expect("a reply");
        let why = |item: &ReadItem| match &item.relation {
            Some((relation, of)) => format!("{} of {of}", relation.as_str()),
            None => "asked for".to_owned(),
        };
        let items = reply.items.iter().map(|item| format!("{} ({})\n", item.id, why(item)));
        items.chain(reply.omitted.iter().map(|omitted| format!("{} omitted\n", omitted.id))).collect::<String>()
    };
    expect![[r#"
        login.py#login (asked for)
    "#]]
    .assert_eq(&told(0, None).await);
    expect![[r#"
        login.py#login (asked for)
        model.py#Credentials (type of login.py#login)
        model.py#Session (type of login.py#login)
        crypto.py#digest (callee of login.py#login)
        login.py#open_session (callee of login.py#login)
    "#]]
    .assert_eq(&told(1, None).await);
    expect![[r#"
        login.py#login (asked for)
        model.py#Credentials (type of login.py#login)
        model.py#Session (type of login.py#login)
        crypto.py#digest (callee of login.py#login)
        login.py#open_session (callee of login.py#login)
        base.py#mix (callee of crypto.py#digest)
    "#]]
    .assert_eq(&told(2, None).await);
    expect![[r#"
        login.py#login (asked for)
        model.py#Credentials (type of login.py#login)
        model.py#Session (type of login.py#login)
        crypto.py#digest omitted
        login.py#open_session omitted
        base.py#mix omitted
    "#]]
    .assert_eq(&told(2, Some(120)).await);
}

#[tokio::test]
async fn a_handle_names_a_symbol() {
    let house = house(&[]);
    house.write("login.py", LOGIN);
    let handle = SymbolHandle::from_symbol(&SymbolId::new("login.py", "open_session")).to_string();
    let item = house.read(&handle, ViewMode::Raw).await;
    assert_eq!((item.id.as_str(), item.lines.map(|lines| lines.start)), ("login.py#open_session", Some(9)));
    let error = house.ask(&["@000000001"], ModeChoice::Auto, None).await.expect_err("no such handle");
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[tokio::test]
async fn what_cannot_be_read_says_what_to_do() {
    let house = house(&[]);
    house.write("src/a.py", "A = 1\n");
    house.write("logo.png", [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff"[..], &[0xfe; 64]].concat());
    house.write("wide.txt", b"\xff\xfea\0b\0\xe9\0\n\0\0");
    house
        .check_error(
            "src",
            ErrorKind::Invalid,
            &expect!["`targets` names `src`, which is a directory: name its files (a.py)"],
        )
        .await;
    house
        .check_error(
            "logo.png",
            ErrorKind::Invalid,
            &expect!["`targets` names `logo.png`, which is not text (81 bytes): open it with a tool for its format"],
        )
        .await;
    house.check_error("wide.txt", ErrorKind::Invalid, &expect!["`targets` names `wide.txt`, which is text in UTF-16, damaged or too large (11 bytes): convert it, for example with iconv -f UTF-16 -t UTF-8"]).await;
    house.check_error("none.txt", ErrorKind::NotFound, &expect!["file `none.txt` does not exist"]).await;
    house
        .check_error(
            "src/a.py@9-12",
            ErrorKind::Invalid,
            &expect!["`targets` asks for byte 9 of src/a.py, which has 6"],
        )
        .await;
    house
        .check_error(
            "src/a.py@12-9",
            ErrorKind::Invalid,
            &expect!["`targets` has `12-9` for bytes: write 0-4096, counting from 0, the second one not included"],
        )
        .await;
    house
        .check_error(
            "src/a.py:3-1",
            ErrorKind::Invalid,
            &expect!["`targets` has `3-1` for lines: write 10-20, counting from 1"],
        )
        .await;
}

#[tokio::test]
async fn any_text_comes_through_as_it_is() {
    let house = house(&[]);
    for text in ["", "\n", "a\r\nb", "a\0b\n", "\t\u{feff}é\u{1}\n", "…:1-2\n", "no end"] {
        house.write("src/odd.py", text);
        for mode in [ViewMode::Raw, ViewMode::Lightweight, ViewMode::Aggressive] {
            let item = house.read("src/odd.py", mode).await;
            assert_eq!((item.text.as_str(), item.lossy), (text, false), "{mode:?}");
        }
    }
}

#[tokio::test]
async fn of_a_huge_file_a_window_is_shown_and_the_rest_is_named() {
    let house = house(&[]);
    let path = house.project.root.join("huge.log");
    house.write("huge.log", "é".repeat(50_000));
    // One line of forty megabytes; sparse, so it costs no disk.
    fs_err::OpenOptions::new().write(true).open(&path).expect("a file").set_len(40 << 20).expect("a large file");
    let item = house.read("huge.log", ViewMode::Aggressive).await;
    assert_eq!((item.mode, item.original_bytes, item.lossy), (ViewMode::Raw, 40 << 20, false));
    assert!(item.text.len() < 70_000);
    let marker = item.text.lines().last().expect("a marker");
    expect!["…@65536-41943040 left out of 41943040 bytes; read huge.log@65536-41943040"].assert_eq(marker);
    let next = house.read("huge.log@65536-65540", ViewMode::Raw).await;
    assert_eq!(next.text, "éé");
    let line = house.read("huge.log:1", ViewMode::Raw).await;
    assert_eq!(line.text, item.text);
    house
        .check_error(
            "huge.log:2-3",
            ErrorKind::Invalid,
            &expect!["`targets` asks for line 2 of huge.log, which has fewer"],
        )
        .await;
    house
        .check_error(
            "huge.log#a",
            ErrorKind::Invalid,
            &expect!["`targets` names a symbol of huge.log, which is too large to parse: name lines"],
        )
        .await;

    // Short enough to be read at once, too long to be shown at once: every byte is reached all the same.
    let text: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
    house.write("long.log", &text);
    let item = house.read("long.log", ViewMode::Raw).await;
    assert!(item.text.len() < 70_000);
    assert!(house.restore(&item).await == text);
}

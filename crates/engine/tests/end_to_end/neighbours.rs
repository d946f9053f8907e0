//! A clear answer of `context` is whole before anything else is shown; with `depth`, what it calls and what calls it comes
//! after it, in shorter form.

use super::house::{House, house};
use engine::{AnswerItem, AnswerQuery, ErrorKind, IngestRequest, ItemOrigin, PackedAnswer};
use model::{MessagePart, MessageRole, NewMessage, TokenCount, count_tokens};

const QUESTION: &str = "how is an open invoice settled";

/// A function that fits the question, what it calls and what calls it under names that the question has no word of, and
/// many functions that share a word with it.
fn office() -> House {
    let padding = |name: &str| -> String {
        (0..12)
            .map(|at| {
                format!("\n\ndef {name}_{at}(value):\n    \"\"\"Says {name} {at}.\"\"\"\n    return value * {at}\n")
            })
            .collect()
    };
    let steps = |name: &str| -> String { (0..20).map(|at| format!("    {name}_{at} = len(str({at}))\n")).collect() };
    let settle = "def settle_invoice(invoice, book):\n    \"\"\"Settles an open invoice.\"\"\"\n    total = \
                  round_amount(invoice.total)\n    return post_entry(book, total)\n";
    let round = "def round_amount(value):\n    \"\"\"Two digits.\"\"\"\n    return round(value, 2)\n";
    let post = format!(
        "def post_entry(\n    book,\n    amount,\n):\n    \"\"\"Writes a line.\n\n    Slowly.\n    \"\"\"\n{}    return book\n",
        steps("step")
    );
    let close = format!(
        "\n\ndef close_month(book):\n    \"\"\"Ends a month.\"\"\"\n{}    return pay(book.first, book)\n",
        steps("day")
    );
    let imports = "from src.ledger import post_entry\nfrom src.money import round_amount\n\n\n";
    let others: Vec<(String, String)> = (0..8)
        .map(|at| {
            (
                format!("src/other_{at}.py"),
                format!("{}{}", "\"\"\"Others.\"\"\"\n", padding(&format!("open_invoice_{at}"))),
            )
        })
        .collect();
    let files = [
        ("src/bills.py", format!("{imports}{settle}{}", padding("paper"))),
        ("src/money.py", format!("\"\"\"Numbers.\"\"\"\n\n\n{round}{}", padding("digit"))),
        ("src/ledger.py", format!("\"\"\"Books.\"\"\"\n\n\n{post}{}", padding("page"))),
        ("src/month.py", format!("from src.bills import settle_invoice as pay\n{}{close}", padding("week"))),
    ];
    let others = others.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    house(&files.iter().map(|(path, text)| (*path, text.as_str())).chain(others).collect::<Vec<_>>())
}

async fn ask(house: &House, depth: impl Into<Option<u32>>, budget: u32) -> PackedAnswer {
    let query = QUESTION.to_owned();
    let depth = depth.into();
    let request = AnswerQuery { query, budget: TokenCount(budget), depth, anyway: true, ..AnswerQuery::default() };
    house.engine.build_answer(&house.project, request).await.expect("an answer")
}

fn item<'c>(context: &'c PackedAnswer, text: &str) -> Option<&'c AnswerItem> {
    context.items.iter().find(|item| item.text.contains(text))
}

#[tokio::test]
async fn what_the_answer_calls_comes_after_it_whole_where_short_and_else_by_its_head() {
    let house = office();
    let alone = ask(&house, 0, 500).await;
    assert!(item(&alone, "def settle_invoice").is_some(), "{}", alone.text);
    for name in ["def round_amount", "def post_entry", "def close_month"] {
        assert!(item(&alone, name).is_none(), "{name}: {}", alone.text);
    }
    let with = ask(&house, 1, 500).await;
    assert!(with.items[0].text.contains("def settle_invoice"), "{}", with.text);
    let short = item(&with, "def round_amount").expect("a callee of three lines");
    assert!(short.text.contains("return round(value, 2)"), "{}", short.text);
    assert_eq!(short.why, "callee of src/bills.py#settle_invoice");
    let long = item(&with, "def post_entry").expect("a long callee");
    assert_eq!(long.text, "def post_entry(\n    book,\n    amount,\n):\n    \"\"\"Writes a line.\n");
    let caller = item(&with, "def close_month").expect("a caller");
    assert_eq!(caller.text, "def close_month(book):\n    \"\"\"Ends a month.\"\"\"\n");
    assert_eq!(caller.why, "caller of src/bills.py#settle_invoice");
    assert!(with.tokens > TokenCount(400), "the rest of the budget is used: {}", with.text);
}

#[tokio::test]
async fn a_large_budget_brings_neighbours_unless_none_are_wanted() {
    let house = office();
    let is_caller = |context: &PackedAnswer| context.items.iter().any(|item| item.why.starts_with("caller of"));
    assert!(!is_caller(&ask(&house, None, 2_999).await), "a small budget is for regions");
    assert!(is_caller(&ask(&house, None, 3_000).await));
    assert!(!is_caller(&ask(&house, 0, 3_000).await), "none were wanted");
    let query = format!("{QUESTION}\n\nIt stops in the middle of the month.");
    let report = AnswerQuery { query, budget: TokenCount(3_000), anyway: true, ..AnswerQuery::default() };
    let report = house.engine.build_answer(&house.project, report).await.expect("an answer");
    assert!(!is_caller(&report), "a report is for regions: {}", report.text);
}

#[tokio::test]
async fn neighbours_keep_to_the_budget_and_are_shown_once() {
    let house = office();
    for budget in [120, 200, 300, 500, 1_000, 4_000] {
        let context = ask(&house, 2, budget).await;
        assert!(count_tokens(&context.text) <= TokenCount(budget), "{budget}: {}", context.text);
        for name in ["def settle_invoice", "def round_amount", "def post_entry", "def close_month"] {
            assert!(context.text.matches(name).count() <= 1, "{name} at {budget}: {}", context.text);
        }
    }
}

#[tokio::test]
async fn a_depth_that_nobody_needs_is_refused() {
    let house = office();
    let query = QUESTION.to_owned();
    let request = AnswerQuery { query, budget: TokenCount(500), depth: Some(4), ..AnswerQuery::default() };
    let error = house.engine.build_answer(&house.project, request).await.expect_err("too deep");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains("from 0 to 3"), "{error}");
}

#[tokio::test]
async fn a_clear_answer_is_whole_before_what_was_said_or_a_second_place() {
    let steps: String = (0..24).map(|at| format!("    ledger.append(zebra.weigh({at}))\n")).collect();
    let answer = format!(
        "def weigh_zebras(ledger):\n    \"\"\"Weighs every zebra into the ledger.\"\"\"\n{steps}    return ledger\n"
    );
    let others: String = (0..12).map(|at| format!("\n\ndef feed_{at}(zebra):\n    return zebra + {at}\n")).collect();
    let house = house(&[("src/zoo.py", &format!("{answer}{others}"))]);
    let text = "Zebras go into the ledger by themselves, said the keeper, and every zebra of the ledger agreed to it. ";
    let message = NewMessage {
        external_id: None,
        role: MessageRole::User,
        speaker: None,
        session: None,
        at: None,
        metadata: None,
        parts: vec![MessagePart::Text { text: text.to_owned() }],
        part_marks: model::PartMarks::default(),
    };
    let project = Some(house.project.clone());
    let request = IngestRequest { conversation: "zoo".to_owned(), project, messages: vec![message] };
    house.engine.ingest_messages(request).await.expect("it is stored");
    let ask = async |budget: u32| {
        let query = "how does weigh_zebras weigh every zebra into the ledger".to_owned();
        let request = AnswerQuery { query, budget: TokenCount(budget), ..AnswerQuery::default() };
        house.engine.build_answer(&house.project, request).await.expect("an answer")
    };
    let is_said = |context: &PackedAnswer| context.items.iter().any(|item| item.origin == ItemOrigin::Conversation);
    let is_whole = |context: &PackedAnswer| item(context, "return ledger").is_some();
    assert!(is_said(&ask(1_000).await) && is_whole(&ask(1_000).await), "there is room for both");
    let whole: Vec<u32> = (200..600).step_by(10).collect();
    let mut first_whole = None;
    for budget in whole {
        let context = ask(budget).await;
        if is_whole(&context) {
            first_whole.get_or_insert((budget, is_said(&context), context.text));
        }
    }
    let (_, said, text) = first_whole.expect("it fits before 600");
    assert!(!said, "what was said waits until the answer is whole: {text}");
}

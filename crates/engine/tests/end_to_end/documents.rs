//! Documents: found by what they are called and by their headings, beside code where somebody asks how, and told as such.

use super::house::{House, house};
use engine::{AnswerQuery, ItemOrigin, PackedAnswer, SearchHit, SearchRequest};
use model::TokenCount;

/// Six modules that all speak of carts, and documents of every kind about them.
fn shop(more: &[(&str, &str)]) -> House {
    let module = |at: usize| {
        (
            format!("src/carts/cart_{at}.py"),
            format!(
                "\"\"\"Carts and checkout, part {at}.\"\"\"\n\n\ndef checkout_cart_{at}(cart):\n    \"\"\"Checks out a cart with \
                 its currency.\"\"\"\n    return cart.currency + {at}\n"
            ),
        )
    };
    let modules: Vec<(String, String)> = (0..6).map(module).collect();
    let mut files: Vec<(&str, &str)> = modules.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.extend_from_slice(more);
    house(&files)
}

const GUIDE: &str = "Shop\n====\n\nWords about the shop.\n\nChecking out carts\n------------------\n\nA cart is checked out with its currency: choose \
                     the currency, then call checkout.\nThe receipt follows.\n";

async fn search(house: &House, query: &str) -> Vec<SearchHit> {
    let request = SearchRequest { query: query.to_owned(), limit: 10, ..SearchRequest::default() };
    house.engine.search(&house.project, request).await.expect("an answer").hits
}

async fn context(house: &House, query: &str, budget: u32) -> PackedAnswer {
    let request =
        AnswerQuery { query: query.to_owned(), budget: TokenCount(budget), anyway: true, ..AnswerQuery::default() };
    house.engine.build_answer(&house.project, request).await.expect("an answer")
}

/// What speaks against a result, by name.
fn against(hit: &SearchHit) -> Vec<&str> {
    hit.parts.iter().filter(|part| part.worth < 0.0).map(|part| part.name).collect()
}

#[tokio::test]
async fn at_most_one_thing_speaks_against_a_document() {
    for path in
        ["docs/guide.rst", "docs/guide.md", "docs/guide.adoc", "docs/guide.txt", "docs/guide.org", "examples/README"]
    {
        let house = shop(&[(path, GUIDE)]);
        let hits = search(&house, "receipt of currency").await;
        let hit = hits.iter().find(|hit| hit.path == path).unwrap_or_else(|| panic!("{path} is not found"));
        assert!(hit.is_prose, "{path}");
        assert_eq!(against(hit), ["prose"], "{path}");
    }
}

#[tokio::test]
async fn nothing_speaks_against_a_document_whose_name_or_heading_is_spelled() {
    let house = shop(&[("docs/guide.rst", GUIDE), ("docs/receipts.rst", "Papers\n======\n\nWhat a receipt has.\n")]);
    for (query, path) in [("checking out carts", "docs/guide.rst"), ("receipts", "docs/receipts.rst")] {
        let hits = search(&house, query).await;
        let hit = hits.iter().find(|hit| hit.path == path).unwrap_or_else(|| panic!("{path} is not found"));
        assert_eq!(against(hit), [] as [&str; 0], "{query}");
    }
    let hits = search(&house, "currency of a cart").await;
    let hit = hits.iter().find(|hit| hit.path == "docs/guide.rst").expect("it has the words");
    assert_eq!(against(hit), ["prose"]);
}

#[tokio::test]
async fn who_asks_how_finds_a_document_among_the_first_five_and_in_the_answer() {
    let house = shop(&[("docs/guide.rst", GUIDE)]);
    let place = |hits: &[SearchHit]| hits.iter().position(|hit| hit.is_prose);
    let asked = search(&house, "how does a cart get its currency at checkout").await;
    assert!(place(&asked).is_some_and(|at| at < 5), "{:?}", place(&asked));
    // Whoever looks for a place gets code first.
    let found = search(&house, "cart currency checkout").await;
    assert!(place(&found).is_none_or(|at| at >= 5), "{:?}", place(&found));
    for budget in [200, 400, 4_000] {
        let answer = context(&house, "how does a cart get its currency at checkout", budget).await;
        let documents: Vec<&str> = answer
            .items
            .iter()
            .filter(|item| item.origin == ItemOrigin::Document)
            .map(|item| item.source.as_str())
            .collect();
        assert_eq!(documents, ["docs/guide.rst:1-10"], "{budget}: {:?}", answer.text);
    }
    // Where the best section is too long for the budget, another one is shown.
    let long = format!(
        "{}{}",
        &GUIDE[GUIDE.find("Checking").expect("it is there")..],
        "Cart, currency and checkout.\n".repeat(45)
    );
    let short = "Currencies\n----------\n\nThe checkout of a cart takes its currency from the shop.\nIt is\nthe\nsame\nfor\nall.\n";
    let house = shop(&[("docs/guide.rst", &format!("{long}\n{short}"))]);
    let answer = context(&house, "how does a cart get its currency at checkout", 200).await;
    assert!(answer.items.iter().any(|item| item.origin == ItemOrigin::Document), "{:?}", answer.text);
    // A document that has too few of the words does not push anything aside.
    let house = shop(&[("docs/guide.rst", "Shop\n====\n\nWords about the cart.\n")]);
    let asked = search(&house, "how does a cart get its currency at checkout").await;
    assert!(place(&asked).is_none_or(|at| at >= 5), "{:?}", place(&asked));
}

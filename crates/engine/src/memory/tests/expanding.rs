//! Tests of expanding summaries to their messages: within token budgets, through continuation handles, and under grants
//! for delegates.

use super::{House, house};
use crate::memory::tests::conversation_builder::ConversationBuilder;
use crate::memory::tests::generated_conversation::generate_conversation;
use crate::memory::{ExpandRequest, ExpandedItem, ExpandedKind, Expansion, GrantRequest, MemorySettings};
use expect_test::expect;
use model::{SummaryId, TokenCount, count_tokens};
use std::time::Duration;

fn request(id: &str, budget: u32) -> ExpandRequest {
    ExpandRequest { id: id.to_owned(), depth: 1, messages: false, budget: Some(TokenCount(budget)), grant: None }
}

async fn expand(house: &House, request: ExpandRequest) -> Expansion {
    house.engine.expand_summary(request).await.expect("expands")
}

async fn error(house: &House, request: ExpandRequest) -> String {
    house.engine.expand_summary(request).await.expect_err("it is refused").to_string()
}

/// Follows handles to the end and puts the pieces of every message together again.
async fn followed(house: &House, mut request: ExpandRequest) -> Vec<(u64, String)> {
    let mut whole: Vec<(u64, String)> = Vec::new();
    let budget: TokenCount = request.budget.expect("there is one");
    loop {
        let page = expand(house, request.clone()).await;
        let written: String =
            page.items.iter().map(ExpandedItem::render_item).chain(page.continuation_line()).collect();
        assert!(count_tokens(&written) <= budget, "more than {budget}: {written}");
        assert!(!page.items.is_empty(), "a page without progress");
        for item in page.items {
            let ExpandedItem { of: ExpandedKind::Message(message), text, start, .. } = item else { continue };
            match whole.last_mut() {
                Some((seq, before)) if *seq == message.seq => {
                    assert_eq!(before.len(), start, "no byte twice, none left out");
                    before.push_str(&text);
                }
                _ => whole.push((message.seq, text)),
            }
        }
        let Some(next) = page.continue_with else { return whole };
        request.id = next;
    }
}

async fn folded(seed: u64) -> (House, Vec<String>, SummaryId) {
    let house = house(MemorySettings { leaf_chunk_tokens: TokenCount(4_000), ..MemorySettings::default() });
    let story = generate_conversation(seed, 50_000);
    house.told("c", &story).await;
    house.sweep("c").await;
    let context = house.engine.store.active_context(&crate::memory::conversation_id("c")).await.expect("reads");
    let top = context.summaries.iter().max_by_key(|summary| summary.depth).expect("it is folded").id.clone();
    (house, story.talk.messages.iter().map(|message| message.body.content()).collect(), top)
}

#[tokio::test]
async fn handles_lead_to_every_byte_once_whatever_the_budget() {
    let (house, told, top) = folded(1).await;
    let summary = house.engine.store.load_summary(&top).await.expect("reads").expect("it exists");
    assert!(summary.depth > 0);
    for budget in [90, 150, 2_000, 100_000] {
        let request = ExpandRequest { depth: 9, messages: true, ..request(top.as_str(), budget) };
        let whole = followed(&house, request).await;
        let wanted: Vec<(u64, String)> =
            (summary.range.first..=summary.range.last).map(|seq| (seq, told[seq as usize - 1].clone())).collect();
        assert_eq!(whole, wanted, "{budget}");
    }
}

#[tokio::test]
async fn one_level_is_the_summaries_below_and_a_leaf_is_its_messages() {
    let (house, _, top) = folded(2).await;
    let summary = house.engine.store.load_summary(&top).await.expect("reads").expect("it exists");
    let below = expand(&house, request(top.as_str(), 1_000_000)).await;
    let ids: Vec<String> = below
        .items
        .iter()
        .filter_map(
            |item| if let ExpandedKind::Summary(summary) = &item.of { Some(summary.id.to_string()) } else { None },
        )
        .collect();
    assert_eq!(ids, summary.covers.iter().map(ToString::to_string).collect::<Vec<_>>());
    let leaf = expand(&house, request(&ids[0], 1_000_000)).await;
    assert!(leaf.items.iter().all(|item| matches!(item.of, ExpandedKind::Message(_))) && !leaf.items.is_empty());
}

#[tokio::test]
async fn a_message_is_expanded_by_its_id_and_in_pieces() {
    let house = house(MemorySettings::default());
    let text = "数据库 und mehr, Zeile um Zeile.\n".repeat(300);
    house.hear("c", &ConversationBuilder::new().user(&text).messages).await;
    let id =
        house.engine.store.load_messages(&crate::memory::conversation_id("c"), store::MessageWindow::Last(1)).await;
    let id = id.expect("reads").remove(0).id;
    assert_eq!(followed(&house, request(id.as_str(), 100)).await, [(1, text.clone())]);
    assert_eq!(followed(&house, request(id.as_str(), 64)).await, [(1, text)]);
}

#[tokio::test]
async fn what_is_no_summary_is_said() {
    let house = house(MemorySettings::default());
    expect!["`id` is `nonsense`: expand takes the id of a summary (`sum_…`) or a message (`msg_…`), the place of a message (`conversation#8`), or what `continue_with` of an earlier reply says"]
        .assert_eq(&error(&house, request("nonsense", 64)).await);
    expect![
        "`id` is `msg_0123`, which is no id of a message, nor the beginning of one: `msg_` and 16 hexadecimal digits"
    ]
    .assert_eq(&error(&house, request("msg_0123", 64)).await);
    expect!["summary or message `sum_0123456789abcdef` does not exist"]
        .assert_eq(&error(&house, request("sum_0123456789abcdef", 64)).await);
    expect!["`id` `sum_0123456789abcdef.x.1.1` is no handle"]
        .assert_eq(&error(&house, request("sum_0123456789abcdef.x.1.1", 64)).await);
}

#[tokio::test]
async fn a_grant_bounds_what_a_delegate_may_expand() {
    let (house, _, top) = folded(3).await;
    house.told("other", &generate_conversation(9, 30_000)).await;
    house.sweep("other").await;
    let other = house.engine.store.active_context(&crate::memory::conversation_id("other")).await.expect("reads");
    let other = other.summaries[0].id.to_string();
    let give = |under: Option<String>| GrantRequest::Give {
        conversations: Vec::new(),
        summaries: vec![top.to_string()],
        max_depth: 2,
        tokens: TokenCount(3_000),
        lasts: Duration::from_mins(5),
        issuer: "main".to_owned(),
        under,
    };
    let grant = house.engine.manage_grant(give(None)).await.expect("gives").id.to_string();
    let with = |request: ExpandRequest| ExpandRequest { grant: Some(grant.clone()), ..request };
    let refused = |text: String| text.replace(&grant, "GRANT").replace(&other, "OTHER");

    let page = expand(&house, with(request(top.as_str(), 2_000))).await;
    let shown = house.engine.manage_grant(GrantRequest::Show { id: grant.clone() }).await.expect("shows");
    assert_eq!(shown.used, page.tokens);
    let deep = ExpandRequest { depth: 3, ..request(top.as_str(), 64) };
    expect!["cannot use grant `GRANT`: depth 3 is more than its 2"]
        .assert_eq(&refused(error(&house, with(deep)).await));
    let elsewhere = refused(error(&house, with(request(&other, 64))).await);
    expect!["cannot use grant `GRANT`: it is not for conv_4b87fa8cd725acd5"].assert_eq(&elsewhere);
    let error = house.engine.manage_grant(give(Some(grant.clone()))).await.expect_err("refused").to_string();
    expect!["cannot use grant `GRANT`: a caller under a grant cannot give another"].assert_eq(&refused(error));

    let mut spent = page.tokens;
    while spent < TokenCount(3_000) {
        match house.engine.expand_summary(with(request(top.as_str(), 2_000))).await {
            Ok(page) => spent += page.tokens,
            Err(error) => {
                assert_eq!(error.kind(), crate::base::ErrorKind::NotAuthorised, "{error}");
                break;
            }
        }
    }
    assert!(spent <= TokenCount(3_000), "{spent}");
    house.clock.forward(Duration::from_mins(5));
    let late = refused(self::error(&house, with(request(top.as_str(), 10))).await);
    expect!["`budget` is 10: must be at least 64 tokens, so that what is left out can be named"].assert_eq(&late);
    house.engine.manage_grant(GrantRequest::Revoke { id: grant.clone() }).await.expect("takes it back");
    let revoked = refused(self::error(&house, with(request(top.as_str(), 10))).await);
    expect!["`budget` is 10: must be at least 64 tokens, so that what is left out can be named"].assert_eq(&revoked);
}

//! Conformance tests that every store backend must pass, for artifacts: large content kept outside of its messages.

use super::sample::{ODD_TEXTS, build_append, expect_ack, long_text, text_row, text_row_as};
use super::{StoreCase, StorePair, cases};
use crate::{AppendBatch, Artifact, NewArtifact, NewRow, Store};
use model::{ArtifactId, ContentHash, MessageId, Timestamp, TokenCount};

cases! {
    an_artifact_comes_with_its_message,
    the_same_content_is_kept_once,
    every_field_of_an_artifact_comes_back,
    an_unknown_artifact_is_none,
}

fn build_artifact(content: &[u8]) -> NewArtifact {
    let media_type = "text/plain".to_owned();
    let summary = "words".to_owned();
    NewArtifact { content: content.to_vec(), media_type, name: None, tokens: Some(TokenCount(3)), summary }
}

fn row_mentioning(text: &str, artifacts: &[&NewArtifact]) -> NewRow {
    NewRow { artifacts: artifacts.iter().map(|artifact| artifact.artifact_id()).collect(), ..text_row(text) }
}

async fn put_rows(store: &dyn Store, rows: Vec<NewRow>, artifacts: Vec<NewArtifact>) -> Vec<MessageId> {
    let appended = store.append_messages(AppendBatch { artifacts, ..build_append("c", rows) }).await.expect("appends");
    appended.iter().map(|appended| expect_ack(appended).message.clone()).collect()
}

async fn an_artifact_comes_with_its_message(stores: &StorePair) {
    let any: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    for content in [any.as_slice(), b"", long_text("a").as_bytes()] {
        let new = build_artifact(content);
        let id = new.artifact_id();
        let message = put_rows(&*stores.first, vec![row_mentioning("look", &[&new])], vec![new.clone()]).await;
        let found = stores.second.load_artifact(&id).await.expect("reads").expect("it was stored");
        assert_eq!((found.bytes, found.hash), (content.len() as u64, ContentHash::hash_bytes(content)));
        assert_eq!(stores.second.artifact_content(&id).await.expect("reads"), Some(content.to_vec()));
        assert_eq!(stores.second.artifact_messages(&id).await.expect("reads"), message);
    }
    assert_eq!(stores.first.stray_artifacts().await.expect("looks"), [""; 0]);
}

async fn the_same_content_is_kept_once(stores: &StorePair) {
    let new = build_artifact(b"the same");
    let one =
        put_rows(&*stores.first, vec![row_mentioning("one", &[&new, &new])], vec![new.clone(), new.clone()]).await;
    let mut renamed = new.clone();
    renamed.name = Some("again".to_owned());
    let two = put_rows(&*stores.second, vec![row_mentioning("two", &[&new]), text_row("three")], vec![renamed]).await;
    let all = stores.first.list_artifacts().await.expect("reads");
    assert_eq!(
        all.iter().map(|artifact| (&artifact.id, &artifact.name)).collect::<Vec<_>>(),
        [(&new.artifact_id(), &None)]
    );
    let mentions = stores.first.artifact_messages(&new.artifact_id()).await.expect("reads");
    assert_eq!(mentions, [one[0].clone(), two[0].clone()]);
    // A message that is known says nothing new.
    let row = || NewRow { artifacts: vec![new.artifact_id()], ..text_row_as("x", "x") };
    put_rows(&*stores.first, vec![row()], vec![new.clone()]).await;
    put_rows(&*stores.first, vec![row()], vec![new.clone()]).await;
    assert_eq!(stores.first.artifact_messages(&new.artifact_id()).await.expect("reads").len(), 3);
}

async fn every_field_of_an_artifact_comes_back(stores: &StorePair) {
    let mut wanted = Vec::new();
    for (number, text) in ODD_TEXTS.iter().enumerate() {
        let new = NewArtifact {
            content: number.to_string().into_bytes(),
            media_type: (*text).to_owned(),
            name: (number % 2 == 0).then(|| (*text).to_owned()),
            tokens: (number % 3 == 0).then_some(TokenCount(u32::MAX)),
            summary: (*text).to_owned(),
        };
        wanted.push(Artifact {
            id: new.artifact_id(),
            hash: ContentHash::hash_bytes(&new.content),
            bytes: new.content.len() as u64,
            media_type: new.media_type.clone(),
            name: new.name.clone(),
            tokens: new.tokens,
            summary: new.summary.clone(),
            stored: Timestamp(1_000),
        });
        put_rows(&*stores.first, vec![text_row("x")], vec![new]).await;
    }
    wanted.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(stores.second.list_artifacts().await.expect("reads"), wanted);
    assert_eq!(stores.second.load_artifact(&wanted[3].id).await.expect("reads").as_ref(), Some(&wanted[3]));
}

async fn an_unknown_artifact_is_none(stores: &StorePair) {
    let nowhere = ArtifactId::from_hash(ContentHash::hash_bytes(b"nowhere"));
    assert_eq!(stores.first.load_artifact(&nowhere).await.expect("reads"), None);
    assert_eq!(stores.first.artifact_content(&nowhere).await.expect("reads"), None);
    assert_eq!(stores.first.artifact_messages(&nowhere).await.expect("reads"), []);
    assert_eq!(stores.first.list_artifacts().await.expect("reads"), []);
}

//! Integration tests of backups of a tenant: what is loaded is what there was, into another database as well as beside
//! other tenants, and a file that is damaged or a tenant that is in use changes nothing.

use crate::server::Server;
use store::conformance::sample::{build_append, conversation_id, long_text, project_id, text_row, text_row_as};
use store::postgres::PostgresStore;
use store::{
    AnchorStore as _, AppendBatch, ArtifactStore as _, DurableStore as _, Error, MemoryBatch, MemoryScope,
    MemoryStore as _, MessageQuery, MessageWindow, NewArtifact, NewRow, Store,
};

use model::{ChainHash, MemoryKind, Message, NewMemory, Timestamp};
use std::path::PathBuf;
use tempfile::TempDir;

async fn load_all(store: &dyn Store, name: &str) -> Vec<Message> {
    let window = MessageWindow::After { seq: 0, limit: u32::MAX };
    store.load_messages(&conversation_id(name), window).await.expect("reads")
}

async fn find_term(store: &dyn Store, term: &str) -> usize {
    let query = MessageQuery { terms: vec![term.to_owned()], ..MessageQuery::default() };
    store.find_messages(query, None).await.expect("searches").matches.len()
}

/// Two conversations, an artifact, a memory, texts that break what is careless.
async fn fill(store: &PostgresStore) {
    let content = long_text("artifact").into_bytes();
    let (media_type, summary) = ("text/plain".to_owned(), "words".to_owned());
    let artifact = NewArtifact { content, media_type, name: None, tokens: None, summary };
    let row = NewRow { artifacts: vec![artifact.artifact_id()], ..text_row("look at the quince") };
    let rows = vec![row, text_row_as("odd", "a\0b \\ \" \n\t\u{10ffff}0 {\"end\":1}"), text_row("end\ttable\tx")];
    let append = AppendBatch { project: Some(project_id("p")), artifacts: vec![artifact], ..build_append("c", rows) };
    store.append_messages(append).await.expect("appends");
    store.append_messages(build_append("d", vec![text_row("of another talk")])).await.expect("appends");
    let memory = NewMemory {
        content: "six\nfigs".to_owned(),
        kind: MemoryKind::Note,
        project: None,
        author: None,
        conversation: None,
        depth: 0,
        created: Timestamp(1),
    };
    store.write_memories(MemoryBatch { memories: vec![memory], notes: Vec::new() }).await.expect("writes");
    store.scrub_key().await.expect("a key");
}

struct BackupFile {
    _folder: TempDir,
    file: PathBuf,
}

async fn write_backup(store: &PostgresStore) -> BackupFile {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("team.epitome");
    store.write_backup(&file, "0.0.0", Timestamp(9)).await.expect("writes");
    BackupFile { _folder: folder, file }
}

#[tokio::test]
async fn a_tenant_is_the_same_in_another_database() {
    let (old, new) = (Server::start().await, Server::start().await);
    let from = old.store().await.for_tenant("team").expect("a name");
    fill(&from).await;
    old.store().await.append_messages(build_append("c", vec![text_row("another tenant's")])).await.expect("appends");
    let backup = write_backup(&from).await;
    // Numbers are taken there already, by a tenant that stays as it is.
    let stays = new.owned_store().await;
    stays.append_messages(build_append("c", vec![text_row("stays")])).await.expect("appends");
    let to = stays.for_tenant("other-name").expect("a name");
    to.scrub_key().await.expect("a key that the load replaces");
    let to = new.owned_store().await.for_tenant("other-name").expect("a name");
    let record = to.load_backup(&backup.file).await.expect("loads");
    assert_eq!((record.created, record.program.as_str()), (Timestamp(9), "0.0.0"));
    for name in ["c", "d"] {
        assert_eq!(load_all(&to, name).await, load_all(&from, name).await);
        // Numbers are each database's own.
        let known =
            |found: Option<store::Conversation>| store::Conversation { number: 0, ..found.expect("it is there") };
        let id = conversation_id(name);
        assert_eq!(
            known(to.load_conversation(&id).await.expect("reads")),
            known(from.load_conversation(&id).await.expect("reads"))
        );
    }
    assert_eq!(to.list_artifacts().await.expect("lists"), from.list_artifacts().await.expect("lists"));
    let artifact = &to.list_artifacts().await.expect("lists")[0].id;
    assert_eq!(
        to.artifact_content(artifact).await.expect("reads"),
        from.artifact_content(artifact).await.expect("reads")
    );
    assert_eq!(to.artifact_messages(artifact).await.expect("reads").len(), 1);
    assert_eq!(
        to.load_memories(MemoryScope::All).await.expect("reads"),
        from.load_memories(MemoryScope::All).await.expect("reads")
    );
    assert_eq!((find_term(&to, "quince").await, find_term(&to, "another").await), (1, 1));
    assert_eq!(to.scrub_key().await.expect("a key").as_bytes(), from.scrub_key().await.expect("a key").as_bytes());
    // The anchor knows another key, until what was loaded is accepted.
    assert_eq!(to.check_canonical().await.expect("checks").len(), 1);
    to.accept_restored("a backup", Timestamp(10), Vec::new()).await.expect("accepts");
    assert_eq!(to.check_canonical().await.expect("checks"), []);
    assert_eq!(load_all(&stays, "c").await.len(), 1);
    // It goes on where it was: a known message is known, a new one has the next place.
    let again = vec![text_row_as("odd", "a\0b \\ \" \n\t\u{10ffff}0 {\"end\":1}"), text_row("goes on")];
    to.append_messages(build_append("c", again)).await.expect("appends");
    let seqs: Vec<u64> = load_all(&to, "c").await.iter().map(|message| message.seq).collect();
    assert_eq!(seqs, [1, 2, 3, 4]);
}

#[tokio::test]
async fn a_backup_is_one_state_while_others_write() {
    let server = Server::start().await;
    let writer = server.store().await.for_tenant("team").expect("a name");
    writer.append_messages(build_append("c", vec![text_row("the first")])).await.expect("appends");
    let reader = server.store().await.for_tenant("team").expect("a name");
    let writing = tokio::spawn(async move {
        for number in 0..200 {
            let rows = (0..5).map(|row| text_row(&format!("{number} {row}"))).collect();
            writer.append_messages(build_append("c", rows)).await.expect("appends");
        }
    });
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let backup = write_backup(&reader).await;
    writing.await.expect("all is written");
    let loaded = server.owned_store().await.for_tenant("loaded").expect("a name");
    loaded.load_backup(&backup.file).await.expect("loads");
    let messages = load_all(&loaded, "c").await;
    let known = loaded.load_conversation(&conversation_id("c")).await.expect("reads").expect("it is there");
    let mut link = ChainHash::for_conversation(&known.id);
    for message in &messages {
        link = link.next_link(message.seq, message.body.content_hash());
    }
    assert_eq!((messages.len() as u64, link), (known.messages, known.head));
    assert_eq!((messages.len() - 1) % 5, 0, "a batch is in a backup as a whole, or not at all");
}

#[tokio::test]
async fn nothing_is_loaded_where_there_is_something_or_from_a_damaged_file() {
    let server = Server::start().await;
    let from = server.owned_store().await.for_tenant("team").expect("a name");
    fill(&from).await;
    let backup = write_backup(&from).await;
    let refused = from.load_backup(&backup.file).await.expect_err("it is in use").to_string();
    assert!(refused.contains("tenant `team` has data already"), "{refused}");
    let other = server.owned_store().await.for_tenant("empty").expect("a name");
    let mut bytes = fs_err::read(&backup.file).expect("reads");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let damaged = backup.file.with_extension("damaged");
    fs_err::write(&damaged, bytes).expect("writes");
    let refused = other.load_backup(&damaged).await.expect_err("it is damaged");
    assert!(matches!(refused, Error::Corrupt { .. } | Error::Unavailable { .. }), "{refused:?}");
    let without = server.store().await.for_tenant("empty").expect("a name");
    let refused = without.load_backup(&backup.file).await.expect_err("the owner has to do it").to_string();
    assert!(refused.contains("database.owner_url"), "{refused}");
    assert_eq!(other.list_conversations().await.expect("lists"), []);
    let foreign = PostgresStore::check_backup(&damaged.with_file_name("nowhere"));
    assert!(matches!(foreign, Err(Error::Unavailable { .. })), "{foreign:?}");
}

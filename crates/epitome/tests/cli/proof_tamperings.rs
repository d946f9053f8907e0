//! Statements that somebody with the files executes on every table, past triggers and foreign keys: `verify` tells each.

use super::proof::filled;

/// Statements over every table that is kept or derived: each must be told.
const TAMPERINGS: &[&str] = &[
    "UPDATE conversations SET conversation_id = 'conv_0000000000000000' WHERE name = 'beta'",
    "UPDATE conversations SET project_id = 'proj_0000000000000000' WHERE name = 'beta'",
    "UPDATE conversations SET message_count = message_count + 1 WHERE name = 'beta'",
    "UPDATE conversations SET head_hash = zeroblob(32) WHERE name = 'beta'",
    "UPDATE conversations SET title = 'Another title' WHERE name = 'beta'",
    "UPDATE conversations SET created_at = created_at + 1 WHERE name = 'beta'",
    "UPDATE conversations SET updated_at = updated_at + 1 WHERE name = 'beta'",
    "UPDATE conversations SET state = 'archived' WHERE name = 'beta'",
    "UPDATE conversations SET state_at = state_at + 1 WHERE name = 'beta'",
    "UPDATE conversations SET stored_at = stored_at + 1 WHERE name = 'beta'",
    "INSERT INTO conversations (conversation_id, name, message_count, token_count, head_hash, stored_at)
       VALUES ('conv_1111111111111111', 'new', 0, 0, zeroblob(32), 1)",
    "UPDATE messages SET content = 'alpha 99 quantum' WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET role = 'assistant' WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET speaker = 'eve' WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET session = 'other' WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET at_text = '2027-01-01T00:00:00Z' WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET at_instant = NULL WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET metadata = '{}' WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET external_id = 'other' WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET message_id = 'msg_0000000000000000' WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET chain_hash = zeroblob(32) WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET seal = NULL WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET seal = seal + 1 WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET shape = x'00' WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET seq = 1000 WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET conversation = (SELECT number FROM conversations WHERE name = 'large'), seq = 2
       WHERE content = 'alpha 29 quantum'",
    "DELETE FROM messages WHERE content = 'alpha 29 quantum'",
    "DELETE FROM messages WHERE content = 'alpha 9 quantum'",
    "UPDATE messages SET stored_at = stored_at + 1",
    "UPDATE frames SET compressed = x'00'",
    "UPDATE frames SET original_hash = zeroblob(32)",
    "UPDATE frames SET original_bytes = original_bytes + 1",
    "UPDATE frames SET scrubbed = zeroblob(48)",
    "DELETE FROM frames",
    "UPDATE generations SET path = '/elsewhere'",
    "UPDATE generations SET line_count = line_count - 1",
    "UPDATE generations SET byte_count = byte_count - 1",
    "UPDATE generations SET title = 'other'",
    "UPDATE generations SET origin = 'rewritten'",
    "UPDATE generations SET stored_at = stored_at + 1",
    "UPDATE generations SET conversation = (SELECT number FROM conversations WHERE name = 'beta')",
    "UPDATE generation_frames SET paused = 1 - paused",
    "UPDATE generation_frames SET line_count = line_count + 1",
    "DELETE FROM generation_frames",
    "UPDATE tails SET compressed = x'00'",
    "UPDATE tails SET original_bytes = original_bytes + 1",
    "DELETE FROM tails",
    "UPDATE quarantine SET reason = 'other'",
    "DELETE FROM quarantine",
    "UPDATE line_kinds SET line_count = line_count + 1",
    "UPDATE line_kinds SET name = 'other' WHERE class = 'message'",
    "DELETE FROM line_kinds WHERE class = 'malformed'",
    "UPDATE message_origins SET lines = '0' WHERE lines = '5'",
    "UPDATE message_origins SET parent = 'u1' WHERE lines = '5'",
    "DELETE FROM message_origins WHERE lines = '5'",
    "UPDATE artifacts SET byte_count = byte_count + 1",
    "UPDATE artifacts SET token_count = token_count + 1",
    "UPDATE artifacts SET stored_at = stored_at + 1",
    "UPDATE artifacts SET content_hash = zeroblob(32)",
    "DELETE FROM message_artifacts",
    "UPDATE summaries SET content = content || ' and more' WHERE number = 1",
    "UPDATE summaries SET method = 'fallback' WHERE number = 1",
    "UPDATE summaries SET stored_at = stored_at + 1 WHERE number = 1",
    "UPDATE summaries SET kept_facts = kept_facts + 1 WHERE number = 1",
    "UPDATE summaries SET last_seq = last_seq - 1 WHERE number = 1",
    "UPDATE summaries SET reason = 'other' WHERE number = 1",
    "UPDATE contexts SET version = version + 1",
    "UPDATE contexts SET facts_to = 0",
    "DELETE FROM contexts",
    "DELETE FROM context_items",
    "UPDATE conversation_facts SET subject = subject || 'x'",
    "UPDATE conversation_facts SET times = times + 1",
    "DELETE FROM conversation_facts WHERE fact_id = (SELECT min(fact_id) FROM conversation_facts)",
    "UPDATE memories SET content = 'Deploys happen on Fridays.' WHERE content LIKE 'Deploys%'",
    "UPDATE memories SET kind = 'decision' WHERE content LIKE 'Deploys%'",
    "UPDATE memories SET created_at = created_at + 1",
    "DELETE FROM memory_notes; DELETE FROM memories",
    "UPDATE memory_notes SET certainty = 1",
    "UPDATE memory_notes SET at = at + 1",
    "DELETE FROM memory_notes WHERE number = 1",
    "INSERT INTO memory_notes (memory, at, event) VALUES (1, 5, 'archived')",
    "UPDATE entities SET summary = 'short' WHERE name = 'Door'",
    "UPDATE entities SET kind = 'pattern' WHERE name = 'Door'",
    "UPDATE entities SET file_path = 'a.rs' WHERE name = 'Door'",
    "UPDATE entity_links SET relationship = 'implements'",
    "UPDATE entity_links SET target = source",
    "INSERT INTO entities (entity_id, project_id, state, kind, name, stated_at) VALUES ('ent_1', 'p', 'stated', 'concept', 'x', 1)",
    "INSERT INTO entity_links (link_id, project_id, state, source, target, relationship, weight, stated_at)
       VALUES ('link_1', 'p', 'stated', 'a', 'b', 'calls', 1, 1)",
    "UPDATE session_records SET content = '{}'",
    "UPDATE session_records SET created_at = created_at + 1",
    "DELETE FROM session_record_notes; DELETE FROM session_records",
    "INSERT INTO session_record_notes (record, at, event) VALUES (1, 5, 'dropped')",
    "INSERT INTO session_summaries (conversation, last_seq, content, method, stored_at) VALUES (1, 1, 'x', 'extractive', 1)",
    "INSERT INTO removals (at, reason, subject) VALUES (1, 'made up', 'conversation')",
    "INSERT INTO ledger_entries (at, day, operation, basis, tokens_in, tokens_out, cache_read, cache_write, tokens_avoided,
       money_micros) VALUES (1, 1, 'x', 'measured', 1, 1, 1, 1, 1, 1)",
    "INSERT INTO spending_stopped VALUES (1, 1)",
    "INSERT INTO jobs (work, how, requested_at, not_before) VALUES ('fold', 'x', 1, 1)",
    "INSERT INTO grants VALUES ('g', 'x', '', '', 1, 1, 0, 1, 99999999999999, NULL)",
    "UPDATE store_state SET number = number - 1",
    "UPDATE store_state SET number = 0, sums = x''",
    "UPDATE store_state SET sums = x''",
    "UPDATE store_state SET sums = zeroblob(7)",
    "UPDATE store_state SET database_id = 'other'",
    "UPDATE store_state SET key_fingerprint = 'other'",
    "DELETE FROM store_state",
];

/// Every n-th statement, so that several tests share the work.
fn tampered(part: usize) {
    let home = filled();
    for sql in TAMPERINGS.iter().skip(part).step_by(3) {
        home.put_back("data");
        home.put_back("state");
        home.tamper(sql);
        let ended = home.verify();
        assert_eq!(ended.status, 5, "{sql}: {}", ended.shown());
    }
}

#[test]
fn whatever_is_changed_in_a_table_is_told_1() {
    tampered(0);
}

#[test]
fn whatever_is_changed_in_a_table_is_told_2() {
    tampered(1);
}

#[test]
fn whatever_is_changed_in_a_table_is_told_3() {
    assert!(TAMPERINGS.len() >= 60);
    tampered(2);
}

#[test]
fn entities_and_links_that_are_gone_changed_or_rolled_back_are_named() {
    let home = filled();
    let (entity, link) = ("was stored, and is not in entities", "was stored, and is not in entity_links");
    for (sql, words) in [
        ("DELETE FROM entities WHERE name = 'Gate'", entity),
        ("DELETE FROM entities WHERE number = (SELECT max(number) FROM entities)", entity),
        ("UPDATE entities SET content = 'opens at nine' WHERE name = 'Gate'", entity),
        ("UPDATE entities SET state = 'removed' WHERE name = 'Gate'", entity),
        ("UPDATE entities SET stated_at = stated_at + 1 WHERE name = 'Gate'", entity),
        ("DELETE FROM entity_links", link),
        ("UPDATE entity_links SET weight = weight - 1", link),
        ("UPDATE entity_links SET metadata = '{}'", link),
    ] {
        home.put_back("data");
        home.tamper(sql);
        home.is_told(&[words]);
    }
    home.put_back("data");
    let later = ["entity", "add", "Gate", "--type", "concept", "--content", "opens at ten"];
    assert_eq!(home.house.run(&later, "").status, 0);
    home.put_back("data");
    home.is_told(&[entity]);
}

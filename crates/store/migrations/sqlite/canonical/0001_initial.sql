-- Conversations, kept verbatim. Rows are only ever added.

CREATE TABLE conversations (
  number          INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL UNIQUE,
  name            TEXT NOT NULL,
  project_id      TEXT,
  -- What the rows of `messages` add up to, kept here so that appending costs the same however long it gets.
  message_count   INTEGER NOT NULL,
  token_count     INTEGER NOT NULL,
  head_hash       BLOB NOT NULL,
  stored_at       INTEGER NOT NULL
) STRICT;

CREATE TABLE messages (
  number        INTEGER PRIMARY KEY,
  message_id    TEXT NOT NULL UNIQUE,
  conversation  INTEGER NOT NULL REFERENCES conversations (number) ON DELETE RESTRICT,
  seq           INTEGER NOT NULL,
  external_id   TEXT,
  role          TEXT NOT NULL,
  speaker       TEXT,
  session       TEXT,
  at_text       TEXT,
  at_instant    INTEGER,
  content       TEXT NOT NULL,
  token_count   INTEGER NOT NULL,
  content_hash  BLOB NOT NULL,
  chain_hash    BLOB NOT NULL,
  stored_at     INTEGER NOT NULL,
  UNIQUE (conversation, seq)
) STRICT;

CREATE UNIQUE INDEX messages_external ON messages (conversation, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE message_parts (
  message             INTEGER NOT NULL REFERENCES messages (number) ON DELETE RESTRICT,
  ordinal             INTEGER NOT NULL,
  part_type           TEXT NOT NULL,
  text_content        TEXT,
  tool_call_id        TEXT,
  tool_name           TEXT,
  tool_status         TEXT,
  tool_input          TEXT,
  tool_output         TEXT,
  tool_error          TEXT,
  tool_title          TEXT,
  patch_hash          TEXT,
  patch_files         TEXT,
  file_mime           TEXT,
  file_name           TEXT,
  file_url            TEXT,
  subtask_prompt      TEXT,
  subtask_description TEXT,
  subtask_agent       TEXT,
  step_reason         TEXT,
  step_cost_micros    INTEGER,
  step_tokens_in      INTEGER,
  step_tokens_out     INTEGER,
  snapshot_hash       TEXT,
  compaction_auto     INTEGER,
  PRIMARY KEY (message, ordinal)
) STRICT, WITHOUT ROWID;

-- Terms are cut by us and handed over ready made. The `ascii` tokenizer leaves every other byte alone, so a term in,
-- whatever its script, is the same term out.
CREATE VIRTUAL TABLE message_terms USING fts5 (
  terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'"
);

CREATE TRIGGER messages_are_never_changed BEFORE UPDATE ON messages
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE TRIGGER messages_are_never_deleted BEFORE DELETE ON messages
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE TRIGGER parts_are_never_changed BEFORE UPDATE ON message_parts
BEGIN SELECT RAISE(ABORT, 'message parts are append-only'); END;
CREATE TRIGGER parts_are_never_deleted BEFORE DELETE ON message_parts
BEGIN SELECT RAISE(ABORT, 'message parts are append-only'); END;

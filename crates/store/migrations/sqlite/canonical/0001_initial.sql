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
  -- All its words, as text; or compressed, where that is shorter.
  content       ANY NOT NULL,
  -- Which of the words belong to which part; null for a message that is one plain text.
  shape         BLOB,
  token_count   INTEGER NOT NULL,
  content_hash  BLOB NOT NULL,
  chain_hash    BLOB NOT NULL,
  stored_at     INTEGER NOT NULL,
  UNIQUE (conversation, seq)
) STRICT;

CREATE UNIQUE INDEX messages_external ON messages (conversation, external_id) WHERE external_id IS NOT NULL;

-- Terms are cut by us and handed over ready made. The `ascii` tokenizer leaves every other byte alone, so a term in,
-- whatever its script, is the same term out.
CREATE VIRTUAL TABLE message_terms USING fts5 (
  terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'"
);

CREATE TRIGGER messages_are_never_changed BEFORE UPDATE ON messages
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE TRIGGER messages_are_never_deleted BEFORE DELETE ON messages
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;

-- A database of schema 4, kept as it was. Never written again.
-- file data/artifacts/49/4961cad942952844af9a0636f8cbdccea6974d2f342b90ba25773a3c0147a92c.zst 28b52ffda060cc0500f46000eab00d3017b025190e8040c26011663caca84c524a99d2ac4b8603010103f602f602751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e550402010180c0800a0300c04148601c2b0a18040105c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245c2e2e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0937856180309c46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd56924029af1a41400fffb5fe33f010f00000000000afcb0ffff015c5f003baf4d2ff402f302f302e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae040434122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e1e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae1e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34122e57a79170b93a8d84cbd569245cae4e23e172751a0997abd348b85c9d46c2e5ea34120e9af358010014e00510200001fa0f02000060e17f4d00000001005dccc1dc0001
-- file data/scrub.key 4d927bc5c3c6d186c0dc9cdeb2219512f8e4eaecd2bf40f798421a9af8f47aff
PRAGMA foreign_keys = off;
BEGIN;
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
CREATE VIRTUAL TABLE message_terms USING fts5 (
  terms, content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '_'"
);
CREATE TABLE reservations (
  -- Never given twice, so that a number settled late is never another call's.
  number         INTEGER PRIMARY KEY AUTOINCREMENT,
  operation      TEXT NOT NULL,
  project_id     TEXT,
  session        TEXT,
  model          TEXT,
  day            INTEGER NOT NULL,
  tokens_in      INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  tokens_avoided INTEGER NOT NULL,
  money_micros   INTEGER NOT NULL,
  reserved_at    INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL
) STRICT;
CREATE TABLE ledger_entries (
  number         INTEGER PRIMARY KEY,
  at             INTEGER NOT NULL,
  day            INTEGER NOT NULL,
  operation      TEXT NOT NULL,
  project_id     TEXT,
  session        TEXT,
  model          TEXT,
  formula        TEXT,
  basis          TEXT NOT NULL,
  reservation    INTEGER,
  tokens_in      INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  tokens_avoided INTEGER NOT NULL,
  money_micros   INTEGER NOT NULL
) STRICT;
CREATE TABLE ledger_totals (
  day            INTEGER NOT NULL,
  operation      TEXT NOT NULL,
  project_id     TEXT NOT NULL,
  session        TEXT NOT NULL,
  model          TEXT NOT NULL,
  formula        TEXT NOT NULL,
  entry_count    INTEGER NOT NULL,
  tokens_in      INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  tokens_avoided INTEGER NOT NULL,
  money_micros   INTEGER NOT NULL,
  PRIMARY KEY (day, operation, project_id, session, model, formula)
) STRICT, WITHOUT ROWID;
CREATE TABLE spending_stopped (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  stopped_at INTEGER NOT NULL
) STRICT;
CREATE TABLE frames (
  number         INTEGER PRIMARY KEY,
  original_hash  BLOB NOT NULL,
  content_hash   BLOB NOT NULL,
  original_bytes INTEGER NOT NULL,
  content_bytes  INTEGER NOT NULL,
  -- Lines in which secrets were replaced, as records of fixed length; null where there are none.
  scrubbed       BLOB,
  compressed     BLOB NOT NULL,
  UNIQUE (original_hash, content_hash)
) STRICT;
CREATE TABLE generations (
  number        INTEGER PRIMARY KEY,
  agent         TEXT NOT NULL,
  path          TEXT NOT NULL,
  ordinal       INTEGER NOT NULL,
  origin        TEXT NOT NULL,
  container     TEXT NOT NULL,
  device        INTEGER,
  inode         INTEGER,
  conversation  INTEGER NOT NULL REFERENCES conversations (number) ON DELETE RESTRICT,
  -- What its lines say about the whole.
  own_id        TEXT NOT NULL,
  title         TEXT,
  project_dir   TEXT,
  descent       TEXT,
  descent_of    TEXT,
  -- How far it was read, kept here so that going on costs the same however long it gets.
  frame_count   INTEGER NOT NULL,
  line_count    INTEGER NOT NULL,
  message_count INTEGER NOT NULL,
  byte_count    INTEGER NOT NULL,
  mark_hash     BLOB NOT NULL,
  stored_at     INTEGER NOT NULL,
  UNIQUE (agent, path, ordinal)
) STRICT;
CREATE TABLE generation_frames (
  generation INTEGER NOT NULL REFERENCES generations (number) ON DELETE RESTRICT,
  ordinal    INTEGER NOT NULL,
  frame      INTEGER NOT NULL REFERENCES frames (number) ON DELETE RESTRICT,
  line_count INTEGER NOT NULL,
  -- Whether the projection was paused behind it: the same lines with the same pauses give the same messages.
  paused     INTEGER NOT NULL,
  PRIMARY KEY (generation, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE tails (
  generation     INTEGER PRIMARY KEY REFERENCES generations (number) ON DELETE RESTRICT,
  original_bytes INTEGER NOT NULL,
  original_hash  BLOB NOT NULL,
  compressed     BLOB NOT NULL
) STRICT;
CREATE TABLE quarantine (
  generation  INTEGER NOT NULL REFERENCES generations (number) ON DELETE RESTRICT,
  line        INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  byte_count  INTEGER NOT NULL,
  reason      TEXT NOT NULL,
  PRIMARY KEY (generation, line)
) STRICT, WITHOUT ROWID;
CREATE TABLE line_kinds (
  generation INTEGER NOT NULL REFERENCES generations (number) ON DELETE RESTRICT,
  class      TEXT NOT NULL,
  name       TEXT NOT NULL,
  line_count INTEGER NOT NULL,
  PRIMARY KEY (generation, class, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE message_origins (
  generation  INTEGER NOT NULL REFERENCES generations (number) ON DELETE RESTRICT,
  message     INTEGER NOT NULL REFERENCES messages (number) ON DELETE RESTRICT,
  lines       TEXT NOT NULL,
  parent      TEXT,
  thread      TEXT,
  continues   TEXT,
  PRIMARY KEY (generation, message)
) STRICT, WITHOUT ROWID;
CREATE TABLE artifacts (
  number       INTEGER PRIMARY KEY,
  artifact_id  TEXT NOT NULL UNIQUE,
  content_hash BLOB NOT NULL,
  byte_count   INTEGER NOT NULL,
  media_type   TEXT NOT NULL,
  name         TEXT,
  token_count  INTEGER,
  summary      TEXT NOT NULL,
  stored_at    INTEGER NOT NULL
) STRICT;
CREATE TABLE message_artifacts (
  artifact INTEGER NOT NULL REFERENCES artifacts (number) ON DELETE RESTRICT,
  message  INTEGER NOT NULL REFERENCES messages (number) ON DELETE RESTRICT,
  PRIMARY KEY (artifact, message)
) STRICT, WITHOUT ROWID;
CREATE TABLE summaries (
  number        INTEGER PRIMARY KEY,
  summary_id    TEXT NOT NULL UNIQUE,
  conversation  INTEGER NOT NULL REFERENCES conversations (number) ON DELETE RESTRICT,
  -- The messages it stands for, by their places. A range has no gaps, so none can be covered by half.
  first_seq     INTEGER NOT NULL CHECK (first_seq >= 1),
  last_seq      INTEGER NOT NULL CHECK (last_seq >= first_seq),
  depth         INTEGER NOT NULL,
  content       TEXT NOT NULL,
  token_count   INTEGER NOT NULL,
  source_tokens INTEGER NOT NULL,
  from_text     TEXT,
  until_text    TEXT,
  method        TEXT NOT NULL CHECK (method IN ('extractive', 'fallback', 'model')),
  model         TEXT,
  prompt        TEXT,
  reason        TEXT NOT NULL,
  kept_facts    INTEGER NOT NULL,
  all_facts     INTEGER NOT NULL,
  redoes        TEXT,
  stored_at     INTEGER NOT NULL
) STRICT;
CREATE TABLE summary_covers (
  summary INTEGER NOT NULL REFERENCES summaries (number) ON DELETE RESTRICT,
  ordinal INTEGER NOT NULL,
  covered INTEGER NOT NULL REFERENCES summaries (number) ON DELETE RESTRICT,
  PRIMARY KEY (summary, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE contexts (
  conversation INTEGER PRIMARY KEY REFERENCES conversations (number) ON DELETE RESTRICT,
  -- Counts its folds.
  version      INTEGER NOT NULL DEFAULT 0,
  -- Counts the holders of its lease.
  fence        INTEGER NOT NULL DEFAULT 0,
  leased_until INTEGER,
  -- The last message there was when somebody looked whether to fold.
  seen_to      INTEGER NOT NULL DEFAULT 0,
  facts_to     INTEGER NOT NULL DEFAULT 0,
  facts_rules  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE context_items (
  conversation INTEGER NOT NULL REFERENCES contexts (conversation) ON DELETE RESTRICT,
  ordinal      INTEGER NOT NULL,
  summary      INTEGER NOT NULL UNIQUE REFERENCES summaries (number) ON DELETE RESTRICT,
  PRIMARY KEY (conversation, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE conversation_facts (
  fact_id      TEXT PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE RESTRICT,
  kind         TEXT NOT NULL,
  subject      TEXT NOT NULL,
  state        TEXT NOT NULL,
  exit_code    INTEGER,
  seen_with    TEXT,
  ended_by     TEXT,
  times        INTEGER NOT NULL,
  first_seq    INTEGER NOT NULL,
  last_seq     INTEGER NOT NULL,
  -- Ids of messages, with blanks between them.
  sources      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE jobs (
  -- Never given twice, so that a number ended late is never another job's.
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  work         TEXT NOT NULL,
  how          TEXT NOT NULL,
  conversation INTEGER REFERENCES conversations (number) ON DELETE RESTRICT,
  requested_at INTEGER NOT NULL,
  not_before   INTEGER NOT NULL,
  attempts     INTEGER NOT NULL DEFAULT 0,
  fence        INTEGER NOT NULL DEFAULT 0,
  -- Set while somebody has it.
  leased_until INTEGER,
  failure      TEXT,
  given_up     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE grants (
  grant_id      TEXT PRIMARY KEY,
  issuer        TEXT NOT NULL,
  -- Ids, with blanks between them.
  conversations TEXT NOT NULL,
  summaries     TEXT NOT NULL,
  max_depth     INTEGER NOT NULL,
  token_cap     INTEGER NOT NULL,
  tokens_used   INTEGER NOT NULL CHECK (tokens_used <= token_cap),
  issued_at     INTEGER NOT NULL,
  expires_at    INTEGER NOT NULL,
  revoked_at    INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO artifacts (number, artifact_id, content_hash, byte_count, media_type, name, token_count, summary, stored_at) VALUES (1, 'art_4961cad942952844', X'4961CAD942952844AF9A0636F8CBDCCEA6974D2F342B90BA25773A3C0147A92C', 380000, 'text/plain', NULL, 140000, 'text: 20,000 lines, 380,000 bytes
line 1: row 0 of the table
line 2: row 1 of the table
line 3: row 2 of the table
line 4: row 3 of the table
line 5: row 4 of the table
line 6: row 5 of the table
line 7: row 6 of the table
line 8: row 7 of the table
line 19998: row 7 of the table
line 19999: row 8 of the table
line 20000: row 9 of the table', 1794988429033);
INSERT INTO context_items (conversation, ordinal, summary) VALUES (1, 1, 1);
INSERT INTO context_items (conversation, ordinal, summary) VALUES (1, 11, 3);
INSERT INTO context_items (conversation, ordinal, summary) VALUES (1, 6, 2);
INSERT INTO contexts (conversation, version, fence, leased_until, seen_to, facts_to, facts_rules) VALUES (1, 3, 1, NULL, 24, 24, 9);
INSERT INTO conversation_facts (fact_id, conversation, kind, subject, state, exit_code, seen_with, ended_by, times, first_seq, last_seq, sources) VALUES ('fact_fdfedce9cc86996f', 1, 'decision', 'We decided to use integer cents.', 'stated', NULL, NULL, NULL, 12, 1, 23, 'msg_a2e18b63bd63448f msg_92acb970891a610b msg_baeecd6c4825593d msg_52b769d0c7910e32 msg_33371b78d029fc8e msg_711fe1e722e6cc30 msg_58f78b93218c4cd7 msg_617a61531d2d4797 msg_7d75105f62f589ac msg_8521e02db22b683f msg_7d91499043e2c567 msg_d4c04fe044339fa6');
INSERT INTO conversations (number, conversation_id, name, project_id, message_count, token_count, head_hash, stored_at) VALUES (1, 'conv_b580addc3bbf0830', 'talk', 'proj_e19ce1416a478df4', 24, 1272, X'FC5224729F8977E95B5C9756011EE33C6565E382836CD5F2E8633CF5444B5C69', 1794988427953);
INSERT INTO conversations (number, conversation_id, name, project_id, message_count, token_count, head_hash, stored_at) VALUES (2, 'conv_4ed6b6e587c11f0b', 'claude-code:s', NULL, 2, 14, X'7D7D95BE87CF8C74E971097510EA130A77954436E5F0251AEBFEF4A46FB6705F', 1794988428379);
INSERT INTO conversations (number, conversation_id, name, project_id, message_count, token_count, head_hash, stored_at) VALUES (3, 'conv_f07cd8d7dbf36c55', 'large', 'proj_e19ce1416a478df4', 1, 575, X'274852B4680BF11C3CBF5A06B7CBE3377E77340FFE1E9AF45B44070B8D6DC156', 1794988429033);
INSERT INTO frames (number, original_hash, content_hash, original_bytes, content_bytes, scrubbed, compressed) VALUES (1, X'9F83A2CB83D5678142C3EFE6BBE71798920FDC7CD03FEF39073FD9E9BA6188B0', X'9F83A2CB83D5678142C3EFE6BBE71798920FDC7CD03FEF39073FD9E9BA6188B0', 244, 244, NULL, X'28B52FFD20F48D0300A286161B70897314FD88E8F82203382AF19B58593010142E4F25F17FF60B01C7510C0805C1255E2B9EC7AB90259D3B626F5922EA8C3B2EC5C98B5FCC44C9C62DF907A5FAC5C80CC0498CAC01CCA57A35B261588C19B9B932279F49AC5B0700E09301F45E60A01C42D8168634978A75DE01');
INSERT INTO generation_frames (generation, ordinal, frame, line_count, paused) VALUES (1, 0, 1, 3, 1);
INSERT INTO generations (number, agent, path, ordinal, origin, container, device, inode, conversation, own_id, title, project_dir, descent, descent_of, frame_count, line_count, message_count, byte_count, mark_hash, stored_at) VALUES (1, 'claude-code', '/tmp/epitome-home-2MSA4n/s.jsonl', 1, 'first', 'lines', 65024, 10084372, 2, 's', NULL, '/p', NULL, NULL, 1, 3, 2, 244, X'7B2450734005D5C9CA22279DFA99D4FD42742722075EDDA7C63B90E671941F1E', 1794988428379);
INSERT INTO grants (grant_id, issuer, conversations, summaries, max_depth, token_cap, tokens_used, issued_at, expires_at, revoked_at) VALUES ('grant_1', 'agent', 'conv_a', 'sum_a', 1, 100, 7, 1, 2, NULL);
INSERT INTO jobs (number, work, how, conversation, requested_at, not_before, attempts, fence, leased_until, failure, given_up) VALUES (1, 'fold', '', 1, 1, 1, 0, 0, NULL, NULL, 0);
INSERT INTO ledger_totals (day, operation, project_id, session, model, formula, entry_count, tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, money_micros) VALUES (20000, 'search', 'p', 's', '', 'f', 3, 1, 2, 0, 0, 9, 0);
INSERT INTO line_kinds (generation, class, name, line_count) VALUES (1, 'malformed', '', 1);
INSERT INTO line_kinds (generation, class, name, line_count) VALUES (1, 'message', '', 2);
INSERT INTO message_artifacts (artifact, message) VALUES (1, 27);
INSERT INTO message_origins (generation, message, lines, parent, thread, continues) VALUES (1, 25, '0', NULL, NULL, NULL);
INSERT INTO message_origins (generation, message, lines, parent, thread, continues) VALUES (1, 26, '2', NULL, NULL, NULL);
INSERT INTO message_terms (rowid, terms) VALUES (1, 'the quokka port');
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (1, 'msg_a2e18b63bd63448f', 1, 1, 'm1', 'user', NULL, NULL, NULL, NULL, 'message 1: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'EAC759B104D066BC80F0BA946E63171F2AF5890677B2DB570E9CAD2E47215288', X'159313F40485656538C3986DE99015673C1BAB1958590DDD82D23A4C09E62021', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (10, 'msg_ba41549b013d57c0', 1, 10, 'm10', 'assistant', NULL, NULL, NULL, NULL, 'message 10: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'8C1EB64151471E9D11F020C8191AD8BEBA491876FC278CA422CEBE2C9182EC61', X'97CEC58E9541BE73B1C39E81555051D4C77B809EAF24BE45803BA3F66EB53F96', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (11, 'msg_711fe1e722e6cc30', 1, 11, 'm11', 'user', NULL, NULL, NULL, NULL, 'message 11: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'BB9BB496C213B1AA2008F1767F663206ABFDC3EAE98E0225D6B7D27F6FB684D5', X'A1818DAB1F77FA3D5ABAF6AC2B014E9DBDB67438AAB8D2C68A0BF55761CC59FA', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (12, 'msg_5524a57476a8eaee', 1, 12, 'm12', 'assistant', NULL, NULL, NULL, NULL, 'message 12: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'14AB76B8517832276F418DBD72E62D2CD5963A812510CD89A1EC49972F11B54D', X'69798EE5781675C612DF0856E24E81B9648EB31F2A5D1902FBDC0BB1ED9E4E94', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (13, 'msg_58f78b93218c4cd7', 1, 13, 'm13', 'user', NULL, NULL, NULL, NULL, 'message 13: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'998D4D101C46533E29D8CDF0F6AC5845FABA63F9892FF38E96345A0218500EAC', X'D699DC7838CC8B9297A5DE1B41DB96B3EDE4B871CE29C3882CBD321F3AB48687', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (14, 'msg_a0f70b11ead9f466', 1, 14, 'm14', 'assistant', NULL, NULL, NULL, NULL, 'message 14: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'4CA20C210D8E9E7B61222CD9A18F4DE0493B50A48466B34C552FABEFF7AC1107', X'420BE4C157F0E5F462DAB201590D982F5C277E93935E1F22F52E5EBAB3857E7D', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (15, 'msg_617a61531d2d4797', 1, 15, 'm15', 'user', NULL, NULL, NULL, NULL, 'message 15: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'470491DE8D45476DF13820FFA545377741A186A6F78744096A7B0CBB7FE790DC', X'FDE1EEC0C17A65FE7770615602D5E531B4FBE6EDBEAED439007C998D42F078AA', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (16, 'msg_c8b77b70d890cb98', 1, 16, 'm16', 'assistant', NULL, NULL, NULL, NULL, 'message 16: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'025133B5FEED79F99E4E4CFC0D377A49F944F3BA83AC5C027AE93B49AA0A924E', X'23B311D3AE1B5B28C90DA66EC3DE5CD0134051E85F1F80CBCE4B49E20EB28A92', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (17, 'msg_7d75105f62f589ac', 1, 17, 'm17', 'user', NULL, NULL, NULL, NULL, 'message 17: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'53652EF283D7D206A12173B797C0187DE56B281B03E70141B2786826AD1164FA', X'77BC976EA9472223BB6D0536C971DAE4E2AF25D8F7F72F42C5D20962110A9A6B', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (18, 'msg_ae38982d843f0620', 1, 18, 'm18', 'assistant', NULL, NULL, NULL, NULL, 'message 18: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'1C2D0A1B67790CA45872DDF3E409A3D9FEA968ACF857D649C0873C9CBADD61D9', X'C8BD5854E25939C76C3DA397216F4DDB3F6040A29DA79DC9AC9E835C89FC2DF9', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (19, 'msg_8521e02db22b683f', 1, 19, 'm19', 'user', NULL, NULL, NULL, NULL, 'message 19: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'32EF3A9A639AA1D108F6039238A0AE52FC8A8D0BF771374E4E29B7AD5B97946F', X'033509339C065B2396987ED395341ACF6CB9FB8F11D2EE4831B972443FA90738', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (2, 'msg_634e3f1f1893576c', 1, 2, 'm2', 'assistant', NULL, NULL, NULL, NULL, 'message 2: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'7ED298A71E3D0A54C166A60481921CC8EC9532B72ACF54A8A83F8A7A41FA03C8', X'67CED309A9918D60FF04936C13199790BDE6979DA7284F6447836F40FB91D4A9', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (20, 'msg_6f7e9be6a4947075', 1, 20, 'm20', 'assistant', NULL, NULL, NULL, NULL, 'message 20: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'79436BC27BD3B7C65F0F1E10DDEDD1EDB6847E190D9E0AD2E261ACC552214D33', X'AAEC0B4143C66295B9D54020CAC21C67FBDCFFCE7EEEAB59B200839373582D02', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (21, 'msg_7d91499043e2c567', 1, 21, 'm21', 'user', NULL, NULL, NULL, NULL, 'message 21: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'115989E0CF4AC9C810854A08BCDCB5629D57A6F39F7AF3281DCF8F1F372F8FF5', X'45D0953CFC973F66834D2DC8F91409AFA6183063669D9A1F0BBC6AC1E8AD3272', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (22, 'msg_06da88daaf6113a4', 1, 22, 'm22', 'assistant', NULL, NULL, NULL, NULL, 'message 22: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'57D2113C870C35082FDC9822EDC8FA244E8ED8BEB56AE5C4D30457E1DA464C96', X'A3F41EB67E9B7A51C9F36224CDA891CFA93498751390F1EC09271E34A86CEC53', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (23, 'msg_d4c04fe044339fa6', 1, 23, 'm23', 'user', NULL, NULL, NULL, NULL, 'message 23: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'533C1A76D85D49843EAF79A240760CD5DF8EF87A8BA0F5438AC6DF70348C6B20', X'D090524BBDA00D58C3CDF30205851D40CAC5E3ADB89E53B11C438A514B26EA72', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (24, 'msg_05766a74f8f0cb9b', 1, 24, 'm24', 'assistant', NULL, NULL, NULL, NULL, 'message 24: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'7A77DB15A4B3028BF30F3065B6945C86248D37887419B8D26C6681C29F4DD657', X'FC5224729F8977E95B5C9756011EE33C6565E382836CD5F2E8633CF5444B5C69', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (25, 'msg_a3ce4e84d557186b', 2, 1, 'u1', 'user', NULL, 's', NULL, NULL, 'line 1 about the wombat', NULL, 7, X'63AA683843AD3D3F5A227CC7AD0711A06D0EAF2A90E960893FD346E46814DB63', X'02DF1F2E07101367BBC4E399CA249D3247FB6482C393D8B094ABCF83CFA12BDF', 1794988428379);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (26, 'msg_bab8f36262ef2ec6', 2, 2, 'u2', 'user', NULL, 's', NULL, NULL, 'line 2 about the wombat', NULL, 7, X'0CDB71AF9C38AE72227DE6343BD26CDE1394A0D3A34DB5185264B5592CD50AC8', X'7D7D95BE87CF8C74E971097510EA130A77954436E5F0251AEBFEF4A46FB6705F', 1794988428379);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (27, 'msg_93d809cd2d8f479a', 3, 1, NULL, 'tool', NULL, NULL, NULL, NULL, X'28B52FFD601105D5040052C91C1FA035E9FFFFA3ABEAC2B67C6745FA35B5465205CC4A29A5945202AB54201806CDAB8967F5E6D5C4B37AF36AA249204771D0FFF33D7B2FF0BF04886CD9865D3008A58D83A318008B0063F5E6D5C4B37AF36AE259BD7935F1ACDEBC9A78566F5E4D3C2B5A12C52088C338841C0E19123A2D891250A811E0EBCFD618E0A5610E101201111241117E0810F52648EE1F053E1080E26161AB01', NULL, 575, X'A6E8070821917CC2B17096D29C79B6C5BAF71F39491CF68215AE48325AA5C4CE', X'274852B4680BF11C3CBF5A06B7CBE3377E77340FFE1E9AF45B44070B8D6DC156', 1794988429033);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (3, 'msg_92acb970891a610b', 1, 3, 'm3', 'user', NULL, NULL, NULL, NULL, 'message 3: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'877E530239424462B3361804DFDBB068F1F0278D5D8163F904E6AD79F83A2B94', X'37122679EAF1BEB1DD3E89E04644743C5A41374A69872E865113A091441A8742', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (4, 'msg_127a54d2c77908eb', 1, 4, 'm4', 'assistant', NULL, NULL, NULL, NULL, 'message 4: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'A135D0F896A3DECE57CA373E5C5D08A2CCA37659E54AE0C6E9BF865B73DB08B7', X'BEC855FBC33CFB0B6A155C5956F561129F4163B260B98D908E4DCFC3EEF157C1', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (5, 'msg_baeecd6c4825593d', 1, 5, 'm5', 'user', NULL, NULL, NULL, NULL, 'message 5: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'CB90C6AFC85F62B03F73FAEE2CD6FD7D04789D95868AD71E1E5009A4E64169FC', X'A4E026F18A2072D9254FC68A17C351D6B2DE4EA6DC33F14DC5711BA2927F770B', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (6, 'msg_bdb59be2b1250ae5', 1, 6, 'm6', 'assistant', NULL, NULL, NULL, NULL, 'message 6: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'A98A9A8406DCCEA4FC43EBBADFFDF5B0D8856596D5C116261F0C46C35295DF37', X'D19A079DE6A111446DAED4E9C62D57C5A929D5717727379381FB258C84783135', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (7, 'msg_52b769d0c7910e32', 1, 7, 'm7', 'user', NULL, NULL, NULL, NULL, 'message 7: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'5C7AE59D318CD7B033C2E5219CE3CC0B4D1C708CD097FC9AD26C93ACC106F46F', X'8141620BD11727606B48794447FC5C815E20839C962A99EBA8DD61436AC68AE8', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (8, 'msg_f39746492a125301', 1, 8, 'm8', 'assistant', NULL, NULL, NULL, NULL, 'message 8: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'5F8CD44EEC00491F357841F1C388DF80A53A4562D0435FC7BDCA5D980B349282', X'8A213FA3935231472BBD12CC84D29D6D126086D6BD44F136D729174C58CD1B3F', 1794988427953);
INSERT INTO messages (number, message_id, conversation, seq, external_id, role, speaker, session, at_text, at_instant, content, shape, token_count, content_hash, chain_hash, stored_at) VALUES (9, 'msg_33371b78d029fc8e', 1, 9, 'm9', 'user', NULL, NULL, NULL, NULL, 'message 9: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents. It was tried again and again. It was tried again and again. It was tried again and again. ', NULL, 53, X'B950AA982AB494233CD21A129ED7E0CF6DAE4E7F00FA124E991838FF0E0AF63D', X'A8E8C6F68BA0A92369B1962068C42D91856459BBCC64A2C84881287F3426DFA7', 1794988427953);
INSERT INTO quarantine (generation, line, byte_offset, byte_count, reason) VALUES (1, 1, 117, 9, 'not JSON: key must be a string at line 1 column 3');
INSERT INTO reservations (number, operation, project_id, session, model, day, tokens_in, tokens_out, cache_read, cache_write, tokens_avoided, money_micros, reserved_at, expires_at) VALUES (1, 'context', NULL, 's', 'm', 20000, 1, 2, 0, 0, 0, 5, 1767225600000, 1767225900000);
INSERT INTO spending_stopped (one, stopped_at) VALUES (1, 1767225600000);
INSERT INTO summaries (number, summary_id, conversation, first_seq, last_seq, depth, content, token_count, source_tokens, from_text, until_text, method, model, prompt, reason, kept_facts, all_facts, redoes, stored_at) VALUES (1, 'sum_9f41d855a41b4359', 1, 1, 5, 0, 'Asked: We decided to use integer cents. It was tried again and again.
Expand for details about: the exact words.', 25, 265, NULL, NULL, 'extractive', NULL, NULL, 'manual', 1, 1, NULL, 1794988430839);
INSERT INTO summaries (number, summary_id, conversation, first_seq, last_seq, depth, content, token_count, source_tokens, from_text, until_text, method, model, prompt, reason, kept_facts, all_facts, redoes, stored_at) VALUES (2, 'sum_6bddb83104e68296', 1, 6, 10, 0, 'Result: message 6: the quokka port is 5432, and src/store.rs failed with error[E0382]. We decided to use integer cents.
Expand for details about: the exact words.', 42, 265, NULL, NULL, 'extractive', NULL, NULL, 'manual', 1, 1, NULL, 1794988430921);
INSERT INTO summaries (number, summary_id, conversation, first_seq, last_seq, depth, content, token_count, source_tokens, from_text, until_text, method, model, prompt, reason, kept_facts, all_facts, redoes, stored_at) VALUES (3, 'sum_45ca3930c3836a3f', 1, 11, 15, 0, 'Asked: We decided to use integer cents. It was tried again and again.
Expand for details about: the exact words.', 25, 265, NULL, NULL, 'extractive', NULL, NULL, 'manual', 1, 1, NULL, 1794988430962);
INSERT INTO tails (generation, original_bytes, original_hash, compressed) VALUES (1, 11, X'FDBA7A32F6D20CDAE5751275F9D60A397502EC945A669BFCD53D096AC3F445F3', X'28B52FFD200B5900007B2274797065223A227573');
CREATE UNIQUE INDEX messages_external ON messages (conversation, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX ledger_entries_by_time ON ledger_entries (at);
CREATE UNIQUE INDEX ledger_entries_booked ON ledger_entries (reservation)
  WHERE reservation IS NOT NULL AND basis <> 'corrected';
CREATE UNIQUE INDEX ledger_entries_corrected ON ledger_entries (reservation)
  WHERE reservation IS NOT NULL AND basis = 'corrected';
CREATE INDEX ledger_totals_of_calls ON ledger_totals (day) WHERE model <> '';
CREATE INDEX ledger_totals_of_sessions ON ledger_totals (session) WHERE model <> '';
CREATE INDEX generations_by_conversation ON generations (conversation);
CREATE INDEX summaries_by_place ON summaries (conversation, first_seq);
CREATE INDEX summaries_redone ON summaries (redoes) WHERE redoes IS NOT NULL;
CREATE INDEX conversation_facts_by_place ON conversation_facts (conversation, first_seq);
CREATE TRIGGER messages_are_never_changed BEFORE UPDATE ON messages
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE TRIGGER messages_are_never_deleted BEFORE DELETE ON messages
BEGIN SELECT RAISE(ABORT, 'messages are append-only'); END;
CREATE TRIGGER ledger_entries_are_never_changed BEFORE UPDATE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'ledger entries are append-only'); END;
CREATE TRIGGER artifacts_are_never_changed BEFORE UPDATE ON artifacts
BEGIN SELECT RAISE(ABORT, 'artifacts are append-only'); END;
CREATE TRIGGER artifacts_are_never_deleted BEFORE DELETE ON artifacts
BEGIN SELECT RAISE(ABORT, 'artifacts are append-only'); END;
CREATE TRIGGER frames_are_never_changed BEFORE UPDATE ON frames
BEGIN SELECT RAISE(ABORT, 'frames are append-only'); END;
CREATE TRIGGER frames_are_never_deleted BEFORE DELETE ON frames
BEGIN SELECT RAISE(ABORT, 'frames are append-only'); END;
CREATE TRIGGER generations_keep_their_frames BEFORE UPDATE ON generation_frames
BEGIN SELECT RAISE(ABORT, 'frames of a generation are append-only'); END;
CREATE TRIGGER generations_lose_no_frame BEFORE DELETE ON generation_frames
BEGIN SELECT RAISE(ABORT, 'frames of a generation are append-only'); END;
CREATE TRIGGER summaries_are_never_changed BEFORE UPDATE ON summaries
BEGIN SELECT RAISE(ABORT, 'summaries are append-only'); END;
CREATE TRIGGER summaries_are_never_deleted BEFORE DELETE ON summaries
BEGIN SELECT RAISE(ABORT, 'summaries are append-only'); END;
CREATE TRIGGER covers_are_never_changed BEFORE UPDATE ON summary_covers
BEGIN SELECT RAISE(ABORT, 'summary covers are append-only'); END;
CREATE TRIGGER covers_are_never_deleted BEFORE DELETE ON summary_covers
BEGIN SELECT RAISE(ABORT, 'summary covers are append-only'); END;
PRAGMA user_version = 4;
COMMIT;

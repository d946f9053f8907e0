-- Summaries, the context they stand in, facts, jobs, grants.

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

CREATE INDEX summaries_by_place ON summaries (conversation, first_seq);
CREATE INDEX summaries_redone ON summaries (redoes) WHERE redoes IS NOT NULL;

CREATE TABLE summary_covers (
  summary INTEGER NOT NULL REFERENCES summaries (number) ON DELETE RESTRICT,
  ordinal INTEGER NOT NULL,
  covered INTEGER NOT NULL REFERENCES summaries (number) ON DELETE RESTRICT,
  PRIMARY KEY (summary, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER summaries_are_never_changed BEFORE UPDATE ON summaries
BEGIN SELECT RAISE(ABORT, 'summaries are append-only'); END;
CREATE TRIGGER summaries_are_never_deleted BEFORE DELETE ON summaries
BEGIN SELECT RAISE(ABORT, 'summaries are append-only'); END;
CREATE TRIGGER covers_are_never_changed BEFORE UPDATE ON summary_covers
BEGIN SELECT RAISE(ABORT, 'summary covers are append-only'); END;
CREATE TRIGGER covers_are_never_deleted BEFORE DELETE ON summary_covers
BEGIN SELECT RAISE(ABORT, 'summary covers are append-only'); END;

-- The state of a conversation's context. A conversation that was never folded has no row.
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

-- The summaries that are active. Messages that none of them stands for are part of the context as themselves and have
-- no row; the place of an item is that of the first message it stands for.
CREATE TABLE context_items (
  conversation INTEGER NOT NULL REFERENCES contexts (conversation) ON DELETE RESTRICT,
  ordinal      INTEGER NOT NULL,
  summary      INTEGER NOT NULL UNIQUE REFERENCES summaries (number) ON DELETE RESTRICT,
  PRIMARY KEY (conversation, ordinal)
) STRICT, WITHOUT ROWID;

-- Taken from messages by rule, and taken again when the rules change.
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

CREATE INDEX conversation_facts_by_place ON conversation_facts (conversation, first_seq);

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

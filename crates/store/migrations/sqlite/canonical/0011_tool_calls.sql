-- Every dispatch of an operation, what it spared its reader and what it cost it; and what was learned of how files are
-- best shown.

CREATE TABLE tool_calls (
  -- Never given twice: who follows the table asks for what came behind a number.
  number               INTEGER PRIMARY KEY AUTOINCREMENT,
  at                   INTEGER NOT NULL,
  day                  INTEGER NOT NULL,
  door                 TEXT NOT NULL CHECK (door IN ('cli', 'mcp', 'http', 'hook')),
  session              TEXT,
  project_id           TEXT,
  agent                TEXT,
  tool                 TEXT NOT NULL,
  operation            TEXT NOT NULL,
  mode                 TEXT,
  place                TEXT,
  language             TEXT,
  size_bucket          TEXT,
  formula              TEXT NOT NULL,
  certainty            TEXT NOT NULL CHECK (certainty IN ('measured', 'estimated')),
  bytes_raw            INTEGER NOT NULL,
  bytes_shown          INTEGER NOT NULL,
  bytes_avoided        INTEGER NOT NULL,
  tokens_raw           INTEGER NOT NULL,
  tokens_shown         INTEGER NOT NULL,
  tokens_avoided       INTEGER NOT NULL,
  money_avoided_micros INTEGER NOT NULL,
  elapsed_us           INTEGER NOT NULL,
  turn                 INTEGER NOT NULL,
  -- Of questions.
  query                TEXT,
  intent               TEXT,
  strategy             TEXT,
  gate                 TEXT,
  result_count         INTEGER
) STRICT;

CREATE INDEX tool_calls_by_time ON tool_calls (at, number);
CREATE INDEX tool_calls_by_session ON tool_calls (session, number);

CREATE TRIGGER tool_calls_are_never_changed BEFORE UPDATE ON tool_calls
BEGIN SELECT RAISE(ABORT, 'tool calls are append-only'); END;

-- What calls add up to, kept when they are dropped. What there is none of is an empty text here, because a key has no
-- nulls.
CREATE TABLE tool_call_totals (
  day                  INTEGER NOT NULL,
  session              TEXT NOT NULL,
  operation            TEXT NOT NULL,
  project_id           TEXT NOT NULL,
  agent                TEXT NOT NULL,
  door                 TEXT NOT NULL,
  formula              TEXT NOT NULL,
  certainty            TEXT NOT NULL,
  call_count           INTEGER NOT NULL,
  first_at             INTEGER NOT NULL,
  last_at              INTEGER NOT NULL,
  bytes_raw            INTEGER NOT NULL,
  bytes_shown          INTEGER NOT NULL,
  bytes_avoided        INTEGER NOT NULL,
  tokens_raw           INTEGER NOT NULL,
  tokens_shown         INTEGER NOT NULL,
  tokens_avoided       INTEGER NOT NULL,
  money_avoided_micros INTEGER NOT NULL,
  PRIMARY KEY (day, session, operation, project_id, agent, door, formula, certainty)
) STRICT, WITHOUT ROWID;

CREATE INDEX tool_call_totals_of_sessions ON tool_call_totals (session);

-- How well a mode of showing did for files of a language and a size, for agents that work in one way.
CREATE TABLE mode_arms (
  language       TEXT NOT NULL,
  size_bucket    TEXT NOT NULL,
  pattern        TEXT NOT NULL,
  mode           TEXT NOT NULL,
  sample_count   INTEGER NOT NULL,
  reread_count   INTEGER NOT NULL,
  -- Sums of rewards and of their squares, in millionths.
  reward_micros  INTEGER NOT NULL,
  square_micros  INTEGER NOT NULL,
  PRIMARY KEY (language, size_bucket, pattern, mode)
) STRICT, WITHOUT ROWID;

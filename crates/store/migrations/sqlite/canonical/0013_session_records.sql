-- What is kept of the work of sessions beside their messages: checkpoints, subscriptions, suggestions, and what happened to
-- each. Both are only ever added.

CREATE TABLE session_records (
  number     INTEGER PRIMARY KEY,
  record_id  TEXT NOT NULL UNIQUE,
  kind       TEXT NOT NULL CHECK (kind IN ('checkpoint', 'subscription', 'suggestion')),
  project_id TEXT NOT NULL,
  -- The name of its conversation, which may come later.
  session    TEXT NOT NULL,
  -- Of checkpoints.
  step       INTEGER NOT NULL,
  -- The record that it follows from: of a suggestion its subscription.
  about      TEXT,
  -- A JSON object.
  content    TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX session_records_by_session ON session_records (session, kind, number);
CREATE INDEX session_records_by_project ON session_records (project_id, kind, number);

CREATE TABLE session_record_notes (
  -- Their order: clocks may jump.
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  record INTEGER NOT NULL REFERENCES session_records (number) ON DELETE RESTRICT,
  at     INTEGER NOT NULL,
  event  TEXT NOT NULL
) STRICT;

CREATE INDEX session_record_notes_by_record ON session_record_notes (record, number);

CREATE TRIGGER session_records_are_never_changed BEFORE UPDATE ON session_records
BEGIN SELECT RAISE(ABORT, 'session records are append-only'); END;
CREATE TRIGGER session_records_are_never_deleted BEFORE DELETE ON session_records
BEGIN SELECT RAISE(ABORT, 'session records are append-only'); END;
CREATE TRIGGER session_record_notes_are_never_changed BEFORE UPDATE ON session_record_notes
BEGIN SELECT RAISE(ABORT, 'notes of session records are append-only'); END;
CREATE TRIGGER session_record_notes_are_never_deleted BEFORE DELETE ON session_record_notes
BEGIN SELECT RAISE(ABORT, 'notes of session records are append-only'); END;

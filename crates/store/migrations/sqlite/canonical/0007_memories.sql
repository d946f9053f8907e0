-- Memories: texts that later sessions are told, and what happened to each. Both are only ever added.

CREATE TABLE memories (
  number          INTEGER PRIMARY KEY,
  memory_id       TEXT NOT NULL UNIQUE,
  kind            TEXT NOT NULL,
  -- None where it is for its user, in every project.
  project_id      TEXT,
  conversation_id TEXT,
  content         TEXT NOT NULL,
  depth           INTEGER NOT NULL,
  created_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX memories_by_project ON memories (project_id);

CREATE TABLE memory_notes (
  -- Their order: clocks may jump.
  number        INTEGER PRIMARY KEY AUTOINCREMENT,
  memory        INTEGER NOT NULL REFERENCES memories (number) ON DELETE RESTRICT,
  at            INTEGER NOT NULL,
  event         TEXT NOT NULL,
  -- Of statements, in hundredths.
  certainty     INTEGER,
  -- Words and ids, with blanks between them.
  tags          TEXT,
  sources       TEXT,
  metadata      TEXT,
  said_at       INTEGER,
  superseded_by TEXT
) STRICT;

CREATE INDEX memory_notes_by_memory ON memory_notes (memory, number);

CREATE TRIGGER memories_are_never_changed BEFORE UPDATE ON memories
BEGIN SELECT RAISE(ABORT, 'memories are append-only'); END;
CREATE TRIGGER memories_are_never_deleted BEFORE DELETE ON memories
BEGIN SELECT RAISE(ABORT, 'memories are append-only'); END;
CREATE TRIGGER memory_notes_are_never_changed BEFORE UPDATE ON memory_notes
BEGIN SELECT RAISE(ABORT, 'memory notes are append-only'); END;
CREATE TRIGGER memory_notes_are_never_deleted BEFORE DELETE ON memory_notes
BEGIN SELECT RAISE(ABORT, 'memory notes are append-only'); END;

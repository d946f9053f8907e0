-- The raw archive: every line of every imported transcript. Frames are only ever added, and so is what says which
-- generation they belong to.

-- Stretches of transcripts, compressed. Equal stretches are one row.
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

-- What was read of a transcript from one beginning.
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

CREATE INDEX generations_by_conversation ON generations (conversation);

CREATE TABLE generation_frames (
  generation INTEGER NOT NULL REFERENCES generations (number) ON DELETE RESTRICT,
  ordinal    INTEGER NOT NULL,
  frame      INTEGER NOT NULL REFERENCES frames (number) ON DELETE RESTRICT,
  line_count INTEGER NOT NULL,
  -- Whether the projection was paused behind it: the same lines with the same pauses give the same messages.
  paused     INTEGER NOT NULL,
  PRIMARY KEY (generation, ordinal)
) STRICT, WITHOUT ROWID;

-- What lies behind the last whole line of a generation. Replaced when the file goes on: what comes begins with it.
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

-- Which lines a message was made from, as runs (`3-5,9`), and how its source joins it to others, by their external ids.
CREATE TABLE message_origins (
  generation  INTEGER NOT NULL REFERENCES generations (number) ON DELETE RESTRICT,
  message     INTEGER NOT NULL REFERENCES messages (number) ON DELETE RESTRICT,
  lines       TEXT NOT NULL,
  parent      TEXT,
  thread      TEXT,
  continues   TEXT,
  PRIMARY KEY (generation, message)
) STRICT, WITHOUT ROWID;

-- Large content that is kept outside of its message, once. The bytes are in files beside the database.
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

-- Facts about the code of one project. All of it can be rebuilt from the disk, so there are no steps from one schema to
-- the next: a file of another schema starts anew (`INDEX` in sqlite/schema.rs numbers them).
--
-- Numbers that callers hold (worktrees, segments, files) count on and never come back (AUTOINCREMENT): what was dropped
-- meanwhile must be missing, not something else.

CREATE TABLE worktrees (
  number        INTEGER PRIMARY KEY AUTOINCREMENT,
  root          TEXT NOT NULL UNIQUE,
  -- What is kept of a worktree outside of this file names it, so that a new file is never taken for an old one.
  identity      INTEGER NOT NULL DEFAULT (random()),
  finished_at   INTEGER,
  -- When a run first finished.
  first_finished_at INTEGER,
  -- The commit that its files were last compared at.
  commit_id     TEXT,
  -- Counts the changes of its files.
  version       INTEGER NOT NULL DEFAULT 0,
  -- The version its edges were made from, and what else.
  resolved      INTEGER,
  resolved_with INTEGER,
  CHECK ((resolved IS NULL) = (resolved_with IS NULL))
) STRICT;

CREATE TABLE segments (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  first_unit INTEGER NOT NULL,
  unit_count INTEGER NOT NULL,
  lengths    BLOB NOT NULL
) STRICT;

-- The segment first: a segment is written and dropped as one, and there are few of them to look a term up in. No
-- foreign key: checking each of the many small rows would cost more than writing it.
CREATE TABLE postings (
  segment    INTEGER NOT NULL,
  -- A row holds the terms from this one on, up to the next row (sqlite/blocks.rs).
  first_term TEXT NOT NULL,
  bytes      BLOB NOT NULL,
  PRIMARY KEY (segment, first_term)
) STRICT;

CREATE TABLE files (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  path         TEXT NOT NULL,
  hash         BLOB NOT NULL,
  made         INTEGER NOT NULL,
  language     TEXT,
  line_count   INTEGER NOT NULL,
  segment      INTEGER NOT NULL REFERENCES segments (number),
  first_unit   INTEGER NOT NULL,
  unit_count   INTEGER NOT NULL,
  symbol_count INTEGER NOT NULL,
  -- Why it is understood in part, one reason a line.
  problems     TEXT,
  UNIQUE (path, hash, made)
) STRICT;
CREATE INDEX files_by_segment ON files (segment);
CREATE INDEX files_with_problems ON files (number) WHERE problems IS NOT NULL;

-- Apart from `files`, whose rows are all read at every run and should be small.
CREATE TABLE facts (
  file    INTEGER PRIMARY KEY REFERENCES files (number) ON DELETE CASCADE,
  symbols BLOB NOT NULL,
  uses    BLOB NOT NULL,
  texts   BLOB NOT NULL,
  vectors BLOB NOT NULL,
  document BLOB NOT NULL
) STRICT;

CREATE TABLE worktree_files (
  worktree INTEGER NOT NULL REFERENCES worktrees (number) ON DELETE CASCADE,
  path     TEXT NOT NULL,
  file     INTEGER NOT NULL REFERENCES files (number),
  bytes    INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  PRIMARY KEY (worktree, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX worktree_files_by_file ON worktree_files (file);

-- What changed since edges were written: the version a path led to then, or none.
CREATE TABLE changes (
  worktree INTEGER NOT NULL REFERENCES worktrees (number) ON DELETE CASCADE,
  path     TEXT NOT NULL,
  before   INTEGER REFERENCES files (number),
  PRIMARY KEY (worktree, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_by_file ON changes (before);

CREATE TABLE edges (
  worktree   INTEGER NOT NULL REFERENCES worktrees (number) ON DELETE CASCADE,
  path       TEXT NOT NULL,
  edge_count INTEGER NOT NULL,
  bytes      BLOB NOT NULL,
  PRIMARY KEY (worktree, path)
) STRICT;

CREATE TABLE redirects (
  number  INTEGER PRIMARY KEY AUTOINCREMENT,
  from_id TEXT NOT NULL UNIQUE,
  to_id   TEXT NOT NULL
) STRICT;

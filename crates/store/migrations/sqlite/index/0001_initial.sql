-- Facts about the code of one project. All of it can be rebuilt from the disk.
--
-- Numbers that callers hold (worktrees, segments, files) count on and never come back (AUTOINCREMENT): what was dropped
-- meanwhile must be missing, not something else.

CREATE TABLE worktrees (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  root        TEXT NOT NULL UNIQUE,
  finished_at INTEGER
) STRICT;

CREATE TABLE segments (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  first_unit INTEGER NOT NULL,
  unit_count INTEGER NOT NULL,
  lengths    BLOB NOT NULL
) STRICT;

-- No foreign key: with the term first, each segment deleted would cost a pass over the whole table. The store deletes
-- the postings of all unused segments in one.
CREATE TABLE postings (
  term    TEXT NOT NULL,
  segment INTEGER NOT NULL,
  bytes   BLOB NOT NULL,
  PRIMARY KEY (term, segment)
) STRICT, WITHOUT ROWID;

CREATE TABLE files (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  path       TEXT NOT NULL,
  hash       BLOB NOT NULL,
  language   TEXT,
  line_count INTEGER NOT NULL,
  segment    INTEGER NOT NULL REFERENCES segments (number),
  first_unit INTEGER NOT NULL,
  unit_count INTEGER NOT NULL,
  symbol_count INTEGER NOT NULL,
  edge_count   INTEGER NOT NULL,
  UNIQUE (path, hash)
) STRICT;
CREATE INDEX files_by_segment ON files (segment);

CREATE TABLE worktree_files (
  worktree INTEGER NOT NULL REFERENCES worktrees (number) ON DELETE CASCADE,
  path     TEXT NOT NULL,
  file     INTEGER NOT NULL REFERENCES files (number),
  bytes    INTEGER NOT NULL,
  modified INTEGER NOT NULL,
  PRIMARY KEY (worktree, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX worktree_files_by_file ON worktree_files (file);

CREATE TABLE symbols (
  file       INTEGER NOT NULL REFERENCES files (number) ON DELETE CASCADE,
  ordinal    INTEGER NOT NULL,
  -- The part of the symbol id after `#`; the path before it is the file's.
  chain      TEXT NOT NULL,
  name       TEXT NOT NULL,
  kind       TEXT NOT NULL,
  container  TEXT,
  start_byte INTEGER NOT NULL,
  end_byte   INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line   INTEGER NOT NULL,
  name_line  INTEGER NOT NULL,
  signature  TEXT NOT NULL,
  doc        TEXT,
  PRIMARY KEY (file, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE units (
  number     INTEGER PRIMARY KEY,
  file       INTEGER NOT NULL REFERENCES files (number) ON DELETE CASCADE,
  start_line INTEGER NOT NULL,
  end_line   INTEGER NOT NULL,
  symbol     INTEGER
) STRICT;
CREATE INDEX units_by_file ON units (file);

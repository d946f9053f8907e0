-- What proves that nothing was lost: the state of the database, which the anchor outside of it repeats, and what was
-- removed on purpose.

-- One row. The sums are those of all rows of every table (sqlite/sums.rs), counted when the schema is brought up to date
-- and carried on by every commit.
CREATE TABLE store_state (
  one             INTEGER PRIMARY KEY CHECK (one = 1),
  -- Drawn once, so that another database in the same place is known to be another.
  database_id     TEXT NOT NULL,
  -- Counts the commits that changed what is kept.
  number          INTEGER NOT NULL,
  key_fingerprint TEXT,
  sums            BLOB NOT NULL
) STRICT;

INSERT INTO store_state (one, database_id, number, sums) VALUES (1, lower(hex(randomblob(8))), 0, x'');

-- What was removed or replaced on purpose. The anchor repeats it.
CREATE TABLE removals (
  number    INTEGER PRIMARY KEY,
  at        INTEGER NOT NULL,
  reason    TEXT NOT NULL,
  -- Its kind and what names it, written as in the anchor.
  subject   TEXT NOT NULL,
  old_count INTEGER,
  old_hash  TEXT,
  new_count INTEGER,
  new_hash  TEXT
) STRICT;

CREATE TRIGGER removals_are_never_changed BEFORE UPDATE ON removals
BEGIN SELECT RAISE(ABORT, 'removals are append-only'); END;
CREATE TRIGGER removals_are_never_deleted BEFORE DELETE ON removals
BEGIN SELECT RAISE(ABORT, 'removals are append-only'); END;

-- Of everything about a message that its content hash does not cover; null for messages from before.
ALTER TABLE messages ADD COLUMN seal INTEGER;

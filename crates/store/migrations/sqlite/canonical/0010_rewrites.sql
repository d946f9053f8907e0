-- Changes of canonical data that a person asked for: secrets purged, a project's data removed. Only ever added.

CREATE TABLE rewrites (
  number      INTEGER PRIMARY KEY AUTOINCREMENT,
  at          INTEGER NOT NULL,
  reason      TEXT NOT NULL CHECK (reason IN ('purged', 'forgotten')),
  subject     TEXT NOT NULL,
  item_count  INTEGER NOT NULL,
  hash_before BLOB NOT NULL,
  hash_after  BLOB
) STRICT;

CREATE TRIGGER rewrites_are_never_changed BEFORE UPDATE ON rewrites
BEGIN SELECT RAISE(ABORT, 'rewrites are append-only'); END;
CREATE TRIGGER rewrites_are_never_deleted BEFORE DELETE ON rewrites
BEGIN SELECT RAISE(ABORT, 'rewrites are append-only'); END;

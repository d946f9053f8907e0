-- Entities that people and agents name, and links between them and anything that has an id: statements that are only
-- ever added, of which the newest counts.

CREATE TABLE entities (
  -- Their order: clocks may jump.
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  entity_id  TEXT NOT NULL,
  project_id TEXT NOT NULL,
  state      TEXT NOT NULL,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  content    TEXT,
  summary    TEXT,
  metadata   TEXT,
  file_path  TEXT,
  stated_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX entities_by_project ON entities (project_id, number);

CREATE TABLE entity_links (
  number       INTEGER PRIMARY KEY AUTOINCREMENT,
  link_id      TEXT NOT NULL,
  project_id   TEXT NOT NULL,
  state        TEXT NOT NULL,
  source       TEXT NOT NULL,
  target       TEXT NOT NULL,
  relationship TEXT NOT NULL,
  -- In hundredths.
  weight       INTEGER NOT NULL,
  metadata     TEXT,
  stated_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX entity_links_by_project ON entity_links (project_id, number);

CREATE TRIGGER entities_are_never_changed BEFORE UPDATE ON entities
BEGIN SELECT RAISE(ABORT, 'entities are append-only'); END;
CREATE TRIGGER entities_are_never_deleted BEFORE DELETE ON entities
BEGIN SELECT RAISE(ABORT, 'entities are append-only'); END;
CREATE TRIGGER entity_links_are_never_changed BEFORE UPDATE ON entity_links
BEGIN SELECT RAISE(ABORT, 'entity links are append-only'); END;
CREATE TRIGGER entity_links_are_never_deleted BEFORE DELETE ON entity_links
BEGIN SELECT RAISE(ABORT, 'entity links are append-only'); END;

-- What models made of the texts of one project, by the digest of what they were shown. It may have cost money, so it is
-- not thrown away with an index, and it belongs to no version of a file: what moves or comes back is not made again.

CREATE TABLE symbol_summaries (
  summary_key BLOB PRIMARY KEY,
  summary     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A model, its version and its dimensions: vectors of different spaces are never compared.
CREATE TABLE vector_spaces (
  number     INTEGER PRIMARY KEY AUTOINCREMENT,
  model      TEXT NOT NULL,
  version    TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  UNIQUE (model, version, dimensions)
) STRICT;

-- No numbers where a model has nothing to say about a text.
CREATE TABLE vectors (
  space    INTEGER NOT NULL REFERENCES vector_spaces (number),
  text_key BLOB NOT NULL,
  numbers  BLOB NOT NULL,
  PRIMARY KEY (space, text_key)
) STRICT, WITHOUT ROWID;

-- What was used of answers: a row for each answer, and one for each place that it listed.

CREATE TABLE answers (
  answer_key BLOB PRIMARY KEY,
  project_id TEXT NOT NULL,
  session    TEXT NOT NULL,
  at         INTEGER NOT NULL,
  operation  TEXT NOT NULL,
  question   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX answers_by_time ON answers (project_id, at);

CREATE TABLE answer_places (
  answer_key BLOB NOT NULL,
  place      INTEGER NOT NULL,
  source     TEXT NOT NULL,
  used_by    TEXT,
  PRIMARY KEY (answer_key, place)
) STRICT, WITHOUT ROWID;

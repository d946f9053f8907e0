-- When a model made its first vector for the project; 0 for models from before this was noted.
ALTER TABLE vector_spaces ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;

-- Grows with every summary that is written, so that a reader sees at once whether there are others than it knows.
ALTER TABLE symbol_summaries ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
CREATE INDEX symbol_summaries_by_revision ON symbol_summaries (revision);

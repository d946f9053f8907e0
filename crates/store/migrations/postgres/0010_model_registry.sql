-- When a model made its first vector for the project; 0 for models from before this was noted.
ALTER TABLE epitome.vector_spaces ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0;

-- Grows with every summary that is written, so that a reader sees at once whether there are others than it knows.
CREATE SEQUENCE epitome.symbol_summary_revisions;
ALTER TABLE epitome.symbol_summaries
  ADD COLUMN revision BIGINT NOT NULL DEFAULT nextval('epitome.symbol_summary_revisions');
CREATE INDEX symbol_summaries_by_revision ON epitome.symbol_summaries (project_id, tenant_id, revision);

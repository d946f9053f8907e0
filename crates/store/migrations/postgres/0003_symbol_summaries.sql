-- What models said about symbols, by the digest of what they were shown. It belongs to no version of a file, so text
-- that moves or comes back is never paid for twice.

CREATE TABLE epitome.symbol_summaries (
  tenant_id   TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  project_id  TEXT COLLATE "C" NOT NULL,
  summary_key BYTEA NOT NULL,
  summary     TEXT NOT NULL,
  PRIMARY KEY (summary_key, project_id, tenant_id)
);

ALTER TABLE epitome.symbol_summaries ENABLE ROW LEVEL SECURITY;
ALTER TABLE epitome.symbol_summaries FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON epitome.symbol_summaries
  USING (tenant_id = NULLIF(current_setting('epitome.tenant', true), ''))
  WITH CHECK (tenant_id = NULLIF(current_setting('epitome.tenant', true), ''));

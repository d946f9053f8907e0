-- What was used of answers: a row for each answer, and one for each place that it listed.

CREATE TABLE epitome.answers (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  answer_key BYTEA NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  session    TEXT NOT NULL,
  at         BIGINT NOT NULL,
  operation  TEXT NOT NULL,
  question   TEXT NOT NULL,
  PRIMARY KEY (answer_key, tenant_id)
);

CREATE INDEX answers_by_time ON epitome.answers (project_id, at);

CREATE TABLE epitome.answer_places (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  answer_key BYTEA NOT NULL,
  place      BIGINT NOT NULL,
  source     TEXT NOT NULL,
  used_by    TEXT,
  PRIMARY KEY (answer_key, place, tenant_id)
);

DO $$
DECLARE
  name TEXT;
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  FOREACH name IN ARRAY ARRAY['answers', 'answer_places']
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I ALTER COLUMN tenant_id SET DEFAULT %s', name, tenant);
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
      name, tenant, tenant);
  END LOOP;
END $$;

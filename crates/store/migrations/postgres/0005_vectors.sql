-- Vectors of texts, by the digest of each. A space is a model, its version and its dimensions; `space_key` is the digest
-- of the three, and vectors of different spaces are never compared.

CREATE TABLE epitome.vector_spaces (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  space_key  BYTEA NOT NULL,
  model      TEXT NOT NULL,
  version    TEXT NOT NULL,
  dimensions BIGINT NOT NULL,
  PRIMARY KEY (space_key, project_id, tenant_id)
);

-- No numbers where a model has nothing to say about a text.
CREATE TABLE epitome.vectors (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  space_key  BYTEA NOT NULL,
  text_key   BYTEA NOT NULL,
  numbers    BYTEA NOT NULL,
  PRIMARY KEY (text_key, space_key, project_id, tenant_id)
);

-- Numbers do not shrink, and trying costs more than it saves.
ALTER TABLE epitome.vectors ALTER COLUMN numbers SET STORAGE EXTERNAL;
CREATE INDEX vectors_of_projects ON epitome.vectors (project_id, space_key);

DO $$
DECLARE
  name TEXT;
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  FOREACH name IN ARRAY ARRAY['vector_spaces', 'vectors']
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I ALTER COLUMN tenant_id SET DEFAULT %s', name, tenant);
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
      name, tenant, tenant);
  END LOOP;
END $$;

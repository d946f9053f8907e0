-- Entities that people and agents name, and links between them and anything that has an id: statements that are only
-- ever added, of which the newest counts.

CREATE SEQUENCE epitome.entity_numbers;
CREATE SEQUENCE epitome.entity_link_numbers;

CREATE TABLE epitome.entities (
  tenant_id  TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  -- Their order: clocks may jump.
  number     BIGINT NOT NULL DEFAULT nextval('epitome.entity_numbers'),
  entity_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  state      TEXT NOT NULL,
  kind       TEXT NOT NULL,
  name       TEXT NOT NULL,
  content    TEXT,
  summary    TEXT,
  metadata   TEXT,
  file_path  TEXT,
  stated_at  BIGINT NOT NULL,
  PRIMARY KEY (number, tenant_id)
);

CREATE INDEX entities_by_project ON epitome.entities (project_id, number);

CREATE TABLE epitome.entity_links (
  tenant_id    TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  number       BIGINT NOT NULL DEFAULT nextval('epitome.entity_link_numbers'),
  link_id      TEXT COLLATE "C" NOT NULL,
  project_id   TEXT COLLATE "C" NOT NULL,
  state        TEXT NOT NULL,
  source       TEXT NOT NULL,
  target       TEXT NOT NULL,
  relationship TEXT NOT NULL,
  -- In hundredths.
  weight       BIGINT NOT NULL,
  metadata     TEXT,
  stated_at    BIGINT NOT NULL,
  PRIMARY KEY (number, tenant_id)
);

CREATE INDEX entity_links_by_project ON epitome.entity_links (project_id, number);

CREATE TRIGGER entities_are_never_changed BEFORE UPDATE OR DELETE ON epitome.entities
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER entities_are_never_emptied BEFORE TRUNCATE ON epitome.entities
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER entity_links_are_never_changed BEFORE UPDATE OR DELETE ON epitome.entity_links
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER entity_links_are_never_emptied BEFORE TRUNCATE ON epitome.entity_links
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

DO $$
DECLARE
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['entities', 'entity_links']
  LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON epitome.%I REFERENCING NEW TABLE AS rows_added
      FOR EACH STATEMENT EXECUTE FUNCTION epitome.sum_added()', name || '_added', name);
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON epitome.%I REFERENCING OLD TABLE AS rows_deleted
      FOR EACH STATEMENT EXECUTE FUNCTION epitome.sum_deleted()', name || '_deleted', name);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON epitome.%I REFERENCING OLD TABLE AS rows_before
      NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION epitome.sum_changed()', name || '_changed', name);
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = (SELECT epitome.current_tenant()))
      WITH CHECK (tenant_id = (SELECT epitome.current_tenant()))', name);
  END LOOP;
END $$;

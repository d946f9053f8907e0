-- Memories: texts that later sessions are told, and what happened to each. Both are only ever added.

CREATE SEQUENCE epitome.memory_numbers;
CREATE SEQUENCE epitome.memory_note_numbers;

CREATE TABLE epitome.memories (
  tenant_id       TEXT COLLATE "C" NOT NULL,
  number          BIGINT NOT NULL DEFAULT nextval('epitome.memory_numbers'),
  memory_id       TEXT COLLATE "C" NOT NULL,
  kind            TEXT NOT NULL,
  -- None where it is for its user, in every project.
  project_id      TEXT COLLATE "C",
  conversation_id TEXT COLLATE "C",
  content         TEXT NOT NULL,
  depth           BIGINT NOT NULL,
  created_at      BIGINT NOT NULL,
  PRIMARY KEY (number, tenant_id),
  UNIQUE (memory_id, tenant_id)
);

CREATE INDEX memories_by_project ON epitome.memories (project_id);

CREATE TABLE epitome.memory_notes (
  tenant_id     TEXT COLLATE "C" NOT NULL,
  -- Their order: clocks may jump.
  number        BIGINT NOT NULL DEFAULT nextval('epitome.memory_note_numbers'),
  memory        BIGINT NOT NULL,
  at            BIGINT NOT NULL,
  event         TEXT NOT NULL,
  -- Of statements, in hundredths.
  certainty     BIGINT,
  -- Words and ids, with blanks between them.
  tags          TEXT,
  sources       TEXT,
  metadata      TEXT,
  said_at       BIGINT,
  superseded_by TEXT COLLATE "C",
  PRIMARY KEY (number, tenant_id),
  FOREIGN KEY (memory, tenant_id) REFERENCES epitome.memories (number, tenant_id)
);

CREATE INDEX memory_notes_by_memory ON epitome.memory_notes (memory, number);

CREATE TRIGGER memories_are_never_changed BEFORE UPDATE OR DELETE ON epitome.memories
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER memories_are_never_emptied BEFORE TRUNCATE ON epitome.memories
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER memory_notes_are_never_changed BEFORE UPDATE OR DELETE ON epitome.memory_notes
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER memory_notes_are_never_emptied BEFORE TRUNCATE ON epitome.memory_notes
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

DO $$
DECLARE
  name TEXT;
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  FOREACH name IN ARRAY ARRAY['memories', 'memory_notes']
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I ALTER COLUMN tenant_id SET DEFAULT %s', name, tenant);
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
      name, tenant, tenant);
  END LOOP;
END $$;

-- What is kept of the work of sessions beside their messages: checkpoints, subscriptions, suggestions, and what happened to
-- each. Both are only ever added.

CREATE SEQUENCE epitome.session_record_numbers;
CREATE SEQUENCE epitome.session_record_note_numbers;

CREATE TABLE epitome.session_records (
  tenant_id   TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  number      BIGINT NOT NULL DEFAULT nextval('epitome.session_record_numbers'),
  record_id   TEXT COLLATE "C" NOT NULL,
  kind        TEXT NOT NULL CHECK (kind IN ('checkpoint', 'subscription', 'suggestion')),
  project_id  TEXT COLLATE "C" NOT NULL,
  -- The name of its conversation, which may come later, and the digest that it is found by.
  session     TEXT NOT NULL,
  session_key BYTEA NOT NULL,
  -- Of checkpoints.
  step        BIGINT NOT NULL,
  -- The record that it follows from: of a suggestion its subscription.
  about       TEXT COLLATE "C",
  -- A JSON object.
  content     TEXT NOT NULL,
  created_at  BIGINT NOT NULL,
  PRIMARY KEY (number, tenant_id),
  UNIQUE (record_id, tenant_id)
);

CREATE INDEX session_records_by_session ON epitome.session_records (session_key, kind, number);
CREATE INDEX session_records_by_project ON epitome.session_records (project_id, kind, number);

CREATE TABLE epitome.session_record_notes (
  tenant_id TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  -- Their order: clocks may jump.
  number    BIGINT NOT NULL DEFAULT nextval('epitome.session_record_note_numbers'),
  record    BIGINT NOT NULL,
  at        BIGINT NOT NULL,
  event     TEXT NOT NULL,
  PRIMARY KEY (number, tenant_id),
  FOREIGN KEY (record, tenant_id) REFERENCES epitome.session_records (number, tenant_id)
);

CREATE INDEX session_record_notes_by_record ON epitome.session_record_notes (record, number);

CREATE TRIGGER session_records_are_never_changed BEFORE UPDATE OR DELETE ON epitome.session_records
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER session_records_are_never_emptied BEFORE TRUNCATE ON epitome.session_records
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER session_record_notes_are_never_changed BEFORE UPDATE OR DELETE ON epitome.session_record_notes
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER session_record_notes_are_never_emptied BEFORE TRUNCATE ON epitome.session_record_notes
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

DO $$
DECLARE
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['session_records', 'session_record_notes']
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = (SELECT epitome.current_tenant()))
      WITH CHECK (tenant_id = (SELECT epitome.current_tenant()))', name);
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON epitome.%I REFERENCING NEW TABLE AS rows_added
      FOR EACH STATEMENT EXECUTE FUNCTION epitome.sum_added()', name || '_added', name);
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON epitome.%I REFERENCING OLD TABLE AS rows_deleted
      FOR EACH STATEMENT EXECUTE FUNCTION epitome.sum_deleted()', name || '_deleted', name);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON epitome.%I REFERENCING OLD TABLE AS rows_before
      NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION epitome.sum_changed()', name || '_changed', name);
  END LOOP;
END $$;

-- Changes of canonical data that a person asked for: secrets purged, a project's data removed. The owner makes them in a
-- role of its own, which row-level security binds to one tenant as it binds the application's.

CREATE TABLE epitome.rewrites (
  tenant_id   TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  number      BIGINT GENERATED ALWAYS AS IDENTITY,
  at          BIGINT NOT NULL,
  reason      TEXT NOT NULL CHECK (reason IN ('purged', 'forgotten')),
  subject     TEXT NOT NULL,
  item_count  BIGINT NOT NULL,
  hash_before BYTEA NOT NULL,
  hash_after  BYTEA,
  PRIMARY KEY (number, tenant_id)
);

CREATE TRIGGER rewrites_are_never_changed BEFORE UPDATE OR DELETE ON epitome.rewrites
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER rewrites_are_never_emptied BEFORE TRUNCATE ON epitome.rewrites
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

ALTER TABLE epitome.rewrites ENABLE ROW LEVEL SECURITY;
ALTER TABLE epitome.rewrites FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON epitome.rewrites USING (tenant_id = (SELECT epitome.current_tenant()))
  WITH CHECK (tenant_id = (SELECT epitome.current_tenant()));

-- The setting keeps nobody out who has the right to change rows: it is there so that nobody does so by accident. The
-- application's role has no such right. Records of what was changed, and keys, stay whatever is set.
CREATE OR REPLACE FUNCTION epitome.refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  IF TG_LEVEL = 'ROW' AND (
    (current_setting('epitome.rewriting', true) = 'on' AND TG_TABLE_NAME NOT IN ('rewrites', 'removals', 'scrub_keys'))
    -- A backup brings the key of the tenant that it is loaded into.
    OR (current_setting('epitome.rewriting', true) = 'loading' AND TG_TABLE_NAME = 'scrub_keys'))
  THEN
    RETURN CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  RAISE EXCEPTION '% are append-only', replace(TG_TABLE_NAME, '_', ' ') USING ERRCODE = 'integrity_constraint_violation';
END $$;

-- Of everything about a message that its content hash does not cover; null for messages from before.
ALTER TABLE epitome.messages ADD COLUMN seal BIGINT;

-- A row that is deleted is looked for in the tables that refer to it.
CREATE INDEX message_origins_by_message ON epitome.message_origins (message);
CREATE INDEX message_artifacts_by_message ON epitome.message_artifacts (message);
CREATE INDEX generation_frames_by_frame ON epitome.generation_frames (frame);
CREATE INDEX summary_covers_by_covered ON epitome.summary_covers (covered);

-- What was removed or replaced on purpose. The anchor outside of the database repeats it.

CREATE TABLE epitome.removals (
  tenant_id TEXT COLLATE "C" NOT NULL,
  number    BIGINT GENERATED ALWAYS AS IDENTITY,
  at        BIGINT NOT NULL,
  reason    TEXT NOT NULL,
  -- Its kind and what names it, written as in the anchor.
  subject   TEXT NOT NULL,
  old_count BIGINT,
  old_hash  TEXT,
  new_count BIGINT,
  new_hash  TEXT,
  PRIMARY KEY (number, tenant_id)
);

CREATE TRIGGER removals_are_never_changed BEFORE UPDATE OR DELETE ON epitome.removals
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER removals_are_never_emptied BEFORE TRUNCATE ON epitome.removals
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

DO $$
DECLARE
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  EXECUTE format('ALTER TABLE epitome.removals ALTER COLUMN tenant_id SET DEFAULT %s', tenant);
  EXECUTE 'ALTER TABLE epitome.removals ENABLE ROW LEVEL SECURITY';
  EXECUTE 'ALTER TABLE epitome.removals FORCE ROW LEVEL SECURITY';
  EXECUTE format('CREATE POLICY own_tenant ON epitome.removals USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
    tenant, tenant);
END $$;

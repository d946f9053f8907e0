-- The key that the placeholders of a tenant's secrets are hashed with: made once, at first use.
CREATE TABLE epitome.scrub_keys (
  tenant_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  key       BYTEA NOT NULL CHECK (length(key) = 32)
);

CREATE TRIGGER scrub_keys_are_never_changed BEFORE UPDATE OR DELETE ON epitome.scrub_keys
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER scrub_keys_are_never_emptied BEFORE TRUNCATE ON epitome.scrub_keys
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

DO $$
DECLARE
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  EXECUTE format('ALTER TABLE epitome.scrub_keys ALTER COLUMN tenant_id SET DEFAULT %s', tenant);
  ALTER TABLE epitome.scrub_keys ENABLE ROW LEVEL SECURITY;
  ALTER TABLE epitome.scrub_keys FORCE ROW LEVEL SECURITY;
  EXECUTE format('CREATE POLICY own_tenant ON epitome.scrub_keys USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
    tenant, tenant);
END $$;

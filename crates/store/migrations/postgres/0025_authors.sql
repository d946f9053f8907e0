-- Whose memories and conversations are, in a store that several people share. Null where they belong to all who use it, as
-- everything did before.

DO $$
DECLARE
  name TEXT;
  before JSONB;
BEGIN
  FOREACH name IN ARRAY ARRAY['memories', 'conversations']
  LOOP
    -- The rows of all tenants are counted, so the owner must see them for a moment.
    EXECUTE format('ALTER TABLE epitome.%I NO FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('SELECT coalesce(jsonb_object_agg(s.tenant_id, s.digest::text), ''{}'') FROM (
      SELECT t.tenant_id, sum(hash_record_extended(t, 0)) AS digest FROM epitome.%I t GROUP BY t.tenant_id) s', name)
      INTO before;
    EXECUTE format('ALTER TABLE epitome.%I ADD COLUMN author TEXT', name);
    -- A column that is added changes the digest of every row. The sums move by as much and are not made anew: what did
    -- not fit before does not fit afterwards either.
    EXECUTE format('SELECT epitome.add_to_sum(s.tenant_id, %L, 0, s.digest - ($1 ->> s.tenant_id)::numeric) FROM (
      SELECT t.tenant_id::text, sum(hash_record_extended(t, 0)) AS digest FROM epitome.%I t GROUP BY t.tenant_id) s',
      name, name) USING before;
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
  END LOOP;
END $$;

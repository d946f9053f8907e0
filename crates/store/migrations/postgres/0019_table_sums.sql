-- Sums over all rows of the tables that are kept: for each tenant and table how many rows there are, and the sum of
-- their digests. Whatever is added, changed or deleted past the triggers below leaves a sum that no longer fits.

-- A sum is spread over several rows, so that writers who are at work at once wait for no common one.
CREATE TABLE epitome.table_sums (
  tenant_id  TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  table_name TEXT COLLATE "C" NOT NULL,
  slot       BIGINT GENERATED ALWAYS AS IDENTITY,
  row_count  BIGINT NOT NULL,
  digest     NUMERIC NOT NULL,
  PRIMARY KEY (tenant_id, table_name, slot)
) WITH (fillfactor = 50);

-- Not forced: the functions below write it as the owner, and nobody else has the right to.
ALTER TABLE epitome.table_sums ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON epitome.table_sums USING (tenant_id = (SELECT epitome.current_tenant()))
  WITH CHECK (tenant_id = (SELECT epitome.current_tenant()));

-- Adds to a row of the sum that no other transaction has in hand, or begins another one.
CREATE FUNCTION epitome.add_to_sum(owner TEXT, summed TEXT, more BIGINT, digests NUMERIC) RETURNS VOID
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE epitome.table_sums SET row_count = row_count + more, digest = digest + digests
    WHERE tenant_id = owner AND table_name = summed AND slot = (
      SELECT free.slot FROM epitome.table_sums free WHERE free.tenant_id = owner AND free.table_name = summed
      ORDER BY free.slot LIMIT 1 FOR UPDATE SKIP LOCKED);
  IF NOT FOUND THEN
    INSERT INTO epitome.table_sums (tenant_id, table_name, row_count, digest) VALUES (owner, summed, more, digests);
  END IF;
END $$;

-- What a statement added, changed or deleted. One function for each, since each sees other rows.
CREATE FUNCTION epitome.sum_added() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM epitome.add_to_sum(tenant_id, TG_TABLE_NAME, count(*), sum(hash_record_extended(rows_added, 0)))
    FROM rows_added GROUP BY tenant_id;
  RETURN NULL;
END $$;

CREATE FUNCTION epitome.sum_deleted() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM epitome.add_to_sum(tenant_id, TG_TABLE_NAME, -count(*), -sum(hash_record_extended(rows_deleted, 0)))
    FROM rows_deleted GROUP BY tenant_id;
  RETURN NULL;
END $$;

CREATE FUNCTION epitome.sum_changed() RETURNS TRIGGER LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM epitome.add_to_sum(tenant_id, TG_TABLE_NAME, sum(more)::bigint, sum(digest)) FROM (
    SELECT tenant_id, -1 AS more, -hash_record_extended(rows_before, 0)::numeric AS digest FROM rows_before
    UNION ALL
    SELECT tenant_id, 1, hash_record_extended(rows_after, 0) FROM rows_after) AS changed
    GROUP BY tenant_id;
  RETURN NULL;
END $$;

-- What the summed tables hold of a tenant, or of all that the caller sees. A table is summed when it has the trigger.
CREATE FUNCTION epitome.count_rows(owner TEXT)
RETURNS TABLE (tenant_id TEXT, table_name TEXT, row_count BIGINT, digest NUMERIC) LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  summed TEXT;
BEGIN
  FOR summed IN SELECT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE t.tgfoid = 'epitome.sum_added'::regproc
  LOOP
    RETURN QUERY EXECUTE format(
      'SELECT t.tenant_id::text, %L, count(*), sum(hash_record_extended(t, 0)) FROM epitome.%I t
       WHERE $1 IS NULL OR t.tenant_id = $1 GROUP BY t.tenant_id', summed, summed) USING owner;
  END LOOP;
END $$;

-- Takes rows of this transaction's tenant as they are: of some tables, or of all where a restored backup is accepted.
CREATE FUNCTION epitome.recount_rows(summed TEXT[]) RETURNS VOID LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  owner CONSTANT TEXT := epitome.current_tenant();
BEGIN
  DELETE FROM epitome.table_sums s WHERE s.tenant_id = owner AND (summed IS NULL OR s.table_name = ANY (summed));
  INSERT INTO epitome.table_sums (tenant_id, table_name, row_count, digest)
    SELECT c.tenant_id, c.table_name, c.row_count, c.digest FROM epitome.count_rows(owner) c
    WHERE summed IS NULL OR c.table_name = ANY (summed);
END $$;

REVOKE ALL ON FUNCTION epitome.add_to_sum(TEXT, TEXT, BIGINT, NUMERIC), epitome.sum_added(), epitome.sum_deleted(),
  epitome.sum_changed(), epitome.count_rows(TEXT), epitome.recount_rows(TEXT[]) FROM PUBLIC;

DO $$
DECLARE
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['conversations', 'messages', 'message_parts', 'message_terms', 'frames', 'generations',
    'generation_frames', 'tails', 'quarantine', 'line_kinds', 'message_origins', 'artifacts', 'message_artifacts',
    'scrub_keys', 'summaries', 'summary_covers', 'contexts', 'context_items', 'conversation_facts', 'jobs', 'grants',
    'memories', 'memory_notes', 'session_summaries', 'removals', 'rewrites']
  LOOP
    EXECUTE format('CREATE TRIGGER %I AFTER INSERT ON epitome.%I REFERENCING NEW TABLE AS rows_added
      FOR EACH STATEMENT EXECUTE FUNCTION epitome.sum_added()', name || '_added', name);
    EXECUTE format('CREATE TRIGGER %I AFTER DELETE ON epitome.%I REFERENCING OLD TABLE AS rows_deleted
      FOR EACH STATEMENT EXECUTE FUNCTION epitome.sum_deleted()', name || '_deleted', name);
    EXECUTE format('CREATE TRIGGER %I AFTER UPDATE ON epitome.%I REFERENCING OLD TABLE AS rows_before
      NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION epitome.sum_changed()', name || '_changed', name);
    -- The rows of all tenants are counted, so the owner must see them for a moment.
    EXECUTE format('ALTER TABLE epitome.%I NO FORCE ROW LEVEL SECURITY', name);
  END LOOP;
  INSERT INTO epitome.table_sums (tenant_id, table_name, row_count, digest)
    SELECT c.tenant_id, c.table_name, c.row_count, c.digest FROM epitome.count_rows(NULL) c;
  FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'epitome'::regnamespace AND relrowsecurity
    AND NOT relforcerowsecurity AND relname NOT IN ('table_sums', 'message_terms', 'tenant_secret')
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
  END LOOP;
END $$;

-- A tenant that the connection cannot choose. Its name is a setting that anybody can make; beside it goes a key that
-- follows from the name and a secret of this database, which only its owner can read. Message terms belong to a tenant
-- as every other row does, and are digests under a key of that tenant.

-- One row: what the keys of all tenants follow from.
CREATE TABLE epitome.tenant_secret (
  only_row BOOLEAN PRIMARY KEY DEFAULT true CHECK (only_row),
  secret   BYTEA NOT NULL CHECK (length(secret) = 32)
);

-- No policy: nobody but the owner sees it.
ALTER TABLE epitome.tenant_secret ENABLE ROW LEVEL SECURITY;

-- A version 4 UUID has 122 random bits from the system's strong source.
INSERT INTO epitome.tenant_secret (secret)
  SELECT sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- Hashed twice, so that a key says nothing about the keys of names that begin like its own.
CREATE FUNCTION epitome.tenant_key(secret BYTEA, tenant TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN encode(sha256(secret || sha256(secret || convert_to(tenant, 'UTF8'))), 'hex');

-- The tenant of this transaction: none where none is named, and an error where the key is not its key. It runs as the
-- owner, who alone can read the secret.
CREATE FUNCTION epitome.current_tenant() RETURNS TEXT LANGUAGE plpgsql STABLE PARALLEL SAFE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  named CONSTANT TEXT := NULLIF(current_setting('epitome.tenant', true), '');
BEGIN
  IF named IS NOT NULL AND current_setting('epitome.tenant_key', true) IS DISTINCT FROM
    (SELECT epitome.tenant_key(secret, named) FROM epitome.tenant_secret)
  THEN
    RAISE EXCEPTION 'the key is not that of tenant "%"', named USING ERRCODE = 'invalid_authorization_specification';
  END IF;
  RETURN named;
END $$;

-- The default of the column is still the setting: it costs nothing, and the policy refuses a row of another tenant. The
-- tenant is asked for in a subquery, which is evaluated once a statement and not once a row.
DO $$
DECLARE
  name TEXT;
BEGIN
  FOR name IN SELECT tablename FROM pg_policies WHERE schemaname = 'epitome' AND policyname = 'own_tenant'
  LOOP
    EXECUTE format('ALTER POLICY own_tenant ON epitome.%I USING (tenant_id = (SELECT epitome.current_tenant()))
      WITH CHECK (tenant_id = (SELECT epitome.current_tenant()))', name);
  END LOOP;
END $$;

-- The rows of all tenants are brought up to date, so the owner must see them for a moment.
ALTER TABLE epitome.messages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE epitome.scrub_keys NO FORCE ROW LEVEL SECURITY;

INSERT INTO epitome.scrub_keys (tenant_id, key)
  SELECT tenant_id, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
  FROM (SELECT DISTINCT tenant_id FROM epitome.messages) AS speaking
  ON CONFLICT (tenant_id) DO NOTHING;

ALTER TABLE epitome.message_terms RENAME TO unkeyed_terms;
ALTER TABLE epitome.unkeyed_terms RENAME CONSTRAINT message_terms_pkey TO unkeyed_terms_pkey;
DROP INDEX epitome.message_terms_keys;

CREATE TABLE epitome.message_terms (
  tenant_id TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  message   BIGINT NOT NULL,
  -- The first eight bytes of the digest of each term, under a key that follows from the tenant's scrub key.
  keys      BIGINT[] NOT NULL
);

INSERT INTO epitome.message_terms (tenant_id, message, keys)
  SELECT m.tenant_id, t.message, ARRAY(
    SELECT ('x' || encode(substr(sha256(sha256('\x7465726d73'::bytea || k.key) || int8send(digest)), 1, 8), 'hex'))
      ::bit(64)::bigint
    FROM unnest(t.keys) WITH ORDINALITY AS old (digest, place) ORDER BY place)
  FROM epitome.unkeyed_terms t
  JOIN epitome.messages m ON m.number = t.message
  JOIN epitome.scrub_keys k ON k.tenant_id = m.tenant_id;

DROP TABLE epitome.unkeyed_terms;
ALTER TABLE epitome.message_terms ADD PRIMARY KEY (tenant_id, message);
CREATE INDEX message_terms_keys ON epitome.message_terms USING gin (keys);

-- Not forced, so that the function below reads past the policy: under it PostgreSQL may not use the index, because `@>`
-- is not marked leakproof. Everybody but the owner is bound by the policy.
ALTER TABLE epitome.message_terms ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON epitome.message_terms USING (tenant_id = (SELECT epitome.current_tenant()))
  WITH CHECK (tenant_id = (SELECT epitome.current_tenant()));

-- The messages of this transaction's tenant that hold all of some terms.
CREATE FUNCTION epitome.messages_with(wanted BIGINT[]) RETURNS SETOF BIGINT LANGUAGE sql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $$
  -- The inner query stands for itself (`OFFSET 0`): terms lead to few rows, and the tenant's own index to all of its.
  SELECT message FROM (SELECT tenant_id, message FROM epitome.message_terms WHERE keys @> wanted OFFSET 0) AS found
  WHERE tenant_id = (SELECT epitome.current_tenant())
$$;

-- Functions are for everybody until it is said otherwise.
REVOKE ALL ON FUNCTION epitome.tenant_key(BYTEA, TEXT), epitome.current_tenant(), epitome.messages_with(BIGINT[])
  FROM PUBLIC;

ALTER TABLE epitome.messages FORCE ROW LEVEL SECURITY;
ALTER TABLE epitome.scrub_keys FORCE ROW LEVEL SECURITY;

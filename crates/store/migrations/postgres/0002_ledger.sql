-- The ledger: what model calls may cost and did cost, and what operations saved.

-- Numbers are handed out before the transaction that uses them, so that it can be tried again and still happen once.
CREATE SEQUENCE epitome.reservation_numbers;
CREATE SEQUENCE epitome.ledger_numbers;

-- Calls on their way: the worst each can cost. A row goes when its call is settled, and an entry takes its place.
CREATE TABLE epitome.reservations (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  number         BIGINT NOT NULL,
  operation      TEXT NOT NULL,
  project_id     TEXT COLLATE "C",
  session        TEXT,
  model          TEXT,
  day            BIGINT NOT NULL,
  tokens_in      BIGINT NOT NULL,
  tokens_out     BIGINT NOT NULL,
  cache_read     BIGINT NOT NULL,
  cache_write    BIGINT NOT NULL,
  tokens_avoided BIGINT NOT NULL,
  money_micros   BIGINT NOT NULL,
  reserved_at    BIGINT NOT NULL,
  expires_at     BIGINT NOT NULL,
  PRIMARY KEY (number, tenant_id)
);

CREATE TABLE epitome.ledger_entries (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  number         BIGINT NOT NULL,
  at             BIGINT NOT NULL,
  day            BIGINT NOT NULL,
  operation      TEXT NOT NULL,
  project_id     TEXT COLLATE "C",
  session        TEXT,
  model          TEXT,
  formula        TEXT,
  basis          TEXT NOT NULL CHECK (basis IN ('counted', 'reported', 'estimated', 'expired', 'corrected')),
  reservation    BIGINT,
  tokens_in      BIGINT NOT NULL,
  tokens_out     BIGINT NOT NULL,
  cache_read     BIGINT NOT NULL,
  cache_write    BIGINT NOT NULL,
  tokens_avoided BIGINT NOT NULL,
  money_micros   BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, number)
);

CREATE INDEX ledger_entries_by_time ON epitome.ledger_entries (tenant_id, at);
-- A call is booked once, and booked back at most once.
CREATE UNIQUE INDEX ledger_entries_booked ON epitome.ledger_entries (reservation, tenant_id)
  WHERE reservation IS NOT NULL AND basis <> 'corrected';
CREATE UNIQUE INDEX ledger_entries_corrected ON epitome.ledger_entries (reservation, tenant_id)
  WHERE reservation IS NOT NULL AND basis = 'corrected';

CREATE TRIGGER ledger_entries_are_never_changed BEFORE UPDATE ON epitome.ledger_entries
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();

-- What entries add up to, kept when they are dropped. What there is none of is an empty text here, because a key has no
-- nulls. `total_key` is the digest of all that the sums are kept by.
CREATE TABLE epitome.ledger_totals (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  total_key      BYTEA NOT NULL,
  day            BIGINT NOT NULL,
  operation      TEXT NOT NULL,
  project_id     TEXT COLLATE "C" NOT NULL,
  session        TEXT NOT NULL,
  session_key    BYTEA NOT NULL,
  model          TEXT NOT NULL,
  formula        TEXT NOT NULL,
  entry_count    BIGINT NOT NULL,
  tokens_in      BIGINT NOT NULL,
  tokens_out     BIGINT NOT NULL,
  cache_read     BIGINT NOT NULL,
  cache_write    BIGINT NOT NULL,
  tokens_avoided BIGINT NOT NULL,
  money_micros   BIGINT NOT NULL,
  PRIMARY KEY (total_key, tenant_id)
);

-- Ceilings look only at what models did.
CREATE INDEX ledger_totals_of_calls ON epitome.ledger_totals (tenant_id, day) WHERE model <> '';
CREATE INDEX ledger_totals_of_sessions ON epitome.ledger_totals (session_key) WHERE model <> '';

-- One row while all spending of a tenant is stopped, none while it is not.
CREATE TABLE epitome.spending_stopped (
  tenant_id  TEXT COLLATE "C" PRIMARY KEY,
  stopped_at BIGINT NOT NULL
);

DO $$
DECLARE
  name TEXT;
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  FOREACH name IN ARRAY ARRAY['reservations', 'ledger_entries', 'ledger_totals', 'spending_stopped']
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I ALTER COLUMN tenant_id SET DEFAULT %s', name, tenant);
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
      name, tenant, tenant);
  END LOOP;
END $$;

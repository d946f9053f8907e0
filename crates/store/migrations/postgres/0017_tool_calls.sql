-- Every dispatch of an operation, what it spared its reader and what it cost it; and what was learned of how files are
-- best shown.

CREATE SEQUENCE epitome.tool_call_numbers;

CREATE TABLE epitome.tool_calls (
  tenant_id            TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  number               BIGINT NOT NULL,
  at                   BIGINT NOT NULL,
  day                  BIGINT NOT NULL,
  door                 TEXT NOT NULL CHECK (door IN ('cli', 'mcp', 'http', 'hook')),
  session              TEXT,
  session_key          BYTEA,
  project_id           TEXT COLLATE "C",
  agent                TEXT,
  tool                 TEXT NOT NULL,
  operation            TEXT NOT NULL,
  mode                 TEXT,
  place                TEXT,
  language             TEXT,
  size_bucket          TEXT,
  formula              TEXT NOT NULL,
  certainty            TEXT NOT NULL CHECK (certainty IN ('measured', 'estimated')),
  bytes_raw            BIGINT NOT NULL,
  bytes_shown          BIGINT NOT NULL,
  bytes_avoided        BIGINT NOT NULL,
  tokens_raw           BIGINT NOT NULL,
  tokens_shown         BIGINT NOT NULL,
  tokens_avoided       BIGINT NOT NULL,
  money_avoided_micros BIGINT NOT NULL,
  elapsed_us           BIGINT NOT NULL,
  turn                 BIGINT NOT NULL,
  -- Of questions.
  query                TEXT,
  intent               TEXT,
  strategy             TEXT,
  gate                 TEXT,
  result_count         BIGINT,
  PRIMARY KEY (tenant_id, number)
);

CREATE INDEX tool_calls_by_time ON epitome.tool_calls (tenant_id, at, number);
CREATE INDEX tool_calls_by_session ON epitome.tool_calls (session_key, number);

CREATE TRIGGER tool_calls_are_never_changed BEFORE UPDATE ON epitome.tool_calls
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();

-- What calls add up to, kept when they are dropped. What there is none of is an empty text here, because a key has no
-- nulls. `total_key` is the digest of all that the sums are kept by.
CREATE TABLE epitome.tool_call_totals (
  tenant_id            TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  total_key            BYTEA NOT NULL,
  day                  BIGINT NOT NULL,
  session              TEXT NOT NULL,
  session_key          BYTEA NOT NULL,
  operation            TEXT NOT NULL,
  project_id           TEXT COLLATE "C" NOT NULL,
  agent                TEXT NOT NULL,
  door                 TEXT NOT NULL,
  formula              TEXT NOT NULL,
  certainty            TEXT NOT NULL,
  call_count           BIGINT NOT NULL,
  first_at             BIGINT NOT NULL,
  last_at              BIGINT NOT NULL,
  bytes_raw            BIGINT NOT NULL,
  bytes_shown          BIGINT NOT NULL,
  bytes_avoided        BIGINT NOT NULL,
  tokens_raw           BIGINT NOT NULL,
  tokens_shown         BIGINT NOT NULL,
  tokens_avoided       BIGINT NOT NULL,
  money_avoided_micros BIGINT NOT NULL,
  PRIMARY KEY (total_key, tenant_id)
);

CREATE INDEX tool_call_totals_of_sessions ON epitome.tool_call_totals (session_key);
CREATE INDEX tool_call_totals_by_day ON epitome.tool_call_totals (tenant_id, day);

-- How well a mode of showing did for files of a language and a size, for agents that work in one way.
CREATE TABLE epitome.mode_arms (
  tenant_id      TEXT COLLATE "C" NOT NULL DEFAULT NULLIF(current_setting('epitome.tenant', true), ''),
  language       TEXT COLLATE "C" NOT NULL,
  size_bucket    TEXT COLLATE "C" NOT NULL,
  pattern        TEXT COLLATE "C" NOT NULL,
  mode           TEXT COLLATE "C" NOT NULL,
  sample_count   BIGINT NOT NULL,
  reread_count   BIGINT NOT NULL,
  -- Sums of rewards and of their squares, in millionths.
  reward_micros  BIGINT NOT NULL,
  square_micros  BIGINT NOT NULL,
  PRIMARY KEY (language, size_bucket, pattern, mode, tenant_id)
);

DO $$
DECLARE
  name TEXT;
BEGIN
  FOREACH name IN ARRAY ARRAY['tool_calls', 'tool_call_totals', 'mode_arms']
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = (SELECT epitome.current_tenant()))
      WITH CHECK (tenant_id = (SELECT epitome.current_tenant()))', name);
  END LOOP;
END $$;

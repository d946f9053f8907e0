-- Summaries, the context they stand in, facts, jobs, grants.

-- Numbers are handed out before the transaction that uses them.
CREATE SEQUENCE epitome.summary_numbers;
CREATE SEQUENCE epitome.job_numbers;

CREATE TABLE epitome.summaries (
  tenant_id     TEXT COLLATE "C" NOT NULL,
  number        BIGINT NOT NULL,
  summary_id    TEXT COLLATE "C" NOT NULL,
  conversation  BIGINT NOT NULL,
  -- The messages it stands for, by their places. A range has no gaps, so none can be covered by half.
  first_seq     BIGINT NOT NULL CHECK (first_seq >= 1),
  last_seq      BIGINT NOT NULL CHECK (last_seq >= first_seq),
  depth         BIGINT NOT NULL,
  content       TEXT NOT NULL,
  token_count   BIGINT NOT NULL,
  source_tokens BIGINT NOT NULL,
  from_text     TEXT,
  until_text    TEXT,
  method        TEXT NOT NULL CHECK (method IN ('extractive', 'fallback', 'model')),
  model         TEXT,
  prompt        TEXT,
  reason        TEXT NOT NULL,
  kept_facts    BIGINT NOT NULL,
  all_facts     BIGINT NOT NULL,
  redoes        TEXT COLLATE "C",
  stored_at     BIGINT NOT NULL,
  PRIMARY KEY (number, tenant_id),
  UNIQUE (summary_id, tenant_id),
  FOREIGN KEY (conversation, tenant_id) REFERENCES epitome.conversations (number, tenant_id)
);

CREATE INDEX summaries_by_place ON epitome.summaries (conversation, first_seq);
CREATE INDEX summaries_redone ON epitome.summaries (redoes) WHERE redoes IS NOT NULL;

CREATE TABLE epitome.summary_covers (
  tenant_id TEXT COLLATE "C" NOT NULL,
  summary   BIGINT NOT NULL,
  ordinal   BIGINT NOT NULL,
  covered   BIGINT NOT NULL,
  PRIMARY KEY (summary, ordinal, tenant_id),
  FOREIGN KEY (summary, tenant_id) REFERENCES epitome.summaries (number, tenant_id),
  FOREIGN KEY (covered, tenant_id) REFERENCES epitome.summaries (number, tenant_id)
);

CREATE TRIGGER summaries_are_never_changed BEFORE UPDATE OR DELETE ON epitome.summaries
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER summaries_are_never_emptied BEFORE TRUNCATE ON epitome.summaries
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER covers_are_never_changed BEFORE UPDATE OR DELETE ON epitome.summary_covers
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER covers_are_never_emptied BEFORE TRUNCATE ON epitome.summary_covers
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

-- The state of a conversation's context. A conversation that was never folded has no row.
CREATE TABLE epitome.contexts (
  tenant_id    TEXT COLLATE "C" NOT NULL,
  conversation BIGINT NOT NULL,
  -- Counts its folds.
  version      BIGINT NOT NULL DEFAULT 0,
  -- Counts the holders of its lease.
  fence        BIGINT NOT NULL DEFAULT 0,
  leased_until BIGINT,
  -- The last message there was when somebody looked whether to fold.
  seen_to      BIGINT NOT NULL DEFAULT 0,
  facts_to     BIGINT NOT NULL DEFAULT 0,
  facts_rules  BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (conversation, tenant_id),
  FOREIGN KEY (conversation, tenant_id) REFERENCES epitome.conversations (number, tenant_id)
);

-- The summaries that are active. Messages that none of them stands for are part of the context as themselves and have
-- no row; the place of an item is that of the first message it stands for.
CREATE TABLE epitome.context_items (
  tenant_id    TEXT COLLATE "C" NOT NULL,
  conversation BIGINT NOT NULL,
  ordinal      BIGINT NOT NULL,
  summary      BIGINT NOT NULL,
  PRIMARY KEY (conversation, ordinal, tenant_id),
  UNIQUE (summary, tenant_id),
  FOREIGN KEY (conversation, tenant_id) REFERENCES epitome.contexts (conversation, tenant_id),
  FOREIGN KEY (summary, tenant_id) REFERENCES epitome.summaries (number, tenant_id)
);

-- Taken from messages by rule, and taken again when the rules change.
CREATE TABLE epitome.conversation_facts (
  tenant_id    TEXT COLLATE "C" NOT NULL,
  fact_id      TEXT COLLATE "C" NOT NULL,
  conversation BIGINT NOT NULL,
  kind         TEXT COLLATE "C" NOT NULL,
  subject      TEXT NOT NULL,
  state        TEXT NOT NULL,
  exit_code    BIGINT,
  seen_with    TEXT,
  ended_by     TEXT,
  times        BIGINT NOT NULL,
  first_seq    BIGINT NOT NULL,
  last_seq     BIGINT NOT NULL,
  -- Ids of messages, with blanks between them.
  sources      TEXT NOT NULL,
  PRIMARY KEY (fact_id, tenant_id),
  FOREIGN KEY (conversation, tenant_id) REFERENCES epitome.conversations (number, tenant_id)
);

CREATE INDEX conversation_facts_by_place ON epitome.conversation_facts (conversation, first_seq);

CREATE TABLE epitome.jobs (
  tenant_id    TEXT COLLATE "C" NOT NULL,
  number       BIGINT NOT NULL,
  work         TEXT NOT NULL,
  how          TEXT NOT NULL,
  conversation BIGINT,
  requested_at BIGINT NOT NULL,
  not_before   BIGINT NOT NULL,
  attempts     BIGINT NOT NULL DEFAULT 0,
  fence        BIGINT NOT NULL DEFAULT 0,
  -- Set while somebody has it.
  leased_until BIGINT,
  failure      TEXT,
  given_up     BOOLEAN NOT NULL DEFAULT false,
  PRIMARY KEY (number, tenant_id),
  FOREIGN KEY (conversation, tenant_id) REFERENCES epitome.conversations (number, tenant_id)
);

CREATE TABLE epitome.grants (
  tenant_id     TEXT COLLATE "C" NOT NULL,
  grant_id      TEXT COLLATE "C" NOT NULL,
  issuer        TEXT NOT NULL,
  -- Ids, with blanks between them.
  conversations TEXT NOT NULL,
  summaries     TEXT NOT NULL,
  max_depth     BIGINT NOT NULL,
  token_cap     BIGINT NOT NULL,
  tokens_used   BIGINT NOT NULL CHECK (tokens_used <= token_cap),
  issued_at     BIGINT NOT NULL,
  expires_at    BIGINT NOT NULL,
  revoked_at    BIGINT,
  PRIMARY KEY (grant_id, tenant_id)
);

DO $$
DECLARE
  name TEXT;
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  FOREACH name IN ARRAY ARRAY['summaries', 'summary_covers', 'contexts', 'context_items', 'conversation_facts', 'jobs',
    'grants']
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I ALTER COLUMN tenant_id SET DEFAULT %s', name, tenant);
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
      name, tenant, tenant);
  END LOOP;
END $$;

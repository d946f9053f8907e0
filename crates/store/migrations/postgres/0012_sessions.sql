-- Conversations as sessions: what they are called, when they were spoken in, how they stand, and texts that sum up the
-- whole of them. What a source says about a message besides its words.

ALTER TABLE epitome.conversations
  ADD COLUMN title TEXT,
  -- When its first and its newest message happened, as far as their sources are believed.
  ADD COLUMN created_at BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'summarized', 'archived')),
  -- When the state was set.
  ADD COLUMN state_at BIGINT NOT NULL DEFAULT 0;

-- Null where the source says nothing.
ALTER TABLE epitome.messages ADD COLUMN metadata TEXT;

-- The rows of all tenants are brought up to date, so the owner must see them for a moment.
ALTER TABLE epitome.conversations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE epitome.messages NO FORCE ROW LEVEL SECURITY;
ALTER TABLE epitome.generations NO FORCE ROW LEVEL SECURITY;

-- The first and the last message, and not the least and the greatest time: those would read every message.
UPDATE epitome.conversations c SET
  title = (SELECT g.title FROM epitome.generations g
           WHERE g.conversation = c.number AND g.tenant_id = c.tenant_id AND g.title IS NOT NULL
           ORDER BY g.number DESC LIMIT 1),
  created_at = coalesce((
    SELECT CASE WHEN m.at_instant BETWEEN 631152000000 AND m.stored_at + 86400000 THEN m.at_instant ELSE m.stored_at END
    FROM epitome.messages m WHERE m.conversation = c.number AND m.tenant_id = c.tenant_id
    ORDER BY m.seq LIMIT 1), c.stored_at),
  updated_at = coalesce((
    SELECT CASE WHEN m.at_instant BETWEEN 631152000000 AND m.stored_at + 86400000 THEN m.at_instant ELSE m.stored_at END
    FROM epitome.messages m WHERE m.conversation = c.number AND m.tenant_id = c.tenant_id
    ORDER BY m.seq DESC LIMIT 1), c.stored_at),
  state_at = c.stored_at;

ALTER TABLE epitome.conversations FORCE ROW LEVEL SECURITY;
ALTER TABLE epitome.messages FORCE ROW LEVEL SECURITY;
ALTER TABLE epitome.generations FORCE ROW LEVEL SECURITY;

CREATE TABLE epitome.session_summaries (
  tenant_id    TEXT COLLATE "C" NOT NULL,
  number       BIGINT GENERATED ALWAYS AS IDENTITY,
  conversation BIGINT NOT NULL,
  -- The last message that it knows.
  last_seq     BIGINT NOT NULL,
  content      TEXT NOT NULL,
  method       TEXT NOT NULL CHECK (method IN ('extractive', 'fallback', 'model')),
  model        TEXT,
  prompt       TEXT,
  stored_at    BIGINT NOT NULL,
  PRIMARY KEY (number, tenant_id),
  FOREIGN KEY (conversation, tenant_id) REFERENCES epitome.conversations (number, tenant_id)
);

CREATE INDEX session_summaries_by_conversation ON epitome.session_summaries (conversation, number);

CREATE TRIGGER session_summaries_are_never_changed BEFORE UPDATE OR DELETE ON epitome.session_summaries
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER session_summaries_are_never_emptied BEFORE TRUNCATE ON epitome.session_summaries
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

DO $$
DECLARE
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  EXECUTE format('ALTER TABLE epitome.session_summaries ALTER COLUMN tenant_id SET DEFAULT %s', tenant);
  EXECUTE 'ALTER TABLE epitome.session_summaries ENABLE ROW LEVEL SECURITY';
  EXECUTE 'ALTER TABLE epitome.session_summaries FORCE ROW LEVEL SECURITY';
  EXECUTE format('CREATE POLICY own_tenant ON epitome.session_summaries USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
    tenant, tenant);
END $$;

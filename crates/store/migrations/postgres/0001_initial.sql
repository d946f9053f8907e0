-- The tables of the embedded store, for many tenants and many processes in one database.
--
-- Text that may be long is never a key: an index entry holds at most a third of a page. Where the embedded store has
-- a path or an id of the outside world as a key, these tables have its digest (`…_key`) beside it.
--
-- Every key has the tenant in it, but few begin with it. Numbers are unique in the whole database, and an index that
-- begins with one leads to few rows whatever the planner believes. One that begins with tenant and project lets it
-- believe that they, too, lead to few, which is so only until somebody indexes a large repository.

CREATE SCHEMA IF NOT EXISTS epitome;

CREATE TABLE epitome.migrations (
  version    BIGINT PRIMARY KEY,
  applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- Conversations, kept verbatim. Rows are only ever added.

CREATE TABLE epitome.conversations (
  tenant_id       TEXT COLLATE "C" NOT NULL,
  number          BIGINT GENERATED ALWAYS AS IDENTITY,
  conversation_id TEXT COLLATE "C" NOT NULL,
  name            TEXT NOT NULL,
  project_id      TEXT COLLATE "C",
  -- What the rows of `messages` add up to, kept here so that appending costs the same however long it gets.
  message_count   BIGINT NOT NULL,
  token_count     BIGINT NOT NULL,
  head_hash       BYTEA NOT NULL,
  stored_at       BIGINT NOT NULL,
  PRIMARY KEY (number, tenant_id),
  UNIQUE (tenant_id, conversation_id)
);

-- The order in which the store took its messages. Handed out before the rows are written, so that many rows can be on
-- their way at once and still stand in order.
CREATE SEQUENCE epitome.message_numbers;

CREATE TABLE epitome.messages (
  tenant_id     TEXT COLLATE "C" NOT NULL,
  number        BIGINT NOT NULL,
  message_id    TEXT COLLATE "C" NOT NULL,
  conversation  BIGINT NOT NULL,
  seq           BIGINT NOT NULL,
  external_id   TEXT,
  external_key  BYTEA,
  role          TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  speaker       TEXT,
  session       TEXT,
  at_text       TEXT,
  at_instant    BIGINT,
  content       TEXT NOT NULL,
  token_count   BIGINT NOT NULL,
  content_hash  BYTEA NOT NULL,
  chain_hash    BYTEA NOT NULL,
  stored_at     BIGINT NOT NULL,
  PRIMARY KEY (tenant_id, number),
  UNIQUE (message_id, tenant_id),
  UNIQUE (conversation, seq, tenant_id),
  FOREIGN KEY (conversation, tenant_id) REFERENCES epitome.conversations (number, tenant_id),
  CHECK ((external_id IS NULL) = (external_key IS NULL))
);

CREATE UNIQUE INDEX messages_external ON epitome.messages (conversation, external_key, tenant_id)
  WHERE external_key IS NOT NULL;

CREATE TABLE epitome.message_parts (
  tenant_id           TEXT COLLATE "C" NOT NULL,
  message             BIGINT NOT NULL,
  ordinal             BIGINT NOT NULL,
  part_type           TEXT NOT NULL CHECK (part_type IN ('text', 'reasoning', 'tool', 'patch', 'file', 'subtask',
                        'compaction', 'step_start', 'step_finish', 'snapshot', 'agent', 'retry')),
  text_content        TEXT,
  tool_call_id        TEXT,
  tool_name           TEXT,
  tool_status         TEXT,
  tool_input          TEXT,
  tool_output         TEXT,
  tool_error          TEXT,
  tool_title          TEXT,
  patch_hash          TEXT,
  patch_files         TEXT,
  file_mime           TEXT,
  file_name           TEXT,
  file_url            TEXT,
  subtask_prompt      TEXT,
  subtask_description TEXT,
  subtask_agent       TEXT,
  step_reason         TEXT,
  step_cost_micros    BIGINT,
  step_tokens_in      BIGINT,
  step_tokens_out     BIGINT,
  snapshot_hash       TEXT,
  compaction_auto     BOOLEAN,
  PRIMARY KEY (message, ordinal, tenant_id),
  FOREIGN KEY (tenant_id, message) REFERENCES epitome.messages (tenant_id, number)
);

-- Which messages hold which terms: for each message the digests of its terms and of its conversation, made with its
-- tenant's name, so that a search of one tenant meets no row of another. It has no tenant and no policy on purpose:
-- under a policy PostgreSQL may not use the index, because `@>` is not marked leakproof. What is found here is only
-- numbers; what they stand for is read from `messages`, which has a policy.
CREATE TABLE epitome.message_terms (
  message BIGINT PRIMARY KEY,
  keys    BIGINT[] NOT NULL
);

CREATE INDEX message_terms_keys ON epitome.message_terms USING gin (keys);

CREATE FUNCTION epitome.refuse_change() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% are append-only', replace(TG_TABLE_NAME, '_', ' ') USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER messages_are_never_changed BEFORE UPDATE OR DELETE ON epitome.messages
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER messages_are_never_emptied BEFORE TRUNCATE ON epitome.messages
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER parts_are_never_changed BEFORE UPDATE OR DELETE ON epitome.message_parts
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER parts_are_never_emptied BEFORE TRUNCATE ON epitome.message_parts
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

-- Facts about the code of projects. All of it can be rebuilt from the disk. The many small rows have no foreign keys:
-- checking each would double the time of an index run, and the store writes and deletes them with what they belong to.

CREATE TABLE epitome.worktrees (
  tenant_id   TEXT COLLATE "C" NOT NULL,
  project_id  TEXT COLLATE "C" NOT NULL,
  number      BIGINT GENERATED ALWAYS AS IDENTITY,
  root        TEXT NOT NULL,
  root_key    BYTEA NOT NULL,
  finished_at BIGINT,
  -- Counts the changes of its files.
  version     BIGINT NOT NULL DEFAULT 0,
  -- The version its edges were made from, and what else.
  resolved      BIGINT,
  resolved_with BIGINT,
  PRIMARY KEY (number, project_id, tenant_id),
  UNIQUE (root_key, project_id, tenant_id),
  CHECK ((resolved IS NULL) = (resolved_with IS NULL))
);

CREATE TABLE epitome.segments (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  number     BIGINT GENERATED ALWAYS AS IDENTITY,
  first_unit BIGINT NOT NULL,
  unit_count BIGINT NOT NULL,
  lengths    BYTEA NOT NULL,
  PRIMARY KEY (number, project_id, tenant_id)
);
CREATE INDEX segments_by_project ON epitome.segments (project_id, tenant_id);

CREATE TABLE epitome.postings (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  segment    BIGINT NOT NULL,
  term       TEXT COLLATE "C" NOT NULL,
  bytes      BYTEA NOT NULL,
  PRIMARY KEY (segment, term, project_id, tenant_id)
);

CREATE TABLE epitome.files (
  tenant_id    TEXT COLLATE "C" NOT NULL,
  project_id   TEXT COLLATE "C" NOT NULL,
  number       BIGINT GENERATED ALWAYS AS IDENTITY,
  path         TEXT NOT NULL,
  hash         BYTEA NOT NULL,
  made         BIGINT NOT NULL,
  -- The digest of path, hash and made.
  version_key  BYTEA NOT NULL,
  language     TEXT,
  line_count   BIGINT NOT NULL,
  segment      BIGINT NOT NULL,
  first_unit   BIGINT NOT NULL,
  unit_count   BIGINT NOT NULL,
  symbol_count BIGINT NOT NULL,
  PRIMARY KEY (number, project_id, tenant_id),
  UNIQUE (version_key, project_id, tenant_id),
  FOREIGN KEY (segment, project_id, tenant_id) REFERENCES epitome.segments (number, project_id, tenant_id)
);
CREATE INDEX files_by_segment ON epitome.files (segment);

CREATE TABLE epitome.worktree_files (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  worktree   BIGINT NOT NULL,
  path       TEXT NOT NULL,
  path_key   BYTEA NOT NULL,
  file       BIGINT NOT NULL,
  bytes      BIGINT NOT NULL,
  modified   BIGINT NOT NULL,
  PRIMARY KEY (worktree, path_key, project_id, tenant_id),
  FOREIGN KEY (worktree, project_id, tenant_id) REFERENCES epitome.worktrees (number, project_id, tenant_id),
  FOREIGN KEY (file, project_id, tenant_id) REFERENCES epitome.files (number, project_id, tenant_id)
);
CREATE INDEX worktree_files_by_file ON epitome.worktree_files (file);

-- Apart from `files`, whose rows are all read at every run and should be small.
CREATE TABLE epitome.facts (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  file       BIGINT NOT NULL,
  symbols    BYTEA NOT NULL,
  uses       BYTEA NOT NULL,
  texts      BYTEA NOT NULL,
  PRIMARY KEY (file, project_id, tenant_id)
);

-- What changed since edges were written: the version a path led to then, or none.
CREATE TABLE epitome.changes (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  worktree   BIGINT NOT NULL,
  path       TEXT NOT NULL,
  path_key   BYTEA NOT NULL,
  before     BIGINT,
  PRIMARY KEY (worktree, path_key, project_id, tenant_id),
  FOREIGN KEY (worktree, project_id, tenant_id) REFERENCES epitome.worktrees (number, project_id, tenant_id),
  FOREIGN KEY (before, project_id, tenant_id) REFERENCES epitome.files (number, project_id, tenant_id)
);
CREATE INDEX changes_by_file ON epitome.changes (before);

CREATE TABLE epitome.edges (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  worktree   BIGINT NOT NULL,
  path       TEXT NOT NULL,
  path_key   BYTEA NOT NULL,
  edge_count BIGINT NOT NULL,
  bytes      BYTEA NOT NULL,
  PRIMARY KEY (worktree, path_key, project_id, tenant_id),
  FOREIGN KEY (worktree, project_id, tenant_id) REFERENCES epitome.worktrees (number, project_id, tenant_id)
);

CREATE TABLE epitome.redirects (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL,
  number     BIGINT GENERATED ALWAYS AS IDENTITY,
  from_id    TEXT NOT NULL,
  from_key   BYTEA NOT NULL,
  to_id      TEXT NOT NULL,
  PRIMARY KEY (number, project_id, tenant_id),
  UNIQUE (from_key, project_id, tenant_id)
);

-- A transaction sees and writes the rows of the tenant it named, and none when it named none. The same word is the
-- default of the column, so no statement of ours has to say it.
DO $$
DECLARE
  name TEXT;
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  FOREACH name IN ARRAY ARRAY['conversations', 'messages', 'message_parts', 'worktrees', 'segments', 'postings',
    'files', 'facts', 'worktree_files', 'changes', 'edges', 'redirects']
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I ALTER COLUMN tenant_id SET DEFAULT %s', name, tenant);
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
      name, tenant, tenant);
  END LOOP;
END $$;

-- The raw archive: every line of every imported transcript. Frames are only ever added, and so is what says which
-- generation they belong to.

-- Stretches of transcripts, compressed. Equal stretches of one tenant are one row.
CREATE TABLE epitome.frames (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  number         BIGINT GENERATED ALWAYS AS IDENTITY,
  original_hash  BYTEA NOT NULL,
  content_hash   BYTEA NOT NULL,
  original_bytes BIGINT NOT NULL,
  content_bytes  BIGINT NOT NULL,
  -- Lines in which secrets were replaced, as records of fixed length; null where there are none.
  scrubbed       BYTEA,
  compressed     BYTEA NOT NULL,
  PRIMARY KEY (number, tenant_id),
  UNIQUE (original_hash, content_hash, tenant_id)
);
-- It is compressed already.
ALTER TABLE epitome.frames ALTER COLUMN compressed SET STORAGE EXTERNAL;

-- What was read of a transcript from one beginning. `source_key` is the digest of agent and path.
CREATE TABLE epitome.generations (
  tenant_id     TEXT COLLATE "C" NOT NULL,
  number        BIGINT GENERATED ALWAYS AS IDENTITY,
  source_key    BYTEA NOT NULL,
  agent         TEXT NOT NULL,
  path          TEXT NOT NULL,
  ordinal       BIGINT NOT NULL,
  origin        TEXT NOT NULL CHECK (origin IN ('first', 'truncated', 'rewritten', 'replaced', 'moved')),
  container     TEXT NOT NULL CHECK (container IN ('lines', 'zstd', 'document', 'rows')),
  device        BIGINT,
  inode         BIGINT,
  conversation  BIGINT NOT NULL,
  -- What its lines say about the whole.
  own_id        TEXT NOT NULL,
  title         TEXT,
  project_dir   TEXT,
  descent       TEXT CHECK (descent IN ('subagent', 'fork')),
  descent_of    TEXT,
  -- How far it was read, kept here so that going on costs the same however long it gets.
  frame_count   BIGINT NOT NULL,
  line_count    BIGINT NOT NULL,
  message_count BIGINT NOT NULL,
  byte_count    BIGINT NOT NULL,
  mark_hash     BYTEA NOT NULL,
  stored_at     BIGINT NOT NULL,
  PRIMARY KEY (number, tenant_id),
  UNIQUE (source_key, ordinal, tenant_id),
  FOREIGN KEY (conversation, tenant_id) REFERENCES epitome.conversations (number, tenant_id)
);
CREATE INDEX generations_by_conversation ON epitome.generations (conversation);

CREATE TABLE epitome.generation_frames (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  generation BIGINT NOT NULL,
  ordinal    BIGINT NOT NULL,
  frame      BIGINT NOT NULL,
  line_count BIGINT NOT NULL,
  -- Whether the projection was paused behind it: the same lines with the same pauses give the same messages.
  paused     BOOLEAN NOT NULL,
  PRIMARY KEY (generation, ordinal, tenant_id),
  FOREIGN KEY (generation, tenant_id) REFERENCES epitome.generations (number, tenant_id),
  FOREIGN KEY (frame, tenant_id) REFERENCES epitome.frames (number, tenant_id)
);

-- What lies behind the last whole line of a generation. Replaced when the file goes on: what comes begins with it.
CREATE TABLE epitome.tails (
  tenant_id      TEXT COLLATE "C" NOT NULL,
  generation     BIGINT NOT NULL,
  original_bytes BIGINT NOT NULL,
  original_hash  BYTEA NOT NULL,
  compressed     BYTEA NOT NULL,
  PRIMARY KEY (generation, tenant_id),
  FOREIGN KEY (generation, tenant_id) REFERENCES epitome.generations (number, tenant_id)
);

CREATE TABLE epitome.quarantine (
  tenant_id   TEXT COLLATE "C" NOT NULL,
  generation  BIGINT NOT NULL,
  line        BIGINT NOT NULL,
  byte_offset BIGINT NOT NULL,
  byte_count  BIGINT NOT NULL,
  reason      TEXT NOT NULL,
  PRIMARY KEY (generation, line, tenant_id),
  FOREIGN KEY (generation, tenant_id) REFERENCES epitome.generations (number, tenant_id)
);

-- `kind_key` is the digest of class and name.
CREATE TABLE epitome.line_kinds (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  generation BIGINT NOT NULL,
  kind_key   BYTEA NOT NULL,
  class      TEXT NOT NULL CHECK (class IN ('blank', 'event', 'malformed', 'message', 'repeat', 'unknown')),
  name       TEXT NOT NULL,
  line_count BIGINT NOT NULL,
  PRIMARY KEY (generation, kind_key, tenant_id),
  FOREIGN KEY (generation, tenant_id) REFERENCES epitome.generations (number, tenant_id)
);

-- Which lines a message was made from, as runs (`3-5,9`), and how its source joins it to others, by their external ids.
CREATE TABLE epitome.message_origins (
  tenant_id  TEXT COLLATE "C" NOT NULL,
  generation BIGINT NOT NULL,
  message    BIGINT NOT NULL,
  lines      TEXT NOT NULL,
  parent     TEXT,
  thread     TEXT,
  continues  TEXT,
  PRIMARY KEY (generation, message, tenant_id),
  FOREIGN KEY (generation, tenant_id) REFERENCES epitome.generations (number, tenant_id),
  FOREIGN KEY (tenant_id, message) REFERENCES epitome.messages (tenant_id, number)
);

-- Large content that is kept outside of its message, once, so that every server sees it.
CREATE TABLE epitome.artifacts (
  tenant_id    TEXT COLLATE "C" NOT NULL,
  number       BIGINT GENERATED ALWAYS AS IDENTITY,
  artifact_id  TEXT COLLATE "C" NOT NULL,
  content_hash BYTEA NOT NULL,
  byte_count   BIGINT NOT NULL,
  media_type   TEXT NOT NULL,
  name         TEXT,
  token_count  BIGINT,
  summary      TEXT NOT NULL,
  stored_at    BIGINT NOT NULL,
  compressed   BYTEA NOT NULL,
  PRIMARY KEY (number, tenant_id),
  UNIQUE (artifact_id, tenant_id)
);
ALTER TABLE epitome.artifacts ALTER COLUMN compressed SET STORAGE EXTERNAL;

CREATE TABLE epitome.message_artifacts (
  tenant_id TEXT COLLATE "C" NOT NULL,
  artifact  BIGINT NOT NULL,
  message   BIGINT NOT NULL,
  PRIMARY KEY (artifact, message, tenant_id),
  FOREIGN KEY (artifact, tenant_id) REFERENCES epitome.artifacts (number, tenant_id),
  FOREIGN KEY (tenant_id, message) REFERENCES epitome.messages (tenant_id, number)
);

CREATE TRIGGER artifacts_are_never_changed BEFORE UPDATE OR DELETE ON epitome.artifacts
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER artifacts_are_never_emptied BEFORE TRUNCATE ON epitome.artifacts
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER frames_are_never_changed BEFORE UPDATE OR DELETE ON epitome.frames
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER frames_are_never_emptied BEFORE TRUNCATE ON epitome.frames
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER generations_keep_their_frames BEFORE UPDATE OR DELETE ON epitome.generation_frames
  FOR EACH ROW EXECUTE FUNCTION epitome.refuse_change();
CREATE TRIGGER generations_lose_no_frame BEFORE TRUNCATE ON epitome.generation_frames
  FOR EACH STATEMENT EXECUTE FUNCTION epitome.refuse_change();

DO $$
DECLARE
  name TEXT;
  tenant CONSTANT TEXT := $tenant$NULLIF(current_setting('epitome.tenant', true), '')$tenant$;
BEGIN
  FOREACH name IN ARRAY ARRAY['frames', 'generations', 'generation_frames', 'tails', 'quarantine', 'line_kinds',
    'message_origins', 'artifacts', 'message_artifacts']
  LOOP
    EXECUTE format('ALTER TABLE epitome.%I ALTER COLUMN tenant_id SET DEFAULT %s', name, tenant);
    EXECUTE format('ALTER TABLE epitome.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE epitome.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_tenant ON epitome.%I USING (tenant_id = %s) WITH CHECK (tenant_id = %s)',
      name, tenant, tenant);
  END LOOP;
END $$;

-- Conversations as sessions: what they are called, when they were spoken in, how they stand, and texts that sum up the
-- whole of them. What a source says about a message besides its words.

ALTER TABLE conversations ADD COLUMN title TEXT;
-- When its first and its newest message happened, as far as their sources are believed.
ALTER TABLE conversations ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN state TEXT NOT NULL DEFAULT 'active'
  CHECK (state IN ('active', 'summarized', 'archived'));
-- When the state was set.
ALTER TABLE conversations ADD COLUMN state_at INTEGER NOT NULL DEFAULT 0;

-- Null where the source says nothing.
ALTER TABLE messages ADD COLUMN metadata TEXT;

-- The first and the last message, and not the least and the greatest time: those would read every message.
UPDATE conversations SET
  title = (SELECT g.title FROM generations g WHERE g.conversation = conversations.number AND g.title IS NOT NULL
           ORDER BY g.number DESC LIMIT 1),
  created_at = coalesce((
    SELECT CASE WHEN m.at_instant BETWEEN 631152000000 AND m.stored_at + 86400000 THEN m.at_instant ELSE m.stored_at END
    FROM messages m WHERE m.conversation = conversations.number ORDER BY m.seq LIMIT 1), stored_at),
  updated_at = coalesce((
    SELECT CASE WHEN m.at_instant BETWEEN 631152000000 AND m.stored_at + 86400000 THEN m.at_instant ELSE m.stored_at END
    FROM messages m WHERE m.conversation = conversations.number ORDER BY m.seq DESC LIMIT 1), stored_at),
  state_at = stored_at;

CREATE TABLE session_summaries (
  number       INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE RESTRICT,
  -- The last message that it knows.
  last_seq     INTEGER NOT NULL,
  content      TEXT NOT NULL,
  method       TEXT NOT NULL CHECK (method IN ('extractive', 'fallback', 'model')),
  model        TEXT,
  prompt       TEXT,
  stored_at    INTEGER NOT NULL
) STRICT;

CREATE INDEX session_summaries_by_conversation ON session_summaries (conversation, number);

CREATE TRIGGER session_summaries_are_never_changed BEFORE UPDATE ON session_summaries
BEGIN SELECT RAISE(ABORT, 'session summaries are append-only'); END;
CREATE TRIGGER session_summaries_are_never_deleted BEFORE DELETE ON session_summaries
BEGIN SELECT RAISE(ABORT, 'session summaries are append-only'); END;

-- The ledger: what model calls may cost and did cost, and what operations saved.

-- Calls on their way: the worst each can cost. A row goes when its call is settled, and an entry takes its place.
CREATE TABLE reservations (
  -- Never given twice, so that a number settled late is never another call's.
  number         INTEGER PRIMARY KEY AUTOINCREMENT,
  operation      TEXT NOT NULL,
  project_id     TEXT,
  session        TEXT,
  model          TEXT,
  day            INTEGER NOT NULL,
  tokens_in      INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  tokens_avoided INTEGER NOT NULL,
  money_micros   INTEGER NOT NULL,
  reserved_at    INTEGER NOT NULL,
  expires_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE ledger_entries (
  number         INTEGER PRIMARY KEY,
  at             INTEGER NOT NULL,
  day            INTEGER NOT NULL,
  operation      TEXT NOT NULL,
  project_id     TEXT,
  session        TEXT,
  model          TEXT,
  formula        TEXT,
  basis          TEXT NOT NULL,
  reservation    INTEGER,
  tokens_in      INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  tokens_avoided INTEGER NOT NULL,
  money_micros   INTEGER NOT NULL
) STRICT;

CREATE INDEX ledger_entries_by_time ON ledger_entries (at);
-- A call is booked once, and booked back at most once.
CREATE UNIQUE INDEX ledger_entries_booked ON ledger_entries (reservation)
  WHERE reservation IS NOT NULL AND basis <> 'corrected';
CREATE UNIQUE INDEX ledger_entries_corrected ON ledger_entries (reservation)
  WHERE reservation IS NOT NULL AND basis = 'corrected';

CREATE TRIGGER ledger_entries_are_never_changed BEFORE UPDATE ON ledger_entries
BEGIN SELECT RAISE(ABORT, 'ledger entries are append-only'); END;

-- What entries add up to, kept when they are dropped. What there is none of is an empty text here, because a key has no
-- nulls.
CREATE TABLE ledger_totals (
  day            INTEGER NOT NULL,
  operation      TEXT NOT NULL,
  project_id     TEXT NOT NULL,
  session        TEXT NOT NULL,
  model          TEXT NOT NULL,
  formula        TEXT NOT NULL,
  entry_count    INTEGER NOT NULL,
  tokens_in      INTEGER NOT NULL,
  tokens_out     INTEGER NOT NULL,
  cache_read     INTEGER NOT NULL,
  cache_write    INTEGER NOT NULL,
  tokens_avoided INTEGER NOT NULL,
  money_micros   INTEGER NOT NULL,
  PRIMARY KEY (day, operation, project_id, session, model, formula)
) STRICT, WITHOUT ROWID;

-- Ceilings look only at what models did.
CREATE INDEX ledger_totals_of_calls ON ledger_totals (day) WHERE model <> '';
CREATE INDEX ledger_totals_of_sessions ON ledger_totals (session) WHERE model <> '';

-- One row while all spending is stopped, none while it is not.
CREATE TABLE spending_stopped (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  stopped_at INTEGER NOT NULL
) STRICT;

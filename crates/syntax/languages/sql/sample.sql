-- The harbour's tables. Every statement can run twice.
CREATE SCHEMA IF NOT EXISTS harbour;

CREATE TYPE harbour.lamp AS ENUM ('red', 'green', 'dark');

/* Ships, as they were announced. */
CREATE TABLE IF NOT EXISTS harbour.ships (
    id         BIGSERIAL PRIMARY KEY,
    name       text NOT NULL,
    "call sign" text UNIQUE,
    length     numeric(6, 2) CHECK (length > 0),
    -- In metres below the water line.
    draught    numeric(4, 2) NOT NULL DEFAULT 0,
    owner_id   bigint REFERENCES harbour.owners (id) ON DELETE SET NULL,
    announced  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE harbour.owners (
    id bigint PRIMARY KEY,
    name varchar(200) NOT NULL
);

-- One row for each time a ship went through the gate.
CREATE TABLE harbour.passages (
    ship_id bigint NOT NULL,
    passed timestamptz NOT NULL,
    inbound boolean NOT NULL,
    lamp harbour.lamp,
    PRIMARY KEY (ship_id, passed),
    CONSTRAINT known_ship FOREIGN KEY (ship_id) REFERENCES harbour.ships (id)
);

CREATE INDEX passages_by_time ON harbour.passages (passed DESC);
CREATE UNIQUE INDEX IF NOT EXISTS ships_by_name ON harbour.ships (lower(name));
CREATE SEQUENCE harbour.radio_calls START WITH 100 INCREMENT BY 1;

-- Who lies in the harbour now.
CREATE OR REPLACE VIEW harbour.present AS
SELECT s.id, s.name, max(p.passed) AS since
FROM harbour.ships s
JOIN harbour.passages p ON p.ship_id = s.id
WHERE p.inbound
GROUP BY s.id, s.name
HAVING count(*) > 0;

CREATE MATERIALIZED VIEW harbour.traffic AS
WITH by_day AS (
    SELECT date_trunc('day', passed) AS day, count(*) AS ships
    FROM harbour.passages
    GROUP BY 1
)
SELECT day, ships, avg(ships) OVER (ORDER BY day ROWS 6 PRECEDING) AS week
FROM by_day;

-- Whether a ship may pass at this height of water.
CREATE OR REPLACE FUNCTION harbour.may_pass(draught numeric, height numeric)
RETURNS boolean
LANGUAGE sql
IMMUTABLE
AS $$
    SELECT height - draught >= harbour.margin()
$$;

CREATE FUNCTION harbour.margin() RETURNS numeric
LANGUAGE sql
AS $$ SELECT 0.5 $$;

CREATE FUNCTION harbour.note_passage() RETURNS trigger AS $$
BEGIN
    INSERT INTO harbour.log (what) VALUES ('passage');
    RETURN NEW;
END;
$$ LANGUAGE plpgsql;

-- Forgets what is old.
CREATE PROCEDURE harbour.forget(older interval)
LANGUAGE sql
AS $$
    DELETE FROM harbour.passages WHERE passed < now() - older
$$;

CREATE TRIGGER passages_noted
    AFTER INSERT ON harbour.passages
    FOR EACH ROW EXECUTE FUNCTION harbour.note_passage();

ALTER TABLE harbour.ships ADD COLUMN flag char(2);
ALTER TABLE harbour.ships
    ADD COLUMN built integer,
    ADD COLUMN tonnage integer;

INSERT INTO harbour.owners (id, name)
VALUES (1, 'The harbour'), (2, 'The pilots');

UPDATE harbour.ships SET owner_id = 1 WHERE owner_id IS NULL;

DELETE FROM harbour.passages WHERE passed < now() - interval '10 years';

SELECT s.name, harbour.may_pass(s.draught, 4.2)
FROM harbour.ships AS s
LEFT JOIN harbour.owners o ON o.id = s.owner_id
WHERE s.id IN (SELECT id FROM harbour.present)
ORDER BY s.name;

DROP TABLE IF EXISTS harbour.old_ships;

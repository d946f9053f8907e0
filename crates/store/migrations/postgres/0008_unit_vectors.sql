-- What the units of a file mean, as vectors; empty for versions of an index made before, which the next run makes anew.
ALTER TABLE epitome.facts ADD COLUMN vectors BYTEA NOT NULL DEFAULT ''::bytea;

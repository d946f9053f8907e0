-- What a file says as a document, and which requirements it names; empty for files indexed before, which are read again.

ALTER TABLE epitome.facts ADD COLUMN document BYTEA NOT NULL DEFAULT '';

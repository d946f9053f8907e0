-- Why a file is understood in part, one reason a line; null where there is none, as in files indexed before.

ALTER TABLE epitome.files ADD COLUMN problems TEXT;
CREATE INDEX files_with_problems ON epitome.files (project_id, number) WHERE problems IS NOT NULL;

-- Whose memories and conversations are, in a store that several people share. Null where they belong to all who use it, as
-- everything did before.

ALTER TABLE memories ADD COLUMN author TEXT;
ALTER TABLE conversations ADD COLUMN author TEXT;

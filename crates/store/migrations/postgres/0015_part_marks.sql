-- What a source says about one part of a message besides its content. Null where it says nothing, as in every part from
-- before there were these columns.

ALTER TABLE epitome.message_parts
  -- Kept from the model.
  ADD COLUMN is_ignored BOOLEAN,
  -- Written by the program in the place of a person or a model.
  ADD COLUMN is_synthetic BOOLEAN,
  -- The text of a JSON object, as it came: another order of its fields would be another message.
  ADD COLUMN metadata TEXT;

-- What the stop rule that watched a trial decided, as JSON; null: none did.
ALTER TABLE trials ADD COLUMN stopped TEXT;

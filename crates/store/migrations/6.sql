-- How many processes a trial was; 0: not known.
ALTER TABLE trials ADD COLUMN processes INTEGER NOT NULL DEFAULT 1;

-- How many quartets, four duets taken together, a finding comes from; 0: from its duets.
ALTER TABLE findings ADD COLUMN quartets INTEGER NOT NULL DEFAULT 0;

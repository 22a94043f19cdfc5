-- SQLite does not notice a flipped bit inside a value. Trials that were saved before have no checksum.
ALTER TABLE trials ADD COLUMN checksum INTEGER;

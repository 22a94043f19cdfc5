-- The instance a trial ran on, and whether it was the first thing it did there; null: the machine of the run.
ALTER TABLE trials ADD COLUMN instance_id TEXT;
ALTER TABLE trials ADD COLUMN is_cold INTEGER;

-- What is known about the instances of a run.
CREATE TABLE instances (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    id TEXT NOT NULL,
    place TEXT NOT NULL,
    cpu TEXT NOT NULL,
    arch TEXT NOT NULL,
    cores INTEGER NOT NULL,
    memory_bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX instances_by_run ON instances (run);

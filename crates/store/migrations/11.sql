-- The same for everything else that is kept as for trials. What was saved before has no checksum. A later step that changes such
-- rows sets their checksums to null.
ALTER TABLE runs ADD COLUMN checksum INTEGER;
ALTER TABLE comparisons ADD COLUMN checksum INTEGER;
ALTER TABLE findings ADD COLUMN checksum INTEGER;
ALTER TABLE instances ADD COLUMN checksum INTEGER;
ALTER TABLE builds ADD COLUMN checksum INTEGER;
ALTER TABLE executables ADD COLUMN checksum INTEGER;
ALTER TABLE diagnostics ADD COLUMN checksum INTEGER;
ALTER TABLE benchmarks ADD COLUMN checksum INTEGER;
ALTER TABLE metrics ADD COLUMN checksum INTEGER;

-- Number of the randomly drawn code layout that a trial's program was linked in; null: as it was built.
ALTER TABLE trials ADD COLUMN layout INTEGER;

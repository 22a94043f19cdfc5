-- What kind of samples a trial has. Of trials that were saved before, the name of their harness tells it.
ALTER TABLE trials ADD COLUMN sample_kind TEXT;

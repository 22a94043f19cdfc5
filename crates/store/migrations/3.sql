-- Why the worsening of a finding is meant to be; null: nobody said so.
ALTER TABLE findings ADD COLUMN accepted TEXT;

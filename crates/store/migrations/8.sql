-- Benchmarks without a single duet are not measured; until now they were called undecided.
ALTER TABLE runs ADD COLUMN not_measured INTEGER NOT NULL DEFAULT 0;
UPDATE findings SET verdict = 'not_measured'
    WHERE verdict = 'undecided' AND length(duets) = 0 AND base_centre IS NULL AND head_centre IS NULL
        AND (reason = 'interrupted' OR reason LIKE '{"out_of_budget"%' OR reason LIKE '{"failed"%');
UPDATE runs SET not_measured =
    (SELECT count(*) FROM findings WHERE run = runs.key AND verdict = 'not_measured');
UPDATE runs SET undecided = undecided - not_measured;

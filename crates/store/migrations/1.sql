-- Floats that must come back bit for bit stand in columns of type ANY: a number, or eight bytes where SQLite has no
-- number for it (NaN, minus zero). Words and JSON are those of the wire types.

CREATE TABLE runs (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    command TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    seed INTEGER NOT NULL,
    tool_version TEXT NOT NULL,
    settings TEXT NOT NULL,
    environment TEXT NOT NULL,
    base_label TEXT,
    base_commit TEXT,
    base_tree TEXT,
    base_dirty INTEGER,
    base_subject TEXT,
    head_label TEXT NOT NULL,
    head_commit TEXT,
    head_tree TEXT NOT NULL,
    head_dirty INTEGER NOT NULL,
    head_subject TEXT NOT NULL,
    is_partial INTEGER NOT NULL,
    benchmarks INTEGER NOT NULL,
    trials INTEGER NOT NULL,
    slower INTEGER NOT NULL,
    faster INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    same INTEGER NOT NULL,
    undecided INTEGER NOT NULL,
    failing INTEGER NOT NULL
) STRICT;
CREATE INDEX runs_by_start ON runs (started_at, id);

CREATE TABLE benchmarks (
    key INTEGER PRIMARY KEY,
    harness TEXT NOT NULL,
    package TEXT NOT NULL,
    name TEXT NOT NULL,
    UNIQUE (harness, package, name)
) STRICT;

CREATE TABLE metrics (
    key INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    direction TEXT NOT NULL,
    nature TEXT NOT NULL,
    UNIQUE (name, unit, direction, nature)
) STRICT;

-- A trial stands at (duet, attempt, first) or at (instance, suite_run, iteration). It has failed where `failure` is
-- not null; otherwise `warmup` and `operations` are set and its values are in `series`.
CREATE TABLE trials (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    benchmark INTEGER NOT NULL REFERENCES benchmarks (key),
    side TEXT NOT NULL,
    phase TEXT NOT NULL,
    duet INTEGER,
    attempt INTEGER,
    first INTEGER,
    instance INTEGER,
    suite_run INTEGER,
    iteration INTEGER,
    started_at INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    user_ns INTEGER NOT NULL,
    system_ns INTEGER NOT NULL,
    max_rss_bytes INTEGER NOT NULL,
    failure TEXT,
    failure_detail TEXT,
    warmup INTEGER,
    operations BLOB
) STRICT;
CREATE INDEX trials_by_run ON trials (run);
CREATE INDEX trials_by_benchmark ON trials (benchmark, failure, started_at, wall_ns);

CREATE TABLE series (
    key INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trials (key) ON DELETE CASCADE,
    metric INTEGER NOT NULL REFERENCES metrics (key),
    resolution ANY NOT NULL,
    samples BLOB NOT NULL
) STRICT;
CREATE INDEX series_by_trial ON series (trial);

-- `method_version` is the version of benchwright that computed the findings.
CREATE TABLE comparisons (
    run INTEGER PRIMARY KEY REFERENCES runs (key) ON DELETE CASCADE,
    rule TEXT NOT NULL,
    rule_note TEXT NOT NULL,
    method_version TEXT NOT NULL,
    added TEXT NOT NULL,
    removed TEXT NOT NULL,
    failures TEXT NOT NULL,
    is_partial INTEGER NOT NULL
) STRICT;

CREATE TABLE findings (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    benchmark INTEGER NOT NULL REFERENCES benchmarks (key),
    metric INTEGER NOT NULL REFERENCES metrics (key),
    verdict TEXT NOT NULL,
    reason TEXT NOT NULL,
    effect_centre ANY,
    effect_lo ANY,
    effect_hi ANY,
    effect_level ANY,
    base_centre ANY,
    base_spread ANY,
    base_trials INTEGER,
    head_centre ANY,
    head_spread ANY,
    head_trials INTEGER,
    duets BLOB NOT NULL,
    fresh INTEGER NOT NULL,
    wild ANY NOT NULL,
    soft ANY NOT NULL,
    hard ANY NOT NULL,
    fails INTEGER NOT NULL,
    warnings TEXT NOT NULL
) STRICT;
CREATE INDEX findings_by_run ON findings (run);

CREATE TABLE builds (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    side TEXT NOT NULL,
    harness TEXT NOT NULL,
    dir TEXT NOT NULL,
    cache_key TEXT NOT NULL,
    toolchain TEXT NOT NULL
) STRICT;
CREATE INDEX builds_by_run ON builds (run);

CREATE TABLE executables (
    key INTEGER PRIMARY KEY,
    build INTEGER NOT NULL REFERENCES builds (key) ON DELETE CASCADE,
    package TEXT NOT NULL,
    digest TEXT NOT NULL
) STRICT;
CREATE INDEX executables_by_build ON executables (build);

-- Diagnostics of the run itself, or of its comparison where `in_comparison` is 1.
CREATE TABLE diagnostics (
    key INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (key) ON DELETE CASCADE,
    in_comparison INTEGER NOT NULL,
    severity TEXT NOT NULL,
    subject TEXT NOT NULL,
    line INTEGER,
    "column" INTEGER,
    message TEXT NOT NULL,
    hint TEXT NOT NULL
) STRICT;
CREATE INDEX diagnostics_by_run ON diagnostics (run);

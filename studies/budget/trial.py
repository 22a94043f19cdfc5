"""Compares two releases of real suites under budgets and counts verdicts.

    python3 trial.py run --benchwright target/release/benchwright --dir DIR [--suites A,B] [--runs 2] [--minutes 60]
    python3 trial.py report --dir DIR

For each suite: one comparison without a budget, then two each (`--runs`) with 10, 25 and 50 % of its time. The first of the two knows
nothing of the suite (its store is empty); the second has the comparison without a budget in its store. `at best` is what the cheapest benchmarks
could give: the times that the comparison without a budget spent on each decided benchmark, sorted and added up to the budget.
`run` appends one line per comparison to DIR/budget.ndjson and goes on where it stopped; it begins no further comparison after
`--minutes`. Needs Go. Only the standard library of Python is used.
"""

import json
import os
import pathlib
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from suites import DECIDED, command_line, compared, repository  # noqa: E402

# Name, the two releases, what takes part, further arguments. A large threshold keeps a comparison without a budget to minutes.
SUITES = [
    ("fastjson", ["go:github.com/valyala/fastjson@v1.6.4", "go:github.com/valyala/fastjson@v1.6.10"], "", []),
    ("bitset", ["go:github.com/bits-and-blooms/bitset@v1.20.0", "go:github.com/bits-and-blooms/bitset@v1.22.0"], "", []),
    ("roaring", ["go:github.com/RoaringBitmap/roaring@v1.9.0", "go:github.com/RoaringBitmap/roaring@v1.9.4"], "", ["--threshold", "10%"]),
    # Set-ups of seconds.
    ("badger", ["go:github.com/dgraph-io/badger/v4@v4.3.0", "go:github.com/dgraph-io/badger/v4@v4.5.0"], "", ["--threshold", "10%", "--max-duets", "10"]),
    ("crypto", ["go:golang.org/x/crypto@v0.30.0", "go:golang.org/x/crypto@v0.40.0"], "", []),
    ("pebble", ["go:github.com/cockroachdb/pebble@v1.1.4", "go:github.com/cockroachdb/pebble@v1.1.5"], "", ["--threshold", "10%"]),
]
SHARES = [0.10, 0.25, 0.50]


def run(args):
    directory = pathlib.Path(args.dir).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("BENCHWRIGHT_LOCK", str(directory / "lock"))
    os.environ.setdefault("BENCHWRIGHT_CACHE", str(directory / "cache"))
    records = directory / "budget.ndjson"
    wanted = args.suites.split(",") if args.suites else [suite[0] for suite in SUITES]
    end = time.monotonic() + 60 * args.minutes
    for name, versions, pattern, more in SUITES:
        done = {(r["suite"], r["share"], r["knows"]): r for r in read(records)}
        if name not in wanted:
            continue
        path = repository(directory, *versions)
        full = path.with_name(path.name + ".full")
        plan = [(1.0, False)] + [(share, knows) for knows in (False, True)[: args.runs] for share in SHARES]
        for share, knows in plan:
            if (name, share, knows) in done or time.monotonic() > end:
                continue
            shutil.rmtree(path / ".benchwright", ignore_errors=True)
            if knows:
                shutil.copytree(full, path / ".benchwright")
            budget = share * done[name, 1.0, False]["took"] if share < 1 else None
            record = dict(suite=name, share=share, knows=knows, budget=budget, load=os.getloadavg()[0])
            filtered = ["--filter", pattern] if pattern else []
            bounded = ["--budget", f"{budget:.0f}s"] if budget else []
            record.update(compared(args.benchwright, path, [*more, *filtered, *bounded]))
            if share == 1:
                shutil.rmtree(full, ignore_errors=True)
                shutil.copytree(path / ".benchwright", full)
            done[name, share, knows] = record
            with records.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(f"{name} {share:.0%} {'second' if knows else 'first'}: {record['verdicts']} in {record['took']:.0f} s", flush=True)
    report(args)


def read(records):
    return [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []


def report(args):
    records = read(pathlib.Path(args.dir) / "budget.ndjson")
    costs = {r["suite"]: r["costs"] for r in records if r["share"] == 1}
    print("| suite | budget | store | decided | undecided | not measured | at best | share | median spread |")
    print("|---|---|---|---|---|---|---|---|---|")
    for r in records:
        verdicts = r["verdicts"]
        decided = sum(verdicts.get(verdict, 0) for verdict in DECIDED)
        best, left = 0, r["budget"] or float("inf")
        for cost in costs[r["suite"]]:
            left -= cost
            best += left >= 0
        budget = f"{r['share']:.0%}, {r['budget']:.0f} s" if r["budget"] else f"none, {r['took']:.0f} s"
        print(
            f"| {r['suite']} | {budget} | {'full run' if r['knows'] else 'empty'} | {decided} "
            f"| {verdicts.get('undecided', 0)} | {verdicts.get('not_measured', 0)} | {best} | {decided / max(best, 1):.0%} "
            f"| {(r['spread'] or 0):.1%} |"
        )


if __name__ == "__main__":
    command_line(__doc__, run, report, minutes=60, runs=2)

"""Compares two releases of real suites without a plan, with one made for comparisons, and with one made for stability.

    python3 trial.py run --benchwright target/release/benchwright --dir DIR [--suites A,B] [--minutes 60]
    python3 trial.py report --dir DIR

For each suite: three processes of two seconds per benchmark of the older version, of which `reduce` makes the plan for stability; a
comparison without a plan, of which `reduce --for compare` makes the other; and one comparison with each plan. `run` appends one line
per comparison to DIR/plans.ndjson and goes on with the suites that are missing; it begins no further suite after `--minutes`. Needs
Go. Only the standard library of Python is used.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from suites import DECIDED, command_line, compared, repository  # noqa: E402

# Name, and the two releases.
SUITES = [
    ("uuid", ["go:github.com/google/uuid@v1.3.0", "go:github.com/google/uuid@v1.6.0"]),
    ("btree", ["go:github.com/google/btree@v1.0.1", "go:github.com/google/btree@v1.1.3"]),
    ("semver", ["go:github.com/Masterminds/semver/v3@v3.2.1", "go:github.com/Masterminds/semver/v3@v3.3.1"]),
    ("xxhash", ["go:github.com/cespare/xxhash/v2@v2.2.0", "go:github.com/cespare/xxhash/v2@v2.3.0"]),
]


def run(args):
    directory = pathlib.Path(args.dir).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("BENCHWRIGHT_LOCK", str(directory / "lock"))
    os.environ.setdefault("BENCHWRIGHT_CACHE", str(directory / "cache"))
    benchwright = str(pathlib.Path(args.benchwright).resolve())
    records = directory / "plans.ndjson"
    done = {record["suite"] for record in read(records)}
    end = time.monotonic() + 60 * args.minutes
    for name, versions in SUITES:
        if name in done or args.suites and name not in args.suites.split(",") or time.monotonic() > end:
            continue
        path = repository(directory, *versions)
        shutil.rmtree(path / ".benchwright", ignore_errors=True)

        def say(*words):
            subprocess.run([benchwright, *words], cwd=path, check=True, capture_output=True)

        plans = {"none": ["--no-plan"]}
        for plan in ("for compare", "for stability"):
            plans[plan] = ["--plan", str(directory / f"{name}-{plan.replace(' ', '-')}.toml")]
        say("run", "v0", "--levels", "run=1,iteration=3,second=2", "--seed", "1")
        say("reduce", *plans["for stability"])
        for plan, arguments in plans.items():
            record = dict(suite=name, plan=plan, load=os.getloadavg()[0], **compared(benchwright, path, arguments))
            if plan == "none":
                say("reduce", "--for", "compare", "--from", "latest", *plans["for compare"])
            with records.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(f"{name}, plan {plan}: {record['verdicts']} in {record['took']:.0f} s", flush=True)
    report(args)


def read(records):
    return [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []


def report(args):
    print("| suite | plan | seconds | duets | slower, faster | same | undecided | median spread |")
    print("|---|---|---|---|---|---|---|---|")
    for r in read(pathlib.Path(args.dir) / "plans.ndjson"):
        verdicts = r["verdicts"]
        changed = sum(verdicts.get(verdict, 0) for verdict in DECIDED - {"same"})
        print(
            f"| {r['suite']} | {r['plan']} | {r['took']:.0f} | {r['duets']} | {changed} | {verdicts.get('same', 0)} "
            f"| {verdicts.get('undecided', 0)} | {(r['spread'] or 0):.1%} |"
        )


if __name__ == "__main__":
    command_line(__doc__, run, report, minutes=60)

"""Compares real suites with themselves and sets the time that benchwright predicted beside the time that it took.

    python3 trial.py run --benchwright target/release/benchwright --dir DIR [--suites A,B] [--runs 2] [--minutes 15]
    python3 trial.py report --dir DIR

`run` appends one line per comparison to DIR/predictions.ndjson and goes on where it stopped; it begins no further comparison after
`--minutes`. The first comparison of a suite knows nothing of it, later ones have those before in their store. A range as it was
printed counts, with its rounding; its middle is the geometric mean of its ends. Needs Go, Cargo, Python and Node for the suites of
these; a suite that cannot be built is told and left out. Only the standard library of Python is used.
"""

import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from suites import command_line, repository  # noqa: E402

# Name, where it comes from, what takes part, further arguments. Filters keep a comparison to minutes.
SUITES = [
    ("demo", "example:demo/base", "", []),
    ("hex", "std:", "^encoding/hex:", []),
    ("utf8", "std:", "^unicode/utf8:", []),
    ("go", "example:go", "", []),
    ("base64", "std:", "^encoding/base64:", []),
    ("btree", "go:github.com/google/btree@v1.1.3", "", []),
    ("shim", "example:shim", "", []),
    ("strconv", "std:", "^internal/strconv:Benchmark(Atoi|Atof|Format)", []),
    ("fastfloat", "go:github.com/valyala/fastjson@v1.6.4", "/fastfloat:", []),
    ("sort", "std:", "^sort:Benchmark(Sort|Stable|Search)", ["--skip", "1e6"]),
    ("csv", "std:", "^encoding/csv:", []),
    ("zerolog", "go:github.com/rs/zerolog@v1.34.0", "^github.com/rs/zerolog:Benchmark(D|I|L)", []),
    ("rust", "example:rust", "", []),
    ("python", "example:python", "", ["--max-duets", "10"]),
    ("toml", "go:github.com/pelletier/go-toml/v2@v2.2.4", "BenchmarkMarshal/", []),
    ("expr", "go:github.com/expr-lang/expr@v1.17.5", "^github.com/expr-lang/expr:", []),
    ("zap", "go:go.uber.org/zap@v1.27.0", "^go.uber.org/zap/zapcore:", []),
    ("javascript", "example:javascript", "", ["--max-duets", "10"]),
    ("matchit", "crate:matchit-0.8.6", "", []),
    ("uuid", "go:github.com/google/uuid@v1.6.0", "", []),
    ("xxhash", "go:github.com/cespare/xxhash/v2@v2.3.0", "", []),
    ("snappy", "go:github.com/golang/snappy@v1.0.0", "", []),
    ("semver", "go:github.com/Masterminds/semver/v3@v3.3.1", "", []),
    ("humanize", "go:github.com/dustin/go-humanize@v1.0.1", "", []),
    ("bitset", "go:github.com/bits-and-blooms/bitset@v1.22.0", "", []),
    ("blake2b", "go:golang.org/x/crypto@v0.40.0", "^golang.org/x/crypto/blake2b:", []),
    ("httparse", "crate:httparse-1.10.1", "", ["--max-duets", "10"]),
]

SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
TOLD = re.compile(r"measuring (\d+) benchmarks?, (.*)")


def span(text):
    """Both ends of `4 to 9 min`, `40 s to 3 min`, `up to 3 s` or `about 5 min`, in seconds."""
    numbers = re.findall(r"([\d.]+)(?: (s|min|h))?", text.split("(")[0])
    unit = [found for _, found in numbers if found][-1]
    ends = [float(number) * SECONDS[found or unit] for number, found in numbers]
    if text.startswith("up to"):
        return 0.0, ends[0]
    # `about 5 min` is whatever is rounded to it.
    return (ends[0], ends[1]) if len(ends) > 1 else (0.9 * ends[0], 1.1 * ends[0])


def compare(benchwright, path, wanted, more, seed):
    """One comparison: what was told, and what it took from then on."""
    command = [benchwright, "compare", "HEAD", "HEAD", "--seed", str(seed), "--format", "json", *more]
    command += ["--filter", wanted] if wanted else []
    # A file, since nobody reads a long document while the messages are read.
    output = tempfile.TemporaryFile("w+")
    process = subprocess.Popen(command, cwd=path, stdout=output, stderr=subprocess.PIPE, text=True)
    began, told, lines = None, None, []
    for line in process.stderr:
        lines.append(line)
        found = TOLD.search(line)
        if found and told is None:
            began, told = time.monotonic(), found
    process.wait()
    ended = time.monotonic()
    output.seek(0)
    document = output.read()
    if told is None:
        return None, "".join(lines)[-600:]
    took = ended - began
    duets = json.loads(document)["counts"]["duets"] if document else 0
    low, high = span(told.group(2))
    return dict(benchmarks=int(told.group(1)), told=told.group(2), low=low, high=high, took=took, duets=duets), ""


def run(args):
    directory = pathlib.Path(args.dir).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("BENCHWRIGHT_LOCK", str(directory / "lock"))
    os.environ.setdefault("BENCHWRIGHT_CACHE", str(directory / "cache"))
    records = directory / "predictions.ndjson"
    done = {(r["suite"], r["run"]) for r in read(records)}
    wanted = args.suites.split(",") if args.suites else [suite[0] for suite in SUITES]
    end = time.monotonic() + 60 * args.minutes
    for number in range(1, args.runs + 1):
        for name, source, pattern, more in SUITES:
            if name not in wanted or (name, number) in done or time.monotonic() > end:
                continue
            try:
                path = repository(directory, source)
            except Exception as error:
                print(f"{name}: left out: {error}", file=sys.stderr)
                continue
            record, problem = compare(str(pathlib.Path(args.benchwright).resolve()), path, pattern, more, number)
            if record is None:
                print(f"{name}: left out: {problem}", file=sys.stderr)
                continue
            record = dict(suite=name, run=number, load=os.getloadavg()[0] / (os.cpu_count() or 1), **record)
            with records.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(f"{name} {number}: told {record['told']}, took {record['took']:.0f} s", flush=True)
    report(args)


def read(records):
    return [json.loads(line) for line in records.read_text().splitlines()] if records.exists() else []


def report(args):
    records = read(pathlib.Path(args.dir) / "predictions.ndjson")
    print("| suite | run | load | benchmarks | duets | told | took | in range | middle off by |")
    print("|---|---|---|---|---|---|---|---|---|")
    for r in records:
        middle = math.sqrt(max(r["low"], 0.3) * r["high"])
        # A range is printed in whole seconds at best.
        r["in"] = r["low"] - 0.5 <= r["took"] <= r["high"] + 0.5
        r["off"] = max(r["took"] / middle, middle / r["took"])
        print(
            f"| {r['suite']} | {r['run']} | {r['load']:.1f} | {r['benchmarks']} | {r['duets']} | {r['told']} "
            f"| {r['took']:.0f} s | {'yes' if r['in'] else 'no'} | {r['off']:.2f} |"
        )
    groups = [("first run", [r for r in records if r["run"] == 1]), ("later runs", [r for r in records if r["run"] > 1])]
    for title, group in groups:
        if group:
            inside, off = sum(r["in"] for r in group), statistics.median(r["off"] for r in group)
            print(f"\n{title}: {inside} of {len(group)} in the range; the middle is off by a factor of {off:.2f} in the median")


if __name__ == "__main__":
    command_line(__doc__, run, report, minutes=15, runs=2)

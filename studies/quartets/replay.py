"""Judges recorded screening duets again, by single duets and with quartets (docs/design/0012-quartets.md).

    benchwright export RUN --format samples-json -o DIR/RUN.json     (once per run of a comparison)
    python3 replay.py DIR [DIR ...]

Needs NumPy and SciPy. Each table counts what screening says of every benchmark in a directory: as recorded, and with all slices of
head made 5 % slower and faster. A benchmark whose record ends before the rule has decided is "short".
"""

import collections
import json
import math
import pathlib
import sys

import numpy as np
from scipy.stats import t

LOOKS = [5, 7, 10, 13, 17, 22, 29, 40, 54, 72, 96]
LEVEL = 0.02
DELTA = math.log(1.03)


def duets(path):
    """Slices of base and head of every screening duet, by benchmark."""
    found = collections.defaultdict(dict)
    for trial in json.loads(path.read_text())["trials"]:
        times = [series for series in trial["series"] if series["metric"] == "time"]
        if times and trial["phase"] == "screening" and not trial["failure"]:
            halves = found[trial["package"], trial["name"]].setdefault(trial["duet"], {})
            halves[trial["side"]] = np.array(times[0]["values"])
    for halves in found.values():
        yield [(it["base"], it["head"]) for _, it in sorted(halves.items()) if len(it) == 2]


def ratios(of, quantile, together):
    def value(side, start):
        return np.quantile(np.concatenate([duet[side] for duet in of[start : start + together]]), quantile)

    starts = range(0, len(of) - together + 1, together)
    return np.array([math.log(value(1, start) / value(0, start)) for start in starts])


def interval(d):
    """Centre, standard error, and ends of the trimmed interval."""
    n = len(d)
    g = n // 5 if n >= 7 else 0
    h = n - 2 * g
    z = np.sort(d)
    centre = z[g : n - g].mean()
    z[:g], z[n - g :] = z[g], z[n - 1 - g]
    error = math.sqrt(((z - z.mean()) ** 2).sum() / (h * (h - 1)))
    reach = t.ppf(1 - LEVEL / 2, h - 1) * error
    return centre, error, centre - reach, centre + reach


def said(centre, lo, hi):
    if -DELTA < lo and hi < DELTA:
        return "same"
    return "suspect" if (lo > 0 and centre >= DELTA) or (hi < 0 and centre <= -DELTA) else None


def screened(of, has_quartets, shift):
    for n in LOOKS:
        if n > len(of):
            return "short"
        speakers = [interval(ratios(of[:n], quantile, 1) + shift) for quantile in (0.1, 0.5)]
        centre, _, lo, hi = min(speakers, key=lambda it: it[1])
        if answer := said(centre, lo, hi):
            return answer
        if has_quartets and n >= 28:
            of_four = interval(ratios(of[:n], 0.025, 4) + shift)
            answer = said(of_four[0], *of_four[2:])
            is_contradicted = answer == "same" and abs(centre) > DELTA
            if answer and of_four[3] - of_four[2] < hi - lo and not is_contradicted:
                return answer
    return "undecided"


for directory in sys.argv[1:]:
    benchmarks = [of for path in sorted(pathlib.Path(directory).glob("*.json")) for of in duets(path)]
    print(f"{directory}: {len(benchmarks)} benchmarks")
    for shift in (0.0, math.log(1.05), -math.log(1.05)):
        for has_quartets in (False, True):
            counts = collections.Counter(screened(of, has_quartets, shift) for of in benchmarks)
            rule = "with quartets" if has_quartets else "duets"
            row = ", ".join(f"{counts[word]} {word}" for word in ("same", "undecided", "suspect", "short"))
            print(f"  {math.expm1(shift):+.0%}  {rule:13}  {row}", flush=True)

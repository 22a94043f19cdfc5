"""How far a rule's processes would have been from JMH's defaults, on the same processes.

    benchwright export RUN --format samples-json > samples.json
    benchwright steady stops --rule NAME --data RUN > stops.csv
    python3 replay.py samples.json stops.csv

A process of the reference run has 100 s: 50 s of warm-up, 50 s measured. The rule's value is the median of what it
would have measured, the reference the median of the second half of the same process.
"""

import csv
import json
import statistics
import sys


def times(trial):
    """Seconds per operation of every iteration, and how long each took."""
    main = next(series for series in trial["series"] if series["metric"] in ("time", "throughput"))
    values = [1 / value if main["metric"] == "throughput" else value for value in main["values"]]
    return values, [value * count for value, count in zip(values, trial["operations"])]


def main(samples, stops):
    processes = {}
    for trial in json.load(open(samples))["trials"]:
        processes.setdefault(f"{trial['package']}:{trial['name']}", []).append(times(trial))
    deviations, spent = [], []
    for row in csv.DictReader(open(stops)):
        values, walls = processes[row["benchmark"]][int(row["fork"])]
        first, end = int(row["last_warmup_it"]) + 1, int(row["last_measure_it"]) + 1
        reference = statistics.median(values[len(values) // 2 :])
        deviation = statistics.median(values[first:end]) / reference - 1
        deviations.append(abs(deviation))
        spent.append(sum(walls[:end]))
        print(f"{row['benchmark']} {row['fork']}: {sum(walls[:end]):.1f} s, {deviation:+.1%}")
    print(f"{statistics.mean(spent):.1f} s per process, median deviation {statistics.median(deviations):.1%}, "
          f"largest {max(deviations):.1%}")


main(*sys.argv[1:])

"""What a longer measured part would bring, and cost.

  python longer.py --data DIR/jmh-steady

Takes the decisions of the learned rule on benchmarks it had not seen (folds/stops.tsv.gz) and lets processes that it ends late go on some times as far, with the same
end of warm-up. Median over three seeds of: error, deviation, share of intervals that contain 1, median and sum of testing times. Means of resamples are
drawn from normal distributions, so that the numbers differ from those of `cargo xtask study warmup` in the last digits.
"""
import argparse
import csv
import glob
import gzip
import os
import zlib

import numpy as np
import pyarrow.parquet as pq

ITERATIONS, RESAMPLES, SEEDS = 3000, 2000, (42, 43, 44)


def load(folder):
    """Values, time up to each iteration and label of every process, by benchmark."""
    data = {}
    for path in sorted(glob.glob(os.path.join(folder, "series-*.parquet"))):
        table = pq.read_table(path, columns=["system", "benchmark", "params", "fork", "steady_from", "values"])
        values = table["values"].combine_chunks().flatten().to_numpy().reshape(-1, ITERATIONS)
        wall = np.cumsum(np.ceil(0.1 / values) * values, axis=1)
        names = [table[name].to_pylist() for name in ("system", "benchmark", "params", "fork", "steady_from")]
        for i, (*key, fork, steady) in enumerate(zip(*names)):
            data.setdefault(tuple(key), {})[fork] = (values[i], wall[i], steady)
    return data


def decisions(path):
    """Last warm-up and last measured iteration by rule and seed, benchmark and process."""
    rules = {}
    with gzip.open(path, "rt") as handle:
        for row in csv.DictReader(handle, delimiter="\t"):
            key, fork = (row["system"], row["benchmark"], row["params"]), int(row["fork"])
            for name in row.keys() - {"system", "benchmark", "params", "fork"}:
                rules.setdefault(name, {}).setdefault(key, {})[fork] = tuple(map(int, row[name].split(":")))
    return rules


def means(key, parts, what):
    """Means of resamples of processes, and of values within each."""
    random = np.random.default_rng([7, zlib.crc32(repr((key, what)).encode())])
    n = np.array([len(part) for part in parts])
    total = np.array([part.sum() for part in parts])
    spread = np.array([part.std() for part in parts]) * np.sqrt(n)
    drawn = random.integers(0, len(parts), (RESAMPLES, len(parts)))
    sums = total[drawn] + spread[drawn] * random.standard_normal(drawn.shape)
    return sums.sum(axis=1) / n[drawn].sum(axis=1)


def score(data, truth, rule):
    errors, deviations, contains, times = [], [], [], []
    for key, processes in data.items():
        stops = rule[key]
        for fork, (warmup, _) in stops.items():
            _, wall, steady = processes[fork]
            if steady >= 0:
                errors.append(abs((wall[warmup] if warmup >= 0 else 0.0) - wall[steady]))
        times.append(sum(processes[fork][1][last] for fork, (_, last) in stops.items()))
        if key in truth:
            parts = [processes[fork][0][warmup + 1 : last + 1] for fork, (warmup, last) in sorted(stops.items())]
            lo, hi = np.quantile(means(key, parts, "measured") / truth[key], [0.025, 0.975])
            deviations.append(abs((lo + hi) / 2 - 1))
            contains.append(lo <= 1 <= hi)
    return np.median(errors), 100 * np.median(deviations), 100 * np.mean(contains), np.median(times), sum(times) / 1e3


def prolonged(rule, after, times):
    """The same, but what ends after so many iterations goes on so many times as far."""
    end = lambda last: min(ITERATIONS - 1, int(last * times)) if last > after else last
    return {key: {fork: (w, end(last)) for fork, (w, last) in stops.items()} for key, stops in rule.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    data = load(parser.parse_args().data)
    rules = decisions(os.path.join(os.path.dirname(os.path.abspath(__file__)), "folds/stops.tsv.gz"))
    truth = {}
    for key, processes in data.items():
        parts = [values[steady + 1 :] for _, (values, _, steady) in sorted(processes.items()) if steady >= 0]
        if parts:
            truth[key] = means(key, parts, "steady")

    def show(name, rule):
        scores = np.median([score(data, truth, rule(seed)) for seed in SEEDS], axis=0)
        print(f"{name:32}", *(f"{value:8.2f}" for value in scores), flush=True)

    print(f"{'':32}  error s    dev %  has 1 %   time s   sum ks")
    show("oscnn", lambda seed: rules[f"oscnn-{seed}"])
    show("learned", lambda seed: rules[f"learned-{seed}"])
    for after in (0, 150, 250):
        for times in (1.5, 2, 3):
            show(f"x {times} after {after / 10:g} s", lambda seed: prolonged(rules[f"learned-{seed}"], after, times))


if __name__ == "__main__":
    main()

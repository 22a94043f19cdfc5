"""What every trained rule decided about benchmarks it had not seen, in one small file.

  python stops.py --packed DIR --nets DIR --rule DIR --out folds

Reads MODEL-SEED.npz and MODEL.json of nets.py and learned-SEED.csv of rule.py. Writes stops.tsv.gz (a line per fork: last warm-up and last measured
iteration of each rule and seed) and windows.csv (the classifiers' scores on windows of each test fold). A network's warm-up lies before the first
window that scores enough, and that window is measured.
"""
import argparse
import csv
import gzip
import json
import os

import numpy as np

from common import SEEDS, WINDOW, Data

MODELS = ("oscnn", "fcn", "rocket")
SCORES = ("precision", "recall", "f1", "balanced_accuracy")


def learned(path, keys):
    with open(path, newline="") as handle:
        rows = {(r["system"], r["benchmark"], r["params"], int(r["fork"])): f"{r['last_warmup_it']}:{r['last_measure_it']}"
                for r in csv.DictReader(handle)}
    return [rows[(*k, f)] for k in keys for f in range(10)]


def network(path):
    return [f"{o - 1}:{o + WINDOW - 1}" for o in np.load(path)["offset"].astype(int).reshape(-1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("packed", "nets", "rule", "out"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    keys = Data(args.packed).keys
    columns = [(f"learned-{s}", learned(os.path.join(args.rule, f"learned-{s}.csv"), keys)) for s in SEEDS]
    columns += [(f"{m}-{s}", network(os.path.join(args.nets, f"{m}-{s}.npz"))) for m in MODELS for s in SEEDS]
    lines = ["\t".join(("system", "benchmark", "params", "fork", *(name for name, _ in columns)))]
    for i, key in enumerate(keys):
        lines += ["\t".join((*key, str(f), *(stops[i * 10 + f] for _, stops in columns))) for f in range(10)]
    os.makedirs(args.out, exist_ok=True)
    with open(os.path.join(args.out, "stops.tsv.gz"), "wb") as handle:
        with gzip.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0, compresslevel=9) as out:
            out.write(("\n".join(lines) + "\n").encode())
    with open(os.path.join(args.out, "windows.csv"), "w") as out:
        out.write(",".join(("model", "seed", "fold", *SCORES)) + "\n")
        for model in sorted(MODELS):
            for r in json.load(open(os.path.join(args.nets, f"{model}.json"))):
                out.write(f"{model},{r['seed']},{r['fold']}," + ",".join(f"{r[name]:.6f}" for name in SCORES) + "\n")


if __name__ == "__main__":
    main()

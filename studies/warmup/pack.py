"""Packs the jmh-steady folder into one small file, so that the other scripts need numpy alone.

  python pack.py --data ../../../shared/data/jmh-steady --out packed

Values are stored as float32 in byte planes (they compress better than whole numbers); labels, the source's stop
decisions and the developers' number of forks come along. A benchmark is a row of `keys.json`; forks are 0 to 9.
"""
import argparse
import csv
import glob
import json
import os

import numpy as np
import pyarrow.parquet as pq

CONFIGURATIONS = ("dev", "default", "dyn_cv", "dyn_rciw", "dyn_kld")


def series(folder):
    rows, values = [], []
    for path in sorted(glob.glob(os.path.join(folder, "series-*.parquet"))):
        table = pq.read_table(path, columns=["system", "benchmark", "params", "fork", "steady_from", "values"])
        values.append(table["values"].combine_chunks().flatten().to_numpy().reshape(-1, 3000).astype(np.float32))
        rows += zip(*(table[c].to_pylist() for c in ("system", "benchmark", "params", "fork", "steady_from")))
    return rows, np.concatenate(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    rows, values = series(args.data)
    keys = sorted({r[:3] for r in rows})
    place = {k: i for i, k in enumerate(keys)}
    order = sorted(range(len(rows)), key=lambda i: (place[rows[i][:3]], rows[i][3]))
    values, rows = values[order], [rows[i] for i in order]
    assert all(r[3] == i % 10 for i, r in enumerate(rows)), "every benchmark needs forks 0 to 9"
    steady = np.array([r[4] for r in rows], np.int16).reshape(-1, 10)
    stops = {n: np.full((len(keys), 10, 2), -9, np.int16) for n in CONFIGURATIONS}
    for r in pq.read_table(os.path.join(args.data, "configs.parquet")).to_pylist():
        k = place[r["system"], r["benchmark"], r["params"]]
        for n in CONFIGURATIONS:
            if r[n + "_last_warmup_it"] is not None:
                stops[n][k, r["fork"]] = r[n + "_last_warmup_it"], r[n + "_last_measure_it"]
    forks = np.zeros(len(keys), np.int16)
    with open(os.path.join(args.data, "subjects.csv"), newline="") as handle:
        for r in csv.DictReader(handle):
            forks[place[r["system"], r["benchmark"], r["params"]]] = int(r["f"])
    planes = np.ascontiguousarray(values.view(np.uint8).reshape(values.shape + (4,)).transpose(2, 0, 1))
    os.makedirs(args.out, exist_ok=True)
    np.savez_compressed(os.path.join(args.out, "data.npz"), planes=planes, st=steady, devf=forks, **stops)
    with open(os.path.join(args.out, "keys.json"), "w") as handle:
        json.dump(keys, handle)


if __name__ == "__main__":
    main()

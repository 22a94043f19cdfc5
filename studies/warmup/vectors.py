"""Vectors that pin the learned rule in Rust: features and decisions of the final models on a few real processes.

  python vectors.py --packed DIR --models DIR --out DIR

processes.csv: three forks each of some benchmarks, one line per fork: last warm-up and last measured iteration, then 1000 values.
features.csv: model, line of the fork in processes.csv, grid place, horizon or cut (or -1), then the features as float32.
"""
import argparse
import os

import lightgbm
import numpy as np

from common import Data
from features import CUTS, GRID, horizons
from rule import MODELS, Policy, Study
from trees import SETTINGS

BENCHMARKS = (7, 101, 202, 303, 404)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packed", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    data = Data(args.packed)
    keep = np.array(BENCHMARKS)
    for name in ("values", "steady", "sum1"):
        setattr(data, name, getattr(data, name)[keep])
    data.n = len(keep)
    study = Study(data)
    models = [{n: lightgbm.Booster(model_file=os.path.join(args.models, f"{n}.txt")) for n in MODELS}]
    policy = Policy(SETTINGS["pilot"], SETTINGS["cap"], SETTINGS["price"], SETTINGS["theta"], SETTINGS["patience"])
    rows = np.arange(data.n * 10)
    first, rest = rows[rows % 10 == 0], rows[rows % 10 > 0]
    prior = (rest // 10 * 10, study.limit(rest // 10 * 10, policy.pilot))
    decided = np.zeros((2, len(rows)), np.int64)
    for some, places, given in ((first, study.limit(first, policy.pilot), None),
                                (rest, study.stop_places(study.gains(models, rest, prior), rest, policy), prior)):
        over = study.overs(models, some, places, given)
        decided[:, some] = study.windows(places, study.hits(some, places, over), study.agreement(some, places), SETTINGS["weight"])
    lines = [b * 10 + f for b in range(data.n) for f in range(3)]
    with open(os.path.join(args.out, "processes.csv"), "w") as out:
        for r in lines:
            values = ",".join(f"{float(v):.9g}" for v in data.values.reshape(-1, 3000)[r, :1000])
            out.write(f"{decided[0, r]},{decided[1, r]},{values}\n")
    with open(os.path.join(args.out, "features.csv"), "w") as out:
        write = lambda model, line, g, other, x: out.write(
            f"{model},{line},{g},{other}," + ",".join(f"{float(np.float32(v)):.9g}" for v in x[0]) + "\n")
        for line, r in enumerate(lines):
            if r % 10 == 0:
                continue
            row, given = np.array([r]), (np.array([r // 10 * 10]), study.limit(np.array([r // 10 * 10]), policy.pilot))
            for g in (0, 3, 9, 17, 25):
                write("level", line, g, -1, study.level_rows(g, row, given))
                if g < len(GRID) - 1:
                    for h, x in zip(horizons(g), study.gain_rows(g, row, given)):
                        write("gain", line, g, h, x)
                for c in (0, CUTS[min(g // 2, 14)]):
                    if c + 9 <= GRID[g]:
                        write("over_pilot", line, g, c, study.over_rows(g, c, row, None))
                        write("over", line, g, c, study.over_rows(g, c, row, given))


if __name__ == "__main__":
    main()

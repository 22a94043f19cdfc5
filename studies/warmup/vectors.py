"""Vectors that pin the learned rule in Rust: features and decisions of the final models on a few real processes.

  python vectors.py --packed DIR --models DIR --out DIR

processes.csv: eight forks each of some benchmarks, one line per fork: last warm-up and last measured iteration, then 800 values.
features.csv: model, line of the fork in processes.csv, grid place, horizon or cut (or -1), then the features as float32.
"""
import argparse
import os

import lightgbm
import numpy as np

from common import Data
from features import CUTS, horizons
from rule import EARLY, One, Replay, Study
from trees import MODELS, SETTINGS

BENCHMARKS = (7, 202, 404)
FORKS, VALUES = 8, 800


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packed", required=True)
    parser.add_argument("--models", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    data = Data(args.packed)
    for name in ("values", "steady", "sum1"):
        setattr(data, name, getattr(data, name)[np.array(BENCHMARKS)])
    data.n = len(BENCHMARKS)
    study = Study(data)
    models = {n: lightgbm.Booster(model_file=os.path.join(args.models, f"{n}.txt")) for n in MODELS}
    warmup, last = Replay(study, One(models), (SETTINGS["long"],)).decide(SETTINGS, 0)
    lines = [b * 10 + f for b in range(data.n) for f in range(FORKS)]
    with open(os.path.join(args.out, "processes.csv"), "w") as out:
        for r in lines:
            values = ",".join(f"{float(v):.9g}" for v in data.values.reshape(-1, 3000)[r, :VALUES])
            out.write(f"{warmup.reshape(-1)[r]},{last.reshape(-1)[r]},{values}\n")
    with open(os.path.join(args.out, "features.csv"), "w") as out:
        write = lambda model, line, g, other, x: out.write(
            f"{model},{line},{g},{other}," + ",".join(f"{float(np.float32(v)):.9g}" for v in x[0]) + "\n")
        for line, r in enumerate(lines):
            if r % 10 not in (0, EARLY + 1, EARLY + 2):
                continue
            row, long = np.array([r]), np.array([r // 10 * 10 + EARLY])
            for ending, given in (("_first", None), ("", (long, study.limit(long, SETTINGS["long"])))):
                for g in (0, 3, 9, 17, 24):
                    write("level" + ending, line, g, -1, study.level_rows(g, row, given))
                    for h, x in zip(horizons(g), study.gain_rows(g, row, given)):
                        if h < 25:
                            write("gain" + ending, line, g, h, x)
                    for c in (0, CUTS[min(g // 2, 14)]):
                        write("over" + ending, line, g, c, study.over_rows(g, c, row, given)) if g else None


if __name__ == "__main__":
    main()

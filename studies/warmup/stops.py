"""Stop decisions of the networks as CSV for score_stop.py.

  python stops.py --packed DIR --nets DIR --out DIR

Reads MODEL-SEED.npz of nets.py, writes MODEL-SEED.csv: warm-up before the first window that scores enough, that window measured.
"""
import argparse
import glob
import os

import numpy as np

from common import WINDOW, Data, write_stops


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packed", required=True)
    parser.add_argument("--nets", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    data = Data(args.packed)
    os.makedirs(args.out, exist_ok=True)
    for path in sorted(glob.glob(os.path.join(args.nets, "*-*.npz"))):
        offset = np.load(path)["offset"].astype(np.int64)
        name = os.path.splitext(os.path.basename(path))[0]
        write_stops(os.path.join(args.out, name + ".csv"), data, offset - 1, offset + WINDOW - 1)


if __name__ == "__main__":
    main()

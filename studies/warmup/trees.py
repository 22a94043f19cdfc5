"""Writes LightGBM's models as `crates/steady` reads them.

  python trees.py --models DIR --out rule.bin

The file is: "BWT2", the rule's settings (f32: processes before the long one, its iterations; then for the early ones and for those after
the long one: most iterations, price, theta, weight), then the models gain_first, level_first, over_first, gain, level and over. A model is
its number of features and of trees (u32); a tree is its number of leaves (u32), its inner nodes (u16 feature, u16 left, u16 right, u16
zero, f32 threshold; a child from 32768 on is leaf child - 32768), its leaves (f32). Little-endian.
Features are compared as float32: thresholds are rounded down, so that `<=` means the same.
"""
import argparse
import os
import struct

import numpy as np

EARLY = 5
SETTINGS = dict(long=700, cap0=800, price0=2.4e-4, theta0=0.55, weight0=14.0, cap1=800, price1=4e-4, theta1=0.5, weight1=14.0)
MODELS = ("gain_first", "level_first", "over_first", "gain", "level", "over")
LEAF = 32768


def trees_of(text):
    """[(features, thresholds, left, right, leaves)], number of features."""
    head, *parts = text.split("\nTree=")
    features = int(next(x for x in head.splitlines() if x.startswith("max_feature_idx=")).split("=")[1]) + 1
    out = []
    for part in parts:
        rows = dict(x.split("=", 1) for x in part.split("end of trees")[0].splitlines() if "=" in x)
        numbers = lambda name, kind: [kind(x) for x in rows.get(name, "").split()]
        assert int(rows["num_cat"]) == 0
        out.append((numbers("split_feature", int), numbers("threshold", float), numbers("left_child", int),
                    numbers("right_child", int), numbers("leaf_value", float)))
    return out, features


def down(x):
    """The largest float32 that is not above x."""
    y = np.float32(x)
    return y if float(y) <= x else np.nextafter(y, np.float32(-np.inf))


def child(c):
    return c if c >= 0 else LEAF + ~c


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    with open(args.out, "wb") as out:
        out.write(b"BWT2" + struct.pack("<10f", EARLY, *SETTINGS.values()))
        for name in MODELS:
            trees, features = trees_of(open(os.path.join(args.models, f"{name}.txt")).read())
            out.write(struct.pack("<II", features, len(trees)))
            for split, threshold, left, right, leaves in trees:
                out.write(struct.pack("<I", len(leaves)))
                for f, t, l, r in zip(split, threshold, left, right):
                    out.write(struct.pack("<HHHHf", f, child(l), child(r), 0, down(t)))
                out.write(np.asarray(leaves, "<f4").tobytes())


if __name__ == "__main__":
    main()

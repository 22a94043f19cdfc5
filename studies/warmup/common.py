"""Packed data, folds, stop decisions as CSV."""
import csv
import json
import os

import numpy as np

LENGTH = 3000
WINDOW = 100
SEEDS = (42, 43, 44)


class Data:
    """Series [benchmark, fork, iteration], labels, wall times, cumulative sums."""

    def __init__(self, folder):
        z = np.load(os.path.join(folder, "data.npz"))
        planes = z["planes"]
        flat = np.ascontiguousarray(planes.transpose(1, 2, 0)).view(np.float32)[..., 0]
        self.keys = [tuple(k) for k in json.load(open(os.path.join(folder, "keys.json")))]
        self.n = len(self.keys)
        self.values = flat.reshape(self.n, 10, LENGTH)
        self.steady = z["st"].astype(np.int64)
        self.dev_forks = z["devf"].astype(np.int64)
        self.stops = {k: z[k].astype(np.int64) for k in ("dev", "default", "dyn_cv", "dyn_rciw", "dyn_kld")}
        v = self.values.astype(np.float64)
        self.wall = np.cumsum(np.ceil(0.1 / v) * v, axis=2)
        zero = np.zeros((self.n, 10, 1))
        self.sum1 = np.concatenate([zero, np.cumsum(v, axis=2)], axis=2)
        scale = v.mean(axis=2, keepdims=True)
        self.scale = scale
        self.sum2 = np.concatenate([zero, np.cumsum((v / scale - 1) ** 2, axis=2)], axis=2)
        systems = sorted({k[0] for k in self.keys})
        self.system = np.array([systems.index(k[0]) for k in self.keys])
        st = np.maximum(self.steady, 0)
        self.true_time = np.take_along_axis(self.wall, st[..., None], 2)[..., 0]

    def folds(self, seed):
        """Fold 0..4 of each benchmark: shuffled inside each system and dealt out."""
        rng = np.random.default_rng(seed)
        fold = np.zeros(self.n, np.int64)
        start = 0
        for s in range(self.system.max() + 1):
            members = rng.permutation(np.flatnonzero(self.system == s))
            fold[members] = (np.arange(len(members)) + start) % 5
            start += len(members)
        return fold

    def validation(self, train, seed):
        """A quarter of the benchmarks in `train`, stratified by system."""
        rng = np.random.default_rng(seed + 1000)
        out, start = [], 0
        for s in range(self.system.max() + 1):
            members = rng.permutation(train[self.system[train] == s])
            out.append(members[(np.arange(len(members)) + start) % 4 == 0])
            start += len(members)
        return np.concatenate(out)


def write_stops(path, data, warmup, last):
    with open(path, "w", newline="") as handle:
        out = csv.writer(handle)
        out.writerow(("system", "benchmark", "params", "fork", "last_warmup_it", "last_measure_it"))
        for i, k in enumerate(data.keys):
            for f in range(10):
                out.writerow((*k, f, int(warmup[i, f]), int(last[i, f])))

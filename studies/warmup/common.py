"""Packed data, folds, windows, and a quick approximation of score_stop.py for searching."""
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

    def window_moments(self, lo, hi):
        """Mean and standard deviation (population) of values[lo:hi] per fork; arrays [benchmark, fork]."""
        n = (hi - lo).astype(np.float64)
        take = lambda a, i: np.take_along_axis(a, i[..., None], 2)[..., 0]
        mean = (take(self.sum1, hi) - take(self.sum1, lo)) / n
        scale = self.scale[..., 0]
        rel = mean / scale - 1
        var = (take(self.sum2, hi) - take(self.sum2, lo)) / n - rel**2
        return mean, np.sqrt(np.maximum(var, 0)) * scale, n


class QuickScore:
    """score_stop.py's metrics with normal instead of resampled fork means; common random numbers, B small."""

    def __init__(self, data, torch=None, device="cpu", draws=2000, seed=7):
        import torch as t
        self.t, self.data, self.device, self.draws = t, data, device, draws
        g = t.Generator(device=device)
        g.manual_seed(seed)
        self.pick = t.randint(0, 10, (1, draws, 10), generator=g, device=device)
        self.noise = t.randn((data.n, draws, 10), generator=g, device=device)
        lo = np.maximum(data.steady, 0) + 1
        mean, sd, n = data.window_moments(lo, np.full_like(lo, LENGTH))
        ok = data.steady >= 0
        u = t.rand((data.n, draws, 10), generator=g, device=device)
        count = ok.sum(axis=1)
        order = np.argsort(~ok, axis=1, kind="stable")
        order = t.as_tensor(order, device=device)
        cnt = t.as_tensor(count, device=device)
        pick = (u * cnt[:, None, None]).long()
        pick = t.minimum(pick, cnt[:, None, None] - 1)
        pick = t.gather(order[:, None, :].expand(-1, draws, -1), 2, pick)
        use = (t.arange(10, device=device)[None, :] < cnt[:, None]).double()[:, None, :]
        noise = t.randn((data.n, draws, 10), generator=g, device=device)
        self.steady_means = self._means(mean, sd, n, pick, noise, use)

    def _means(self, mean, sd, n, pick, noise, use=None):
        t = self.t
        mean, sd, n = (t.as_tensor(x, device=self.device, dtype=t.float64)[:, None, :].expand(-1, self.draws, -1) for x in (mean, sd, n))
        m, s, k = (t.gather(x, 2, pick.expand(self.data.n, -1, -1)) for x in (mean, sd, n))
        if use is None:
            use = 1.0
        return ((m * k + s * t.sqrt(k) * noise) * use).sum(2) / (k * use).sum(2)

    def __call__(self, warmup, last, rows=None):
        """warmup, last: [benchmark, fork]. Returns a dict of the four metrics over benchmarks `rows`."""
        t, d = self.t, self.data
        mean, sd, n = d.window_moments(warmup + 1, last + 1)
        ratio = self._means(mean, sd, n, self.pick, self.noise) / self.steady_means
        ci = t.quantile(ratio, t.tensor([0.025, 0.975], device=self.device, dtype=t.float64), dim=1).cpu().numpy()
        wall = lambda i: np.where(i >= 0, np.take_along_axis(d.wall, np.maximum(i, 0)[..., None], 2)[..., 0], 0.0)
        err = np.abs(wall(warmup) - d.true_time)
        rows = np.arange(d.n) if rows is None else rows
        dev = np.abs(ci.mean(0) - 1)[rows]
        ok = ((ci[0] <= 1) & (ci[1] >= 1))[rows]
        time = wall(last).sum(1)[rows]
        e = err[rows][d.steady[rows] >= 0]
        return {"wee": float(np.median(e)), "wee_mean": float(e.mean()), "dev": 100 * float(np.median(dev)),
                "dev_q75": 100 * float(np.percentile(dev, 75)), "dev_mean": 100 * float(np.minimum(dev, 0.3).mean()),
                "ok": 100 * float(ok.mean()), "time": float(np.median(time)), "total": float(time.sum())}


def show(name, s):
    print(f"{name:44} wee {s['wee']:6.2f} (mean {s['wee_mean']:5.1f})  dev {s['dev']:5.2f} q75 {s['dev_q75']:5.1f} mean {s['dev_mean']:5.2f}  "
          f"ok {s['ok']:5.1f}  time {s['time']:5.0f} total {s['total'] / 1000:6.1f}k", flush=True)


def write_stops(path, data, warmup, last):
    with open(path, "w", newline="") as handle:
        out = csv.writer(handle)
        out.writerow(("system", "benchmark", "params", "fork", "last_warmup_it", "last_measure_it"))
        for i, k in enumerate(data.keys):
            for f in range(10):
                out.writerow((*k, f, int(warmup[i, f]), int(last[i, f])))

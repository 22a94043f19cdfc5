"""A quick approximation of score_stop.py for searching: normal instead of resampled means of forks, common random numbers.

The front (warm-up error, deviation, share of intervals that contain 1, testing time) over all ten forks, and the net improvement over
the four baselines with the same forks and as many measurements (`--fair both`).
"""
import numpy as np
import torch

from common import LENGTH
from forest import DEVICE

BASELINES = ("dev", "dyn_cv", "dyn_rciw", "dyn_kld")


class Score:
    def __init__(self, data, draws=1000, seed=7):
        self.data, self.draws = data, draws
        self.generator = torch.Generator(device=DEVICE)
        self.generator.manual_seed(seed)
        tensor = lambda x: torch.as_tensor(x, device=DEVICE)
        self.sum1, self.sum2, self.wall = tensor(data.sum1), tensor(data.sum2), tensor(data.wall)
        self.scale, self.true = tensor(data.scale[..., 0]), tensor(data.true_time)
        self.is_steady = tensor(data.steady >= 0)
        first = np.maximum(data.steady, 0) + 1
        self.steady_means = self.means(self.pick(data.steady >= 0), first - 1, np.full_like(first, LENGTH - 1))
        self.all = self.pick(np.ones((data.n, 10), bool))
        self.baselines = {name: self.baseline(name) for name in BASELINES}

    def baseline(self, name):
        stops = self.data.stops[name]
        used = stops[..., 1] > -9
        if name == "dev":
            used &= np.arange(10)[None, :] < self.data.dev_forks[:, None]
        warmup, last = np.where(used, stops[..., 0], -1), np.where(used, stops[..., 1], 9)
        pick = self.pick(used)
        return used, warmup, last, pick, contains_one(self.interval(pick, warmup, last)), self.time(last, used)

    def pick(self, used):
        """Forks drawn with replacement among those used, noise for their means, and how many are drawn."""
        n, draws = self.data.n, self.draws
        count = torch.as_tensor(used.sum(1), device=DEVICE)[:, None, None]
        order = torch.as_tensor(np.argsort(~used, axis=1, kind="stable"), device=DEVICE)
        uniform = torch.rand((n, draws, 10), generator=self.generator, device=DEVICE)
        place = torch.minimum((uniform * count).long(), count - 1)
        fork = torch.gather(order[:, None, :].expand(-1, draws, -1), 2, place)
        counted = (torch.arange(10, device=DEVICE)[None, None, :] < count).double()
        return fork, torch.randn((n, draws, 10), generator=self.generator, device=DEVICE), counted

    def means(self, pick, warmup, last):
        low, high = (torch.as_tensor(x, device=DEVICE) + 1 for x in (warmup, last))
        n = (high - low).double()
        take = lambda a, i: torch.gather(a, 2, i[..., None])[..., 0]
        mean = (take(self.sum1, high) - take(self.sum1, low)) / n
        variance = (take(self.sum2, high) - take(self.sum2, low)) / n - (mean / self.scale - 1) ** 2
        fork, noise, counted = pick
        wide = lambda x: torch.gather(x[:, None, :].expand(-1, self.draws, -1), 2, fork)
        m, s, k = wide(mean), wide(variance.clamp(min=0).sqrt() * self.scale), wide(n)
        return ((m * k + s * k.sqrt() * noise) * counted).sum(2) / (k * counted).sum(2)

    def interval(self, pick, warmup, last):
        ratio = torch.sort(self.means(pick, warmup, last) / self.steady_means, dim=1).values
        return ratio[:, int(0.025 * self.draws)], ratio[:, int(0.975 * self.draws) - 1]

    def walls(self, iteration):
        i = torch.as_tensor(iteration, device=DEVICE)
        return torch.where(i >= 0, torch.gather(self.wall, 2, i.clamp(min=0)[..., None])[..., 0], 0.0)

    def time(self, last, used=None):
        wall = self.walls(last)
        return (wall if used is None else wall * torch.as_tensor(used, device=DEVICE)).sum(1)

    def net(self, name, warmup, last):
        """+1 improved, -1 regressed, per benchmark."""
        used, base_warmup, base_last, pick, base_ok, base_time = self.baselines[name]
        wanted, own = base_last - base_warmup, last - warmup
        end = np.where(own < wanted, np.minimum(warmup + wanted, LENGTH - 1), last)
        begin = np.minimum(np.where(own > wanted, last - wanted, warmup), end - 1)
        ok = contains_one(self.interval(pick, begin, end))
        return torch.where(ok & base_ok, torch.sign(base_time - self.time(end, used)), ok.double() - base_ok.double())

    def __call__(self, warmup, last, rows=None):
        """warmup, last: [benchmark, fork]; over the benchmarks `rows` (a mask)."""
        rows = torch.as_tensor(np.ones(self.data.n, bool) if rows is None else rows, device=DEVICE)
        low, high = self.interval(self.all, warmup, last)
        middle = lambda x: float(x.sort().values[len(x) // 2])
        error = (self.walls(warmup) - self.true).abs()[rows][self.is_steady[rows]]
        time = self.time(last)[rows]
        out = {"wee": middle(error), "dev": 100 * middle(((low + high) / 2 - 1).abs()[rows]),
               "ok": 100 * float(contains_one((low, high))[rows].double().mean()), "time": middle(time),
               "total": float(time.sum() * self.data.n / rows.sum())}
        out["net"] = {name: 100 * float(self.net(name, warmup, last)[rows].mean()) for name in BASELINES}
        return out


def contains_one(interval):
    return (interval[0] <= 1) & (interval[1] >= 1)


def show(name, s):
    nets = " ".join(f"{s['net'][b]:+5.1f}" for b in BASELINES)
    print(f"{name:40} wee {s['wee']:5.2f}  dev {s['dev']:4.2f}  ok {s['ok']:4.1f}  time {s['time']:4.0f}  total {s['total'] / 1000:4.0f}k  net {nets}", flush=True)

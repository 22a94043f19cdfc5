"""What the default rule sees: numbers about the beginning of a fork and about an earlier fork of the same benchmark.

Everything is a ratio of means over stretches whose ends are simple fractions of the time seen, or the place of the last
block (five iterations, their median) outside a band. All arrays are [fork]; a decision is made only at the iterations in
GRID. The same numbers are computed, one fork at a time, by `crates/steady/src/classify/`.
"""
import numpy as np

GRID = (10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 140, 160, 180, 200, 230, 260, 300, 350, 400, 450, 500, 600, 700, 800, 1000)
CUTS = (0, 1, 2, 3, 5, 7, 10, 14, 19, 24, 29, 39, 49, 59, 79, 99, 119, 149, 179, 199, 229, 259, 299, 349, 399, 449, 499, 599, 699, 799)
BLOCK = 5
LAST = GRID[-1]


def least_window(t):
    """Iterations that must be left to measure when warm-up ends before `t`."""
    return max(8, t // 5)


def cuts_at(t):
    return [c for c in CUTS if c + 1 + least_window(t) <= t]


def horizons(g):
    """Grid places to which going on is considered at grid place `g`."""
    out = []
    for factor in (1.4, 2.0, 4.0):
        h = next((i for i, t in enumerate(GRID) if t >= factor * GRID[g]), len(GRID) - 1)
        if h > g and h not in out:
            out.append(h)
    return out


class Features:
    """Prefix sums over the first LAST iterations of each fork."""

    def __init__(self, values):
        x = values[:, :LAST].astype(np.float64)
        zero = np.zeros((len(x), 1))
        total = lambda a: np.concatenate([zero, np.cumsum(a, axis=1)], axis=1)
        self.x = x
        self.sum = total(x)
        self.square = total(x * x)
        self.jump = total(np.abs(np.diff(x, axis=1)))
        self.block = np.median(x.reshape(len(x), -1, BLOCK), axis=2)
        self.blocks = total(self.block)
        self.level = [np.log(self.mean(t // 2, t)) for t in GRID]
        self.own = [self._own(t) for t in GRID]
        self.record = [self._record(t) for t in GRID]

    def mean(self, a, b):
        return (self.sum[:, b] - self.sum[:, a]) / (b - a)

    def middle(self, a, b):
        """Mean of the medians of the blocks inside [a, b)."""
        a, b = -(-a // BLOCK), b // BLOCK
        return (self.blocks[:, b] - self.blocks[:, a]) / (b - a)

    def outside(self, t, level, band):
        """Iterations up to the end of the last block of [0, t) that is further than `band` from the level."""
        far = np.abs(self.block[:, :t // BLOCK] / level[:, None] - 1) > band
        last = far.shape[1] - np.argmax(far[:, ::-1], axis=1)
        return np.where(far.any(axis=1), BLOCK * last, 0).astype(np.float64)

    def _own(self, t):
        h, q, e = t // 2, t // 4, t // 8
        k, w = t - t // 4, t - t // 8
        level = self.mean(h, t)
        ll = np.log(level)
        robust = self.middle(h, t)
        var = (self.square[:, t] - self.square[:, h]) / (t - h) / (level * level) - 1
        jump = (self.jump[:, t - 1] - self.jump[:, h]) / (t - 1 - h) / level
        far = np.abs(self.block[:, -(-h // BLOCK):t // BLOCK] / robust[:, None] - 1)
        return np.stack([
            np.full(len(level), np.log(t)), np.floor(ll / np.log(10.0) + 0.5),
            ll - np.log(self.mean(q, h)), ll - np.log(self.mean(e, q)), ll - np.log(self.mean(0, e)),
            np.log(self.mean(k, t) / self.mean(h, k)), np.log(self.mean(w, t) / self.mean(k, w)),
            np.log(np.sqrt(np.maximum(var, 1e-12))), np.log(np.maximum(jump, 1e-6)),
            np.log(robust / level),
            self.outside(t, robust, 0.05) / t, self.outside(t, robust, 0.02) / t,
            (far > 0.05).mean(axis=1), (far > 0.02).mean(axis=1),
            ll - np.log(self.x[:, 0]), ll - np.log(self.mean(1, 4)),
        ], axis=1)

    def _record(self, t):
        """What a fork that ran for t iterations tells later forks."""
        h, k = t // 2, t - t // 4
        level = self.mean(k, t)
        return np.stack([
            np.log(level), np.log(self.mean(h, t)), np.log(level / self.mean(h, k)),
            np.log1p(self.outside(t, level, 0.05)), np.log1p(self.outside(t, level, 0.02)),
        ], axis=1)

    def prior(self, g, rows, pilot, ran):
        """About an earlier fork (`pilot`, which ran until grid place `ran`) as seen at grid place g of forks `rows`."""
        t = GRID[g]
        record = self.record_at(ran, pilot)
        then = self.record_at(np.minimum(g, ran), pilot)
        own = self.level[g][rows]
        return np.stack([
            own - record[:, 0], then[:, 1] - record[:, 0], own - then[:, 1], record[:, 2],
            record[:, 3] - np.log(t), record[:, 4] - np.log(t), np.log(np.asarray(GRID)[ran] / t),
        ], axis=1)

    def later(self, h, pilot, ran):
        """The earlier fork's distance from its own end at grid place h."""
        seen = np.minimum(h, ran)
        return self.record_at(seen, pilot)[:, 1] - self.record_at(ran, pilot)[:, 0]

    def record_at(self, g, forks):
        if not hasattr(self, "_stack"):
            self._stack = np.stack(self.record)
        return self._stack[g, forks]

    def cut(self, g, c, rows):
        """About ending warm-up with iteration c when stopping at grid place g."""
        t, own = GRID[g], self.own[g]
        level = self.level[g][rows]
        after = min(c + 1 + max(3, (t - c) // 8), t)
        before = max(0, c + 1 - max(2, c // 4))
        half = (c + 1 + t) // 2
        at = lambda a, b: np.log((self.sum[rows, b] - self.sum[rows, a]) / (b - a))
        one = np.ones(len(rows))
        return np.stack([
            one * np.log1p(c), one * (c / t), at(c + 1, after) - level, at(before, c + 1) - level, at(0, c + 1) - level,
            at(c + 1, half) - at(half, t), own[rows, 10] - c / t, own[rows, 11] - c / t,
        ], axis=1)

    def cut_prior(self, g, c, rows, pilot, ran):
        t = GRID[g]
        after = min(c + 1 + max(3, (t - c) // 8), t)
        before = max(0, c + 1 - max(2, c // 4))
        at = lambda a, b: np.log((self.sum[rows, b] - self.sum[rows, a]) / (b - a))
        record = self.record_at(ran, pilot)
        return np.stack([
            at(c + 1, after) - record[:, 0], at(before, c + 1) - record[:, 0],
            record[:, 3] - np.log1p(c), record[:, 4] - np.log1p(c),
        ], axis=1)


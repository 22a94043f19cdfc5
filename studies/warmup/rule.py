"""The default rule: gradient-boosted trees over features.py, trained and judged in nested folds by benchmark.

  python rule.py folds --packed DIR --nets DIR --out DIR --seed N
  python rule.py final --packed DIR --out DIR

At each grid place:
  gain   how much nearer to the steady mean the recent iterations (the last 100, or the second half) would come by going on to a later place
  level  how far they still are from it
A process stops when the level is low or no later place gains more than its price. Then:
  over   the probability that warm-up ended with iteration c or before
and warm-up ends at the candidate that is most probably near the true end, less a weight times how far its measurements are
from the last quarter. The first EARLY processes of a benchmark are judged by themselves (models *_first), the next one runs long, and those
after it are compared with it.
"""
import argparse
import itertools
import json
import os
import time

import lightgbm
import numpy as np

from common import LENGTH, Data, write_stops
from features import CUTS, GRID, Features, cuts_at, horizons
from trees import EARLY, MODELS

PLACES = len(GRID)
SHARED = dict(feature_fraction=0.6, bagging_fraction=0.5, bagging_freq=1, lambda_l2=10.0, verbosity=-1, max_bin=127)
# A benchmark gives some 500 rows to the models of gain and level and 800 to those of the end: a leaf has to hold several benchmarks.
NEAR = dict(SHARED, objective="regression", learning_rate=0.06, num_leaves=15, min_data_in_leaf=1000)
OVER = dict(SHARED, objective="binary", learning_rate=0.1, num_leaves=20, min_data_in_leaf=1500)
TREES = {"gain": 150, "level": 150, "over": 120}
RECENT = 100
WIDTH = 38
SLOW_AT = GRID.index(40)
LOWEST = GRID.index(30)
LEAST = 40
LONGS = (500, 600, 700, 800)
POLICIES = [dict(long=long, cap0=800, price0=2.4e-4, theta0=a, weight0=w, cap1=800, price1=4e-4, theta1=b, weight1=v)
            for long, a, b, w, v in itertools.product(LONGS, (0.5, 0.55, 0.6), (0.45, 0.5, 0.55), (10.0, 12.0, 14.0), (14.0, 18.0))]


class Study:
    def __init__(self, data):
        self.data = data
        self.features = Features(data.values.reshape(-1, LENGTH))
        self.st = st = data.steady.reshape(-1)
        start = np.where(st >= 0, st + 1, 2000)
        s = data.sum1.reshape(-1, LENGTH + 1)
        steady = np.log((s[:, -1] - s[np.arange(len(st)), start]) / (LENGTH - start))
        level = np.exp(np.stack(self.features.level))
        self.price = np.clip(np.ceil(0.1 / level) * level / 0.1, 1, 100)
        recent = np.stack([np.log(self.features.mean(max(t // 2, t - RECENT), t)) for t in GRID])
        error = np.abs(recent - steady)
        self.loss = error / (error + 0.02)

    def limit(self, rows, iterations):
        """The grid place at which forks stop in any case: earlier where an iteration takes longer than 0.1 s."""
        slow = np.sqrt(self.price[SLOW_AT, rows])
        return np.minimum(np.searchsorted(GRID, np.maximum(iterations / slow, LEAST)), GRID.index(iterations))

    # ---- rows; a prior is (fork, place it ran to) of an earlier process for each row, or None ----
    def level_rows(self, g, rows, prior):
        own = self.features.own[g][rows]
        return own if prior is None else np.concatenate([own, self.features.prior(g, rows, *prior)], axis=1)

    def gain_rows(self, g, rows, prior):
        """Features of (fork, grid place g, horizon) for all horizons: list over horizons."""
        base, out = self.level_rows(g, rows, prior), []
        for h in horizons(g):
            extra = [np.full((len(rows), 1), np.log(GRID[h] / GRID[g]))]
            if prior is not None:
                extra.append(self.features.later(h, *prior)[:, None])
            out.append(np.concatenate([base, *extra], axis=1))
        return out

    def over_rows(self, g, c, rows, prior):
        parts = [self.features.own[g][rows], self.features.cut(g, c, rows)]
        if prior is not None:
            parts += [self.features.prior(g, rows, *prior), self.features.cut_prior(g, c, rows, *prior)]
        return np.concatenate(parts, axis=1)

    # ---- training ----
    @staticmethod
    def random_prior(rows, rng):
        other = (rows % 10 + rng.integers(1, 10, len(rows))) % 10
        return rows // 10 * 10 + other, rng.integers(SLOW_AT, PLACES, len(rows))

    def near_data(self, rows, rng, is_later):
        """Training data of the models of gain and level."""
        gain, level = ([], []), ([], [])
        for g in range(PLACES):
            some = rows[rng.random(len(rows)) < 0.7]
            prior = self.random_prior(some, rng) if is_later else None
            level[0].append(self.level_rows(g, some, prior))
            level[1].append(self.loss[g, some])
            if g < PLACES - 1:
                for h, x in zip(horizons(g), self.gain_rows(g, some, prior)):
                    gain[0].append(x)
                    gain[1].append(self.loss[g, some] - self.loss[h, some])
        return gain, level

    def over_data(self, rows, rng, is_later):
        x, y = [], []
        steady = rows[self.st[rows] >= 0]
        for g in range(PLACES):
            cuts = cuts_at(GRID[g])
            for c in cuts:
                some = steady[rng.random(len(steady)) < min(1.0, 3 / len(cuts))]
                x.append(self.over_rows(g, c, some, self.random_prior(some, rng) if is_later else None))
                y.append(self.st[some] <= c)
        return x, y

    def train(self, rows, seed, threads):
        """The six models on forks `rows`."""
        rng = np.random.default_rng(seed)
        fixed = dict(seed=seed, num_threads=threads, deterministic=True, force_row_wise=True)
        fit = lambda params, data, trees: lightgbm.train(
            dict(params, **fixed), lightgbm.Dataset(narrow(np.concatenate(data[0])), np.concatenate(data[1]).astype(np.float64)), trees)
        models = {}
        for is_later in (True, False):
            gain, level = self.near_data(rows, rng, is_later)
            over = self.over_data(rows, rng, is_later)
            ending = "" if is_later else "_first"
            models["gain" + ending], models["level" + ending] = fit(NEAR, gain, TREES["gain"]), fit(NEAR, level, TREES["level"])
            models["over" + ending] = fit(OVER, over, TREES["over"])
        return models


def narrow(x):
    """Features as the trees see them: rounded to float32."""
    return x.astype(np.float32).astype(np.float64)


# ---- use ----
class One:
    """Predictions of one set of models."""

    def __init__(self, models):
        self.models, self.outers = models, 1

    def predict(self, name, x, forks):
        return self.models[name].predict(narrow(x))[None, :]


class Nested:
    """For outer fold i, forks of fold j are judged by a model that saw neither; those of fold i by all four of its models."""

    def __init__(self, study, seed, threads):
        from forest import Forest
        self.outers, self.folds = 5, study.data.folds(seed)
        self.fork_fold = np.repeat(self.folds, 10)
        self.models = {}
        for i, j in itertools.combinations(range(5), 2):
            rows = np.flatnonzero((self.fork_fold != i) & (self.fork_fold != j))
            trained = study.train(rows, seed * 100 + i * 10 + j, threads)
            self.models[i, j] = self.models[j, i] = {name: Forest(model) for name, model in trained.items()}

    def predict(self, name, x, forks):
        """[outer fold, row]."""
        import torch
        from forest import DEVICE
        out = np.zeros((5, len(x)), np.float32)
        x = torch.as_tensor(x.astype(np.float32), device=DEVICE)
        fold = self.fork_fold[forks]
        value = lambda s: (torch.sigmoid(s) if name.startswith("over") else s).cpu().numpy()
        for j in range(5):
            at = np.flatnonzero(fold == j)
            some = x[torch.as_tensor(at, device=DEVICE)]
            by = {k: value(self.models[j, k][name].sum(some)) for k in range(5) if k != j}
            for i in range(5):
                out[i, at] = by[i] if i != j else np.mean(list(by.values()), axis=0)
        return out


class Judged:
    """All predictions for `rows`, given an earlier process or none: [outer fold, place, ...]."""

    def __init__(self, study, predictor, rows, prior):
        self.rows, ending = rows, "_first" if prior is None else ""
        outers, n = predictor.outers, len(rows)
        self.gain = np.full((outers, PLACES, 3, n), -9.0, np.float32)
        where = [(g, k) for g in range(PLACES - 1) for k in range(len(horizons(g)))]
        x = np.concatenate([x for g in range(PLACES - 1) for x in study.gain_rows(g, rows, prior)])
        found = predictor.predict("gain" + ending, x, np.tile(rows, len(where))).reshape(outers, len(where), n)
        for a, (g, k) in enumerate(where):
            self.gain[:, g, k] = found[:, a]
        x = np.concatenate([study.level_rows(g, rows, prior) for g in range(PLACES)])
        self.level = predictor.predict("level" + ending, x, np.tile(rows, PLACES)).reshape(outers, PLACES, n)
        self.over = np.zeros((outers, PLACES, n, len(CUTS)), np.float32)
        for g in range(LOWEST, PLACES):
            cuts = cuts_at(GRID[g])
            x = np.concatenate([study.over_rows(g, c, rows, prior) for c in cuts])
            found = predictor.predict("over" + ending, x, np.tile(rows, len(cuts))).reshape(outers, len(cuts), n)
            self.over[:, g, :, :len(cuts)] = found.transpose(0, 2, 1)
        self.over = np.maximum.accumulate(self.over, axis=3)


class Replay:
    """Stop decisions of a policy."""

    def __init__(self, study, predictor, longs):
        self.study, self.n = study, study.data.n
        of = lambda forks: np.concatenate([np.arange(self.n) * 10 + f for f in forks])
        self.first = Judged(study, predictor, of(range(EARLY + 1)), None)
        later = of(range(EARLY + 1, 10))
        long = later // 10 * 10 + EARLY
        self.later = {length: Judged(study, predictor, later, (long, study.limit(long, length))) for length in longs}
        f, rows = study.features, np.arange(self.n * 10)
        self.distance = np.full((PLACES, self.n * 10, len(CUTS)), np.inf, np.float32)
        for g, t in enumerate(GRID):
            for i, c in enumerate(cuts_at(t)):
                mean = (f.sum[rows, t] - f.sum[rows, c + 1]) / (t - c - 1)
                self.distance[g, :, i] = np.abs(np.log(mean) - f.record[g][rows, 0])

    def places(self, judged, outer, at, cap, price, theta):
        """The first grid place where stopping is right."""
        rows, last = judged.rows[at], GRID.index(cap)
        idle = np.zeros((last, len(rows)), bool)
        for g in range(LOWEST, last):
            ahead = np.array([GRID[min(h, last)] for h in horizons(g)]) - GRID[g]
            cost = price * ahead[:, None] * np.sqrt(self.study.price[g, rows])[None, :]
            gain = judged.gain[outer, g, :len(ahead)][:, at]
            idle[g] = ((gain - cost).max(axis=0) < 0) | (judged.level[outer, g, at] < theta)
        return np.minimum(np.where(idle.any(axis=0), idle.argmax(axis=0), last), self.study.limit(rows, cap))

    def ends(self, over, rows, places, weight):
        """Last iterations of warm-up: most probably near the true end, less the weight of the distance from the last quarter."""
        n = np.array([len(cuts_at(t)) for t in GRID])[places][:, None]
        p = np.concatenate([np.zeros((len(over), 1), np.float32), over], axis=1)
        cuts = np.array(CUTS)
        width = WIDTH / self.study.price[places, rows][:, None]
        high = np.minimum(np.searchsorted(cuts, cuts[None, :] + width, "right"), n)
        low = np.minimum(np.searchsorted(cuts, cuts[None, :] - width, "left"), high)
        hit = np.take_along_axis(p, high, 1) - np.take_along_axis(p, low, 1)
        distance = self.distance[places, rows]
        value = np.where(np.isfinite(distance), hit - weight[:, None] * np.minimum(distance, 0.1), -np.inf)
        return cuts[value.argmax(axis=1)]

    def decide(self, policy, outer):
        """(last warm-up, last measured) [benchmark, fork]."""
        n = self.n
        places, over = np.zeros(n * 10, np.int64), np.zeros((n * 10, len(CUTS)), np.float32)
        def use(judged, at, found):
            rows = judged.rows[at]
            places[rows], over[rows] = found, judged.over[outer, found, at]
        early, long = np.arange(EARLY * n), np.arange(EARLY * n, (EARLY + 1) * n)
        use(self.first, early, self.places(self.first, outer, early, policy["cap0"], policy["price0"], policy["theta0"]))
        use(self.first, long, self.study.limit(self.first.rows[long], policy["long"]))
        judged = self.later[policy["long"]]
        at = np.arange(len(judged.rows))
        use(judged, at, self.places(judged, outer, at, policy["cap1"], policy["price1"], policy["theta1"]))
        rows = np.arange(n * 10)
        weight = np.where(rows % 10 >= EARLY, policy["weight1"], policy["weight0"])
        return self.ends(over, rows, places, weight).reshape(n, 10), (np.array(GRID)[places] - 1).reshape(n, 10)


# ---- folds ----
AIMS = {"dev": 30, "dyn_cv": 40, "dyn_rciw": 40, "dyn_kld": 32}


def judge(s, o):
    """Larger is better, against OSCNN; testing time must stay below OSCNN's."""
    late = max(0.0, s["time"] / (0.97 * o["time"]) - 1) + max(0.0, s["total"] / (0.97 * o["total"]) - 1)
    net = sum(min(s["net"][b] - aim, 5) for b, aim in AIMS.items()) / len(AIMS)
    return (np.log(o["wee"] / max(s["wee"], 3.8)) + np.log(o["dev"] / s["dev"]) + 2 * np.log(s["ok"] / o["ok"]) + 0.02 * net
            - 3 * max(0.0, np.log(s["wee"] / (0.8 * o["wee"]))) - 8 * late)


def gather(decided, folds):
    """Each benchmark's decision by the models of its own outer fold."""
    out = np.zeros((2, len(folds), 10), np.int64)
    for i in range(5):
        out[:, folds == i] = np.stack(decided[i])[:, folds == i]
    return out


def run_folds(args):
    from score import Score, show
    began = time.time()
    data = Data(args.packed)
    study = Study(data)
    nested = Nested(study, args.seed, args.threads)
    replay = Replay(study, nested, LONGS)
    print(f"trained and predicted {time.time() - began:.0f} s", flush=True)
    score = Score(data)
    oscnn = np.load(os.path.join(args.nets, f"oscnn-{args.seed}.npz"))["offset"].astype(np.int64)
    inner = [nested.folds != i for i in range(5)]
    reference = [score(oscnn - 1, oscnn + 99, rows) for rows in inner]
    show(f"{args.seed} OSCNN", score(oscnn - 1, oscnn + 99))
    found = []
    for policy in POLICIES:
        decided = [replay.decide(policy, i) for i in range(5)]
        found.append(([judge(score(*decided[i], inner[i]), reference[i]) for i in range(5)], policy, decided))
    picks = [max(found, key=lambda x: x[0][i]) for i in range(5)]
    for i, (_, policy, _) in enumerate(picks):
        print(f"{args.seed} fold {i} chooses {json.dumps(policy)}", flush=True)
    warmup, last = gather([picks[i][2][i] for i in range(5)], nested.folds)
    show(f"{args.seed} NESTED", score(warmup, last))
    write_stops(os.path.join(args.out, f"learned-{args.seed}.csv"), data, warmup, last)
    whole = sorted(((float(np.mean(goods)), policy, decided) for goods, policy, decided in found), key=lambda x: -x[0])
    for good, policy, decided in whole[:10]:
        show(f"{args.seed} {good:.3f}", score(*gather(decided, nested.folds)))
        print("   ", json.dumps(policy), flush=True)
    with open(os.path.join(args.out, f"search-{args.seed}.json"), "w") as handle:
        json.dump([(good, policy) for good, policy, _ in whole], handle)


def run_final(args):
    study = Study(Data(args.packed))
    models = study.train(np.arange(study.data.n * 10), 1, args.threads)
    for name in MODELS:
        models[name].save_model(os.path.join(args.out, f"{name}.txt"))
    print("final models done", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("folds", "final"))
    parser.add_argument("--packed", required=True)
    parser.add_argument("--nets", help="folder with oscnn-SEED.npz of nets.py")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--threads", type=int, default=5)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    (run_folds if args.what == "folds" else run_final)(args)


if __name__ == "__main__":
    main()

"""The default rule: gradient-boosted trees over features.py, trained and judged in nested folds by benchmark.

  python rule.py folds --packed DIR --nets DIR --out DIR --seed N
  python rule.py final --packed DIR --out DIR

The first fork of a benchmark (the pilot) runs for a fixed time. For the others, at each grid place:
  gain   how much nearer to the steady mean the second half of what was seen would come by going on to a later grid place
  level  how far it still is from it
stop when the level is low or no later place gains more than its price, `patience` places in a row. Then, for all forks:
  over   the probability that warm-up ended with iteration c or before
end warm-up at the candidate that is most probably near the true end, less a weight times how far its measurements are
from the last quarter.
"""
import argparse
import collections
import itertools
import json
import os
import struct
import time

import lightgbm
import numpy as np

from common import LENGTH, Data, QuickScore, show, write_stops
from features import CUTS, GRID, Features, cuts_at, horizons

PLACES = len(GRID)
SHARED = dict(feature_fraction=0.6, bagging_fraction=0.5, bagging_freq=1, lambda_l2=10.0, verbosity=-1, max_bin=127)
# A benchmark gives some 500 rows to the first two models and 800 to the last: a leaf has to hold several benchmarks.
NEAR = dict(SHARED, objective="regression", learning_rate=0.06, num_leaves=15, min_data_in_leaf=1000)
OVER = dict(SHARED, objective="binary", learning_rate=0.1, num_leaves=20, min_data_in_leaf=1500)
TREES = {"gain": 150, "level": 150, "over": 120}
WIDTHS = (3, 10, 25, 50)
SLOW_AT = GRID.index(40)
LEAST = 40
MODELS = ("gain", "level", "over_pilot", "over")
Policy = collections.namedtuple("Policy", "pilot cap price theta patience")
POLICIES = [Policy(*x) for x in itertools.product((600, 800), (800, 1000), (5.9e-5, 1.2e-4, 2.4e-4, 4.7e-4, 7e-4),
                                                  (0.0, 0.30, 0.37, 0.45, 0.52), (1, 2))]
WEIGHTS = (2.0, 4.0, 8.0, 12.0, 16.0, 25.0)
FINALISTS = 5


class Study:
    def __init__(self, data):
        self.data = data
        flat = data.values.reshape(-1, LENGTH)
        self.features = Features(flat)
        st = data.steady.reshape(-1)
        self.st = st
        start = np.where(st >= 0, st + 1, 2000)
        s = data.sum1.reshape(-1, LENGTH + 1)
        self.steady_log = np.log((s[:, -1] - s[np.arange(len(st)), start]) / (LENGTH - start))
        level = np.exp(np.stack(self.features.level))
        self.price = np.clip(np.ceil(0.1 / level) * level / 0.1, 1, 100)
        error = np.abs(np.stack(self.features.level) - self.steady_log)
        self.loss = error / (error + 0.02)

    def limit(self, rows, iterations):
        """The grid place at which forks stop in any case: earlier where an iteration takes longer than 0.1 s."""
        slow = np.sqrt(self.price[SLOW_AT, rows])
        return np.minimum(np.searchsorted(GRID, np.maximum(iterations / slow, LEAST)), GRID.index(iterations))

    # ---- rows ----
    def gain_rows(self, g, rows, prior):
        """Features of (fork, grid place g, horizon) for all horizons: list over horizons."""
        base = [self.features.own[g][rows]]
        if prior is not None:
            base.append(self.features.prior(g, rows, *prior))
        out = []
        for h in horizons(g):
            extra = [np.full((len(rows), 1), np.log(GRID[h] / GRID[g]))]
            if prior is not None:
                extra.append(self.features.later(h, *prior)[:, None])
            out.append(np.concatenate(base + extra, axis=1))
        return out

    def over_rows(self, g, c, rows, prior):
        parts = [self.features.own[g][rows], self.features.cut(g, c, rows)]
        if prior is not None:
            parts += [self.features.prior(g, rows, *prior), self.features.cut_prior(g, c, rows, *prior)]
        return np.concatenate(parts, axis=1)

    @staticmethod
    def random_prior(rows, rng):
        other = (rows % 10 + rng.integers(1, 10, len(rows))) % 10
        return rows // 10 * 10 + other, rng.integers(SLOW_AT, PLACES, len(rows))

    def level_rows(self, g, rows, prior):
        return np.concatenate([self.features.own[g][rows], self.features.prior(g, rows, *prior)], axis=1)

    def near_data(self, rows, rng):
        """Training data of the models of gain and level."""
        gain, level = ([], []), ([], [])
        for g in range(PLACES):
            some = rows[rng.random(len(rows)) < 0.7]
            prior = self.random_prior(some, rng)
            level[0].append(self.level_rows(g, some, prior))
            level[1].append(self.loss[g, some])
            if g < PLACES - 1:
                for h, x in zip(horizons(g), self.gain_rows(g, some, prior)):
                    gain[0].append(x)
                    gain[1].append(self.loss[g, some] - self.loss[h, some])
        return gain, level

    def over_data(self, rows, rng, follow):
        x, y = [], []
        steady = rows[self.st[rows] >= 0]
        for g in range(PLACES):
            cuts = cuts_at(GRID[g])
            share = min(1.0, 3 / len(cuts))
            for c in cuts:
                some = steady[rng.random(len(steady)) < share]
                x.append(self.over_rows(g, c, some, self.random_prior(some, rng) if follow else None))
                y.append(self.st[some] <= c)
        return x, y

    def train(self, rows, seed, threads):
        """The four models on forks `rows`."""
        rng = np.random.default_rng(seed)
        gain, level = self.near_data(rows, rng)
        fixed = dict(seed=seed, num_threads=threads, deterministic=True, force_row_wise=True)
        fit = lambda params, data, trees: lightgbm.train(
            dict(params, **fixed), lightgbm.Dataset(narrow(np.concatenate(data[0])), np.concatenate(data[1]).astype(np.float64)), trees)
        return {"gain": fit(NEAR, gain, TREES["gain"]), "level": fit(NEAR, level, TREES["level"]),
                "over_pilot": fit(OVER, self.over_data(rows, rng, False), TREES["over"]),
                "over": fit(OVER, self.over_data(rows, rng, True), TREES["over"])}

    # ---- use ----
    def gains(self, models, rows, prior):
        """Per grid place: predicted gain [fork, horizon] and level [fork], averaged over models."""
        xs = [self.gain_rows(g, rows, prior) for g in range(PLACES - 1)]
        p = predict(models, "gain", np.concatenate([np.concatenate(x) for x in xs]))
        gain, at = [], 0
        for x in xs:
            gain.append(p[at:at + len(x) * len(rows)].reshape(len(x), len(rows)).T)
            at += len(x) * len(rows)
        level = predict(models, "level", np.concatenate([self.level_rows(g, rows, prior) for g in range(PLACES)]))
        return gain, level.reshape(PLACES, len(rows))

    def stop_places(self, near, rows, policy):
        """The first grid place where stopping was right `patience` times in a row."""
        gain, level = near
        cap = GRID.index(policy.cap)
        idle = np.zeros((cap, len(rows)), bool)
        for g in range(cap):
            ahead = np.array([GRID[min(h, cap)] for h in horizons(g)]) - GRID[g]
            cost = policy.price * ahead[None, :] * np.sqrt(self.price[g, rows])[:, None]
            idle[g] = ((gain[g] - cost).max(axis=1) < 0) | (level[g] < policy.theta)
        for _ in range(policy.patience - 1):
            idle = idle & np.concatenate([np.zeros((1, len(rows)), bool), idle[:-1]])
        return np.minimum(np.where(idle.any(axis=0), idle.argmax(axis=0), cap), self.limit(rows, policy.cap))

    def overs(self, models, rows, places, prior):
        """Probability that warm-up is over, [fork, cut] (NaN where a cut is not possible)."""
        out = np.full((len(rows), len(CUTS)), np.nan)
        xs, where = [], []
        for g in np.unique(places):
            at = np.flatnonzero(places == g)
            sub = None if prior is None else (prior[0][at], prior[1][at])
            for i, c in enumerate(cuts_at(GRID[g])):
                xs.append(self.over_rows(g, c, rows[at], sub))
                where.append((at, i))
        p = predict(models, "over_pilot" if prior is None else "over", np.concatenate(xs))
        k = 0
        for at, i in where:
            out[at, i] = p[k:k + len(at)]
            k += len(at)
        return out

    def agreement(self, rows, places):
        """|log(mean of the measurements / mean of the last quarter)| per [fork, cut]; infinite where a cut is not possible."""
        f = self.features
        out = np.full((len(rows), len(CUTS)), np.inf)
        for g in np.unique(places):
            at = np.flatnonzero(places == g)
            t = GRID[g]
            for i, c in enumerate(cuts_at(t)):
                mean = (f.sum[rows[at], t] - f.sum[rows[at], c + 1]) / (t - c - 1)
                out[at, i] = np.abs(np.log(mean) - f.record[g][rows[at], 0])
        return out

    def hits(self, rows, places, over):
        """How probable it is that warm-up really ended near each cut: mean over several widths, [fork, cut]."""
        n = np.array([len(cuts_at(GRID[g])) for g in places])
        p = np.maximum.accumulate(np.where(np.isnan(over), 0.0, over), axis=1)
        p = np.concatenate([np.zeros((len(p), 1)), p], axis=1)
        cuts = np.array(CUTS)
        out = np.zeros(over.shape)
        step = self.price[places, rows]
        for w in WIDTHS:
            hi = np.minimum(np.searchsorted(cuts, cuts[None, :] + w / step[:, None], "right"), n[:, None])
            lo = np.searchsorted(cuts, cuts[None, :] - w / step[:, None], "left")
            lo = np.minimum(lo, hi)
            out += np.take_along_axis(p, hi, 1) - np.take_along_axis(p, lo, 1)
        return out / len(WIDTHS)

    @staticmethod
    def windows(places, hit, distance, weight):
        """(last warm-up, last measured) iteration per fork."""
        value = np.where(np.isfinite(distance), hit - weight * np.minimum(distance, 0.1), -np.inf)
        return np.array(CUTS)[value.argmax(axis=1)], np.array(GRID)[places] - 1


def narrow(x):
    """Features as the trees see them: rounded to float32."""
    return x.astype(np.float32).astype(np.float64)


def predict(models, name, x):
    x = narrow(x)
    return np.mean([m[name].predict(x) for m in models], axis=0)


# ---- folds ----
class Nested:
    """For outer fold i, forks of fold j are judged by a model that saw neither; those of fold i by all four of its models."""

    def __init__(self, study, seed, threads):
        self.study, self.seed = study, seed
        self.folds = study.data.folds(seed)
        self.fork_fold = np.repeat(self.folds, 10)
        self.models = {}
        for i, j in itertools.combinations(range(5), 2):
            rows = np.flatnonzero((self.fork_fold != i) & (self.fork_fold != j))
            self.models[i, j] = self.models[j, i] = study.train(rows, seed * 100 + i * 10 + j, threads)
        self.near, self.pilot = {}, {}

    def sets(self):
        """(outer fold, fold, models, the pilots, the other forks)."""
        for i, j in itertools.product(range(5), range(5)):
            models = [self.models[i, j]] if i != j else [self.models[i, k] for k in range(5) if k != i]
            rows = np.flatnonzero(self.fork_fold == j)
            yield i, j, models, rows[rows % 10 == 0], rows[rows % 10 > 0]

    def prior(self, length, rows):
        first = rows // 10 * 10
        return first, self.study.limit(first, length)

    def prepare(self, length):
        """Everything that depends on the pilot's length alone."""
        for i, j, models, first, rest in self.sets():
            self.near[length, i, j] = self.study.gains(models, rest, self.prior(length, rest))
            places = self.study.limit(first, length)
            over = self.study.overs(models, first, places, None)
            self.pilot[length, i, j] = (places, self.study.hits(first, places, over), self.study.agreement(first, places))

    def halves(self, policy):
        """Per outer fold: the second half of what was seen is measured (for choosing when to stop)."""
        last = np.zeros((5, len(self.fork_fold)), np.int64)
        for i, j, _, first, rest in self.sets():
            last[i, rest] = np.array(GRID)[self.study.stop_places(self.near[policy.pilot, i, j], rest, policy)]
            last[i, first] = np.array(GRID)[self.pilot[policy.pilot, i, j][0]]
        last = last.reshape(5, -1, 10)
        return last - np.maximum(8, last // 2) - 1, last - 1

    def full(self, policy):
        """Per outer fold and weight: (last warm-up, last measured)."""
        study = self.study
        out = {w: np.zeros((2, 5, len(self.fork_fold)), np.int64) for w in WEIGHTS}
        for i, j, models, first, rest in self.sets():
            places = study.stop_places(self.near[policy.pilot, i, j], rest, policy)
            over = study.overs(models, rest, places, self.prior(policy.pilot, rest))
            hit, distance = study.hits(rest, places, over), study.agreement(rest, places)
            for w in WEIGHTS:
                out[w][:, i, rest] = study.windows(places, hit, distance, w)
                out[w][:, i, first] = study.windows(*self.pilot[policy.pilot, i, j], w)
        return {w: x.reshape(2, 5, -1, 10) for w, x in out.items()}


def judge(s, o):
    """Larger is better; testing time must stay below OSCNN's."""
    late = max(0.0, s["time"] / (0.94 * o["time"]) - 1) + max(0.0, s["total"] / (0.94 * o["total"]) - 1)
    return (0.7 * np.log(o["wee"] / max(s["wee"], 3.0)) + np.log(o["dev"] / s["dev"]) + 1.5 * np.log(s["ok"] / o["ok"])
            - 5 * max(0.0, np.log(s["wee"] / (0.85 * o["wee"]))) - 10 * late)


def run_folds(args):
    began = time.time()
    import torch
    data = Data(args.packed)
    nested = Nested(Study(data), args.seed, args.threads)
    print(f"trained {time.time() - began:.0f} s", flush=True)
    quick = QuickScore(data, device="cuda" if torch.cuda.is_available() else "cpu", draws=1000)
    oscnn = np.load(os.path.join(args.nets, f"oscnn-{args.seed}.npz"))["offset"].astype(np.int64)
    inner = [np.flatnonzero(nested.folds != i) for i in range(5)]
    reference = [quick(oscnn - 1, oscnn + 99, rows) for rows in inner]
    show(f"{args.seed} OSCNN", quick(oscnn - 1, oscnn + 99))
    for length in sorted({p.pilot for p in POLICIES}):
        nested.prepare(length)
    print(f"prepared {time.time() - began:.0f} s", flush=True)
    finalists = []
    halves = {p: nested.halves(p) for p in POLICIES}
    for i in range(5):
        key = lambda p: judge(dict(quick(halves[p][0][i], halves[p][1][i], inner[i]), wee=3.0), reference[i])
        for p in sorted(POLICIES, key=key, reverse=True)[:FINALISTS]:
            if p not in finalists:
                finalists.append(p)
    print(f"{len(finalists)} finalists {time.time() - began:.0f} s", flush=True)
    results = {}
    for p in finalists:
        for w, x in nested.full(p).items():
            results[p, w] = x
        if time.time() - began > args.limit:
            print("out of time", flush=True)
            break
    report(args, data, quick, nested, results, inner, reference, oscnn)
    print(f"done {time.time() - began:.0f} s", flush=True)


def gather(results, picks, folds):
    out = np.zeros((2, len(folds), 10), np.int64)
    for i in range(5):
        out[:, folds == i] = results[picks[i]][:, i][:, folds == i]
    return out


def report(args, data, quick, nested, results, inner, reference, oscnn):
    picks = []
    for i in range(5):
        picks.append(max(results, key=lambda c: judge(quick(*results[c][:, i], inner[i]), reference[i])))
        print(f"{args.seed} fold {i} chooses {tuple(picks[-1][0])} {picks[-1][1]}", flush=True)
    warmup, last = gather(results, picks, nested.folds)
    show(f"{args.seed} NESTED", quick(warmup, last))
    write_stops(os.path.join(args.out, f"rule-{args.seed}.csv"), data, warmup, last)
    whole, ref = [], quick(oscnn - 1, oscnn + 99)
    for c in results:
        s = quick(*gather(results, [c] * 5, nested.folds))
        whole.append((float(judge(s, ref)), c, s))
    whole.sort(key=lambda x: -x[0])
    for score, c, s in whole[:10] + whole[10::max(1, len(whole) // 12)]:
        show(f"{args.seed} {score:5.2f} {tuple(c[0])} {c[1]}", s)
    with open(os.path.join(args.out, f"search-{args.seed}.json"), "w") as handle:
        json.dump({"picks": [(tuple(p), w) for p, w in picks], "whole": [(a, tuple(c[0]), c[1], s) for a, c, s in whole]}, handle)


# ---- final ----
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
    parser.add_argument("--limit", type=float, default=1e9, help="seconds after which no further finalist is tried")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    (run_folds if args.what == "folds" else run_final)(args)


if __name__ == "__main__":
    main()

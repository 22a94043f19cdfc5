"""OSCNN, FCN and ROCKET as in Traini et al. (ASE'24), in folds by benchmark; and final models on everything.

  python nets.py folds  --packed DIR --out DIR --model oscnn|fcn|rocket [--limit SECONDS]
  python nets.py final  --packed DIR --out DIR --model oscnn|fcn|rocket

`folds` writes per seed: the score of each test fork's windows 0..500 (test fold only ever seen by a model trained without
its benchmark), the thresholds, classification metrics, the best epochs. Windows: 100 values, z-scored alone.
"""
import argparse
import json
import os
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from common import LENGTH, SEEDS, WINDOW, Data

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KERNELS = (1, 2, 3, 5, 7, 11, 13, 17, 19, 23)
OFFSETS = 501


# ---- models ----
class MaskedConvolution(nn.Module):
    """One Omni-Scale layer: all kernel sizes inside one convolution whose other weights are kept at zero."""

    def __init__(self, inputs, per_size, sizes):
        super().__init__()
        length = max(sizes)
        self.length, outputs = length, per_size * len(sizes)
        weight, mask, bias = torch.zeros(outputs, inputs, length), torch.zeros(outputs, inputs, length), torch.zeros(outputs)
        for i, k in enumerate(sizes):
            rows = slice(i * per_size, (i + 1) * per_size)
            right = -(-(length - 1) // 2) - (-(-(k - 1) // 2))
            left = length - k - right
            like = nn.Conv1d(inputs, per_size, k)
            weight[rows, :, left:left + k] = like.weight.detach()
            mask[rows, :, left:left + k] = 1
            bias[rows] = like.bias.detach()
        self.weight, self.bias = nn.Parameter(weight), nn.Parameter(bias)
        self.register_buffer("mask", mask)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x):
        x = F.pad(x, ((self.length - 1) // 2, self.length // 2))
        return F.relu(self.norm(F.conv1d(x, self.weight * self.mask, self.bias)))


class Oscnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(MaskedConvolution(1, 10, KERNELS), MaskedConvolution(100, 22, KERNELS),
                                    MaskedConvolution(220, 100, (1, 2)))
        self.head = nn.Linear(200, 2)

    def forward(self, x):
        return self.head(self.layers(x[:, None, :]).mean(2).float())

    @staticmethod
    def loss_of(output, y):
        return F.cross_entropy(output, y, reduction="none")

    def score(self, x):
        return torch.sigmoid(self(x)[:, 1])


class Fcn(nn.Module):
    def __init__(self):
        super().__init__()
        sizes, channels = (8, 5, 3), (1, 128, 256, 128)
        self.convolutions = nn.ModuleList(nn.Conv1d(channels[i], channels[i + 1], sizes[i]) for i in range(3))
        self.norms = nn.ModuleList(nn.BatchNorm1d(c, eps=1e-3, momentum=0.01) for c in channels[1:])
        self.head = nn.Linear(128, 1)
        for m in [*self.convolutions, self.head]:
            nn.init.xavier_uniform_(m.weight)
            nn.init.zeros_(m.bias)

    def forward(self, x):
        x = x[:, None, :]
        for c, n in zip(self.convolutions, self.norms):
            k = c.kernel_size[0]
            x = F.relu(n(c(F.pad(x, ((k - 1) // 2, k // 2)))))
        return self.head(x.mean(2).float())[:, 0]

    @staticmethod
    def loss_of(output, y):
        return F.binary_cross_entropy_with_logits(output, y.float(), reduction="none")

    def score(self, x):
        return torch.sigmoid(self(x))


# ---- data ----
class Windows:
    """All series on the device; windows are cut and z-scored there, in float64."""

    def __init__(self, data):
        flat = data.values.reshape(-1, LENGTH).astype(np.float64)
        self.values = torch.as_tensor(flat / flat.mean(axis=1, keepdims=True), device=DEVICE).reshape(-1)
        self.steps = torch.arange(WINDOW, device=DEVICE)

    def get(self, fork, start):
        x = self.values[(fork * LENGTH + start)[:, None] + self.steps]
        mean = x.mean(1, keepdim=True)
        sd = (x - mean).square().mean(1, keepdim=True).sqrt()
        flat = sd <= 1e-12 * mean.abs()
        return torch.where(flat, 0.0, (x - mean) / torch.where(flat, 1.0, sd)).float()


def starts_of(first, last, count):
    if last < first:
        return np.zeros(0, np.int64)
    return np.unique(np.linspace(first, last, count).astype(np.int64))


def segments(data, benchmarks):
    """(fork, start, label) of the training set: 100 windows per steady fork, half of each class where there are so many."""
    fork, start, label = [], [], []
    end = LENGTH - WINDOW
    for b in benchmarks:
        for f in range(10):
            st = data.steady[b, f]
            if st < 0:
                continue
            unstable, stable = starts_of(0, st, 50), starts_of(st + 1, end, 50)
            if len(unstable) < 50:
                stable = starts_of(st + 1, end, 100 - len(unstable))
            if len(stable) < 50:
                unstable = starts_of(0, st, 100 - len(stable))
            s = np.concatenate([unstable, stable])
            fork.append(np.full(len(s), b * 10 + f))
            start.append(s)
            label.append((s > st).astype(np.int64))
    return [torch.as_tensor(np.concatenate(x), device=DEVICE) for x in (fork, start, label)]


def all_windows(data, benchmarks, stride):
    """(fork, start, label) of every stride-th window of all forks; windows of forks that never get steady are unstable."""
    forks = np.concatenate([np.arange(b * 10, b * 10 + 10) for b in benchmarks])
    start = np.arange(0, LENGTH - WINDOW + 1, stride)
    st = data.steady.reshape(-1)[forks]
    label = (start[None, :] > st[:, None]) & (st[:, None] >= 0)
    fork, start = np.broadcast_arrays(forks[:, None], start[None, :])
    return [torch.as_tensor(x.reshape(-1).copy(), device=DEVICE) for x in (fork, start, label.astype(np.int64))]


def youden(score, label):
    """The threshold (score >= it is stable) with the largest TPR - FPR."""
    order = torch.argsort(score, descending=True)
    s, y = score[order], label[order].double()
    tpr, fpr = torch.cumsum(y, 0) / y.sum(), torch.cumsum(1 - y, 0) / (1 - y).sum()
    last = torch.cat([s[1:] != s[:-1], torch.ones(1, dtype=torch.bool, device=s.device)])
    gain = torch.where(last, tpr - fpr, torch.tensor(-2.0, dtype=tpr.dtype, device=s.device))
    return float(s[gain.argmax()])


def classification(predicted, label):
    p, y = predicted.bool(), label.bool()
    tp, fp, fn, tn = ((p & y).sum(), (p & ~y).sum(), (~p & y).sum(), (~p & ~y).sum())
    tp, fp, fn, tn = (float(x) for x in (tp, fp, fn, tn))
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / (precision + recall),
            "balanced_accuracy": (recall + tn / (tn + fp)) / 2}


# ---- networks ----
def batches(windows, fork, start, batch=8192):
    """(slice, windows) in batches of one size: the last is filled up with its first window, which callers cut off."""
    for i in range(0, len(fork), batch):
        f, s = fork[i:i + batch], start[i:i + batch]
        short = batch - len(f)
        if short:
            f, s = (torch.cat([x, x[:1].expand(short)]) for x in (f, s))
        yield slice(i, i + batch - short), windows.get(f, s)


def scores(model, windows, fork, start):
    model.eval()
    with torch.no_grad():
        return torch.cat([model.score(x)[:at.stop - at.start] for at, x in batches(windows, fork, start)])


def mean_loss(model, windows, fork, start, label):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for at, x in batches(windows, fork, start):
            total += float(model.loss_of(model(x)[:at.stop - at.start], label[at]).double().sum())
    return total / len(fork)


def epoch(model, optimiser, windows, fork, start, label, generator):
    model.train()
    order = torch.randperm(len(fork), generator=generator, device=DEVICE)
    batch = min(len(fork) // 10, 1024)
    for i in range(0, len(fork) - batch + 1, batch):
        at = order[i:i + batch]
        optimiser.zero_grad(set_to_none=True)
        model.loss_of(model(windows.get(fork[at], start[at])), label[at]).mean().backward()
        optimiser.step()


def fit(make, windows, train, valid, seed, patience, most, limit):
    """Best weights by validation loss; the learning rate is halved after 20 epochs without a better one."""
    torch.manual_seed(seed)
    model = make().to(DEVICE)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-8)
    generator = torch.Generator(device=DEVICE)
    generator.manual_seed(seed)
    best, best_epoch, weights, losses = float("inf"), 0, None, []
    for e in range(1, most + 1):
        began = time.time()
        epoch(model, optimiser, windows, *train, generator)
        loss = mean_loss(model, windows, *valid)
        losses.append(round(loss, 4))
        if loss < best:
            best, best_epoch, weights = loss, e, {k: v.clone() for k, v in model.state_dict().items()}
        if e == 1:
            print(f"    epoch took {time.time() - began:.1f} s", flush=True)
        if e - best_epoch >= patience or time.time() > limit:
            break
        if e - best_epoch and (e - best_epoch) % 20 == 0:
            for g in optimiser.param_groups:
                g["lr"] = max(g["lr"] / 2, 1e-4)
    model.load_state_dict(weights)
    return model, best_epoch, losses


# ---- ROCKET ----
class Rocket:
    """500 random kernels, maximum and share of positive values, ridge regression on labels -1/1."""

    def __init__(self, seed, kernels=500):
        rng = np.random.default_rng(seed)
        self.kernels = []
        for _ in range(kernels):
            length = int(rng.choice((7, 9, 11)))
            weight = rng.normal(size=length)
            weight = (weight - weight.mean()).astype(np.float32)
            bias = np.float32(rng.uniform(-1, 1))
            dilation = int(2 ** rng.uniform(0, np.log2((WINDOW - 1) / (length - 1))))
            padding = ((length - 1) * dilation) // 2 if rng.integers(2) else 0
            self.kernels.append((length, weight, bias, dilation, padding))
        groups = {}
        for i, (length, _, _, dilation, padding) in enumerate(self.kernels):
            groups.setdefault((length, dilation, padding), []).append(i)
        self.groups = [(key, torch.as_tensor(at, device=DEVICE),
                        torch.as_tensor(np.stack([self.kernels[i][1] for i in at]), device=DEVICE)[:, None, :],
                        torch.as_tensor(np.array([self.kernels[i][2] for i in at]), device=DEVICE)) for key, at in groups.items()]

    def features(self, x):
        out = torch.empty(len(x), 2 * len(self.kernels), device=DEVICE)
        for (_, dilation, padding), at, weight, bias in self.groups:
            y = F.conv1d(x[:, None, :], weight, bias, dilation=dilation, padding=padding)
            out[:, 2 * at] = y.amax(2)
            out[:, 2 * at + 1] = (y > 0).float().mean(2)
        return out

    def collect(self, windows, fork, start, batch=16384):
        return torch.cat([self.features(x)[:at.stop - at.start] for at, x in batches(windows, fork, start, batch)])

    def fit(self, windows, fork, start, label):
        """Ridge with the alpha of least leave-one-out squared error (closed form), features scaled by their deviation."""
        x = self.collect(windows, fork, start).double()
        y = label.double() * 2 - 1
        self.scale = x.std(0, unbiased=False)
        self.scale[self.scale == 0] = 1
        x = x / self.scale
        centre, middle = x.mean(0), y.mean()
        x -= centre
        gram = x.T @ x
        value, vector = torch.linalg.eigh(gram)
        rotated = x @ vector
        target = rotated.T @ (y - middle)
        best = None
        for alpha in np.logspace(-3, 3, 10):
            fitted = rotated @ (target / (value + alpha))
            leverage = (rotated.square() / (value + alpha)).sum(1) + 1 / len(y)
            error = float((((y - middle) - fitted) / (1 - leverage)).square().mean())
            if best is None or error < best[0]:
                best = (error, alpha, vector @ (target / (value + alpha)))
        self.alpha = best[1]
        self.weight = (best[2] / self.scale).float()
        self.intercept = float(middle - centre @ best[2])

    def decision(self, windows, fork, start):
        return torch.cat([self.collect(windows, fork[i:i + 65536], start[i:i + 65536]) @ self.weight + self.intercept
                          for i in range(0, len(fork), 65536)])


# ---- protocol ----
def sliding(forks):
    fork, start = np.broadcast_arrays(forks[:, None], np.arange(OFFSETS)[None, :])
    return [torch.as_tensor(x.reshape(-1).copy(), device=DEVICE) for x in (fork, start)]


def one_fold(args, data, windows, seed, fold, folds, limit):
    train_all = np.flatnonzero(folds != fold)
    test = np.flatnonzero(folds == fold)
    segments_test = segments(data, test)
    report = {"seed": seed, "fold": fold}
    forks = np.concatenate([np.arange(b * 10, b * 10 + 10) for b in test])
    if args.model == "rocket":
        model = Rocket(seed * 10 + fold)
        model.fit(windows, *segments(data, train_all))
        report["alpha"] = float(model.alpha)
        threshold, score = 0.0, model.decision
    else:
        valid = data.validation(train_all, seed)
        train = np.setdiff1d(train_all, valid)
        make, patience, most = (Oscnn, args.patience or 6, 60) if args.model == "oscnn" else (Fcn, args.patience or 10, 80)
        net, report["best_epoch"], report["losses"] = fit(make, windows, segments(data, train), segments(data, valid),
                                                          seed * 10 + fold, patience, most, limit)
        score = lambda w, fork, start: scores(net, w, fork, start)
        fork, start, label = all_windows(data, valid, 5)
        threshold = youden(score(windows, fork, start), label)
    report["threshold"] = threshold
    fork, start, label = segments_test
    report.update(classification(score(windows, fork, start) >= threshold, label))
    return report, forks, score(windows, *sliding(forks)).reshape(len(forks), OFFSETS).cpu().numpy()


def run_folds(args):
    began = time.time()
    limit = began + args.limit
    data = Data(args.packed)
    windows = Windows(data)
    reports = []
    for seed in args.seeds:
        folds = data.folds(seed)
        out = np.zeros((data.n * 10, OFFSETS), np.float32)
        for fold in range(5):
            if time.time() > limit - 15:
                print("out of time", flush=True)
                return
            report, forks, score = one_fold(args, data, windows, seed, fold, folds, limit)
            out[forks] = score - report["threshold"]
            reports.append(report)
            print(args.model, json.dumps(report), f"{time.time() - began:.0f} s", flush=True)
        stop = out >= 0
        offset = np.where(stop.any(1), stop.argmax(1), OFFSETS - 1).reshape(data.n, 10)
        np.savez_compressed(os.path.join(args.out, f"{args.model}-{seed}.npz"), offset=offset, score=out.astype(np.float16))
        json.dump(reports, open(os.path.join(args.out, f"{args.model}.json"), "w"), indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("folds", "final"))
    parser.add_argument("--packed", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--model", choices=("oscnn", "fcn", "rocket"), required=True)
    parser.add_argument("--limit", type=float, default=1e9)
    parser.add_argument("--patience", type=int, default=0)
    parser.add_argument("--seeds", type=int, nargs="*", default=list(SEEDS))
    args = parser.parse_args()
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = True
    os.makedirs(args.out, exist_ok=True)
    if args.what == "folds":
        run_folds(args)
    else:
        from export import run_final
        run_final(args)


if __name__ == "__main__":
    main()

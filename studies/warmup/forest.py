"""LightGBM's models on the GPU: thousands of policies need hundreds of millions of predictions."""
import numpy as np
import torch

from trees import down, trees_of

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CHUNK = 200_000


class Forest:
    """Sums of trees; features and thresholds are compared as float32, as in Rust."""

    def __init__(self, booster):
        trees, _ = trees_of(booster.model_to_string())
        self.trees, self.width = len(trees), max(len(t[4]) for t in trees)
        shape = (self.trees, self.width)
        feature, left, right = (np.zeros(shape, np.int64) for _ in range(3))
        threshold, leaf = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.depth = 1
        for i, (split, bounds, lower, upper, leaves) in enumerate(trees):
            k = len(split)
            feature[i, :k], threshold[i, :k], left[i, :k], right[i, :k] = split, [down(x) for x in bounds], lower, upper
            leaf[i, :len(leaves)] = leaves
            if k == 0:
                left[i, 0] = right[i, 0] = ~0
            else:
                self.depth = max(self.depth, depth_of(0, lower, upper))
        self.arrays = [torch.as_tensor(a, device=DEVICE).reshape(-1) for a in (feature, threshold, left, right, leaf)]
        self.base = (torch.arange(self.trees, device=DEVICE) * self.width)[None, :]

    def sum(self, x):
        """x: [rows, features], float32 on the device."""
        feature, threshold, left, right, leaf = self.arrays
        out = torch.empty(len(x), device=DEVICE)
        for a in range(0, len(x), CHUNK):
            some = x[a:a + CHUNK]
            node = torch.zeros(len(some), self.trees, dtype=torch.int64, device=DEVICE)
            for _ in range(self.depth):
                at = self.base + node.clamp(min=0)
                below = torch.gather(some, 1, feature[at]) <= threshold[at]
                node = torch.where(node < 0, node, torch.where(below, left[at], right[at]))
            out[a:a + CHUNK] = leaf[self.base + ~node].sum(1)
        return out


def depth_of(node, lower, upper):
    return 0 if node < 0 else 1 + max(depth_of(lower[node], lower, upper), depth_of(upper[node], lower, upper))

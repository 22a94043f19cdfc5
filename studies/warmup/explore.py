"""Where the front lies: fixed cuts and lengths, oracles, the source's configurations."""
import sys, numpy as np, torch
from common import *
d = Data(sys.argv[1]); q = QuickScore(d, device="cuda" if torch.cuda.is_available() else "cpu")
full = lambda x: np.full((d.n, 10), x, np.int64)
for n, c in d.stops.items():
    if (c[..., 0] > -9).all(): show(n + " (10 forks)", q(np.maximum(c[..., 0], -1), np.minimum(np.maximum(c[..., 1], c[..., 0] + 1), 2999)))
for e in (20, 50, 100, 150, 200, 300, 500, 1000, 2000, 2999):
    for c in (0, 10, 50, 100, 200, 400):
        if c < e - 10: show(f"fixed cut {c} end {e}", q(full(c), full(e)))
st = np.where(d.steady >= 0, d.steady, 2499)
for L in (20, 50, 100, 200, 500):
    for cap in (100, 200, 500, 2490):
        show(f"oracle cut min(st,{cap}) len {L}", q(np.minimum(st, cap), np.minimum(np.minimum(st, cap) + L, 2999)))
for e in (100, 150, 200, 300, 500):
    show(f"oracle cut min(st,e-20) fixed end {e}", q(np.minimum(st, e - 20), full(e)))
    show(f"oracle cut min(st,e-50) fixed end {e}", q(np.minimum(st, e - 50), full(e)))
    show(f"oracle cut max(min(st,e-50),e/2) fixed end {e}", q(np.maximum(np.minimum(st, e - 50), e // 2), full(e)))

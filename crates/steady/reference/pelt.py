"""Reference values for `src/labels/pelt.rs`: ruptures 1.1.9, NumPy 2.4.6, Python 3.11.7.

    python pelt.py

Every series is made of whole numbers and one division, so that Rust makes the same ones.
"""

import numpy as np
import ruptures

CASES = {
    "stairs": ([(10.0, 1.0), (20.0, 1.0), (12.0, 1.0), (12.5, 1.0)], 100),
    "spread": ([(10.0, 0.2), (10.0, 3.0), (10.0, 0.5)], 150),
    "decay": ([(40.0, 2.0), (30.0, 2.0), (25.0, 2.0), (22.0, 1.0), (21.0, 1.0), (21.0, 1.0)], 60),
}


def series(levels, length):
    return np.array(
        [level + spread * (((i + index * length) * 7919) % 101) / 100
         for index, (level, spread) in enumerate(levels) for i in range(length)]
    )


for name, (levels, length) in CASES.items():
    values = series(levels, length)
    for penalty in (5.0, 30.0, 200.0, 5000.0):
        cost = ruptures.costs.CostNormal(add_small_diag=False)
        ends = ruptures.Pelt(custom_cost=cost, min_size=2, jump=1).fit(values).predict(pen=penalty)
        print(name, penalty, ends)

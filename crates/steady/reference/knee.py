"""Reference values for `src/labels/knee.rs`: kneed 0.7.0, NumPy 2.4.6, SciPy 1.17.1, Python 3.11.7.

    python knee.py
"""

import warnings

from kneed import KneeLocator

CURVES = [
    [(32.0, 40), (40.0, 20), (60.0, 10), (200.0, 5), (900.0, 2), (4000.0, 1), (9000.0, 0)],
    [(32.0, 9), (50.0, 4), (1000.0, 1), (20000.0, 0)],
    [(32.0, 3), (400.0, 0)],
    [(32.0, 2), (400.0, 1), (500.0, 0)],
    [(32.0, 2), (50.0, 1), (500.0, 0)],
    [(32.0, 12), (33.0, 11), (34.0, 3), (35.0, 1), (5000.0, 0)],
    [(10.0, 3), (20.0, 2), (30.0, 1), (40.0, 0)],
]

warnings.simplefilter("ignore")
for curve in CURVES:
    x, y = [penalty for penalty, _ in curve][::-1], [changes for _, changes in curve][::-1]
    try:
        print(curve, KneeLocator(x, y, S=1.0, curve="convex", direction="decreasing").elbow)
    except IndexError:
        print(curve, None)

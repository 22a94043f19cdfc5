"""What choosing a configuration by all five metrics costs with NumPy, per benchmark, as `name value unit`.

The work of the prototype of Japke et al. 2025 on its data set 1, written anew and without its handling of tables: 60 configurations of
3 x 5 x 5 values; for each the metric and the interval beside it, 10,000 resamples each. `cargo xtask bench reduce` runs it.
"""

import itertools
import time

import numpy as np

RESAMPLES = 10_000
TAILS = [0.5, 99.5]
BENCHMARKS = 2

rng = np.random.default_rng(1)


def resamples(values):
    return rng.choice(values, (RESAMPLES, values.size))


def mean_interval(values):
    return np.percentile(resamples(values).mean(axis=1), TAILS)


def median_interval(values):
    return np.percentile(np.median(resamples(values), axis=1), TAILS)


def studentised_interval(values):
    drawn = resamples(values)
    means = drawn.mean(axis=1)
    spreads = drawn.std(axis=1, ddof=1)
    spreads[spreads == 0] = 1e-6
    root = np.sqrt(values.size)
    lo, hi = np.percentile((means - values.mean()) / (spreads / root), TAILS)
    error = values.std(ddof=1) / root
    return values.mean() - hi * error, values.mean() - lo * error


def width(interval):
    return abs(interval[1] - interval[0])


METRICS = [
    (lambda v: v.std() / v.mean(), mean_interval),
    (lambda v: np.median(np.abs(v - np.median(v))) / np.median(v), median_interval),
    (lambda v: width(mean_interval(v)) / v.mean(), mean_interval),
    (lambda v: width(studentised_interval(v)) / v.mean(), studentised_interval),
    (lambda v: width(mean_interval(v)) / np.median(v), median_interval),
]


def reduce(values):
    for metric, interval in METRICS:
        for runs, iterations, seconds in itertools.product(range(1, 4), range(1, 6), range(1, 6)):
            if runs * iterations >= 3:
                part = values[:runs, :iterations, :seconds].ravel()
                metric(part)
                interval(part)


begin = time.process_time()
for _ in range(BENCHMARKS):
    reduce(100 + rng.standard_normal((3, 5, 5)))
spent = time.process_time() - begin
print(f"numpy_reduce_per_benchmark {spent / BENCHMARKS * 1e3:.1f} ms")

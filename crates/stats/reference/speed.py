"""Processor time per bootstrap interval of scipy.stats.bootstrap, as `name value unit` lines like the Rust benchmark `intervals`."""

import math
import time

import numpy as np
from scipy import stats

SIZE, SERIES, RESAMPLES, ROUNDS = 75, 100, 10_000, 31
STEP = 0.6180339887498949


def sample(size, series=0):
    return np.array([1 - math.log(1 - math.fmod((1 + series * size + i) * STEP, 1.0)) for i in range(size)])


def report(name, values, statistic, method, rounds=ROUNDS):
    times = []
    for seed in range(rounds):
        start = time.thread_time_ns()
        stats.bootstrap((values,), statistic, n_resamples=RESAMPLES, method=method, vectorized=True, rng=np.random.default_rng(seed))
        times.append(time.thread_time_ns() - start)
    print(f"{name} {sorted(times)[rounds // 2]} ns")


report("scipy_mean_percentile_n75", sample(SIZE), np.mean, "percentile")
report("scipy_mean_bca_n75", sample(SIZE), np.mean, "BCa")
report("scipy_median_percentile_n75", sample(SIZE), np.median, "percentile", 15)
report("scipy_median_percentile_n76", sample(SIZE + 1), np.median, "percentile", 15)

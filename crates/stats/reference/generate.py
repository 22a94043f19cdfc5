"""Reference values for the tests of the stats room.

Writes values.json next to this file: fixed data, the answers of SciPy, statsmodels and scikit-posthocs, and the versions that gave
them. The tests read the file; they do not run Python. To renew it:

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install scipy statsmodels scikit-posthocs
    /tmp/reference/bin/python crates/stats/reference/generate.py
"""

import itertools
import json
import math
import pathlib
import platform
from fractions import Fraction

import numpy as np
import pandas
import scipy
import scikit_posthocs
import statsmodels
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

ALTERNATIVES = ["two-sided", "less", "greater"]
CONFIDENCE = 0.95
RESAMPLES = 400_000


def samples():
    """Fixed data: rounded so that the file holds every digit."""
    generator = np.random.default_rng(20240601)
    lognormal = lambda n, shift=0.0: np.round(np.exp(generator.normal(shift, 0.3, n)), 6).tolist()
    return {
        "small": lognormal(6),
        "small_shifted": lognormal(7, 0.6),
        "medium": lognormal(25),
        "medium_shifted": lognormal(30, 0.2),
        "odd": lognormal(75),
        "even": lognormal(76),
        "tied": generator.integers(1, 8, 20).astype(float).tolist(),
        "tied_shifted": generator.integers(2, 10, 24).astype(float).tolist(),
        "differences": np.round(generator.normal(0.02, 0.05, 18), 6).tolist(),
        "differences_many": np.round(generator.normal(0.01, 0.05, 60), 6).tolist(),
        "differences_tied": [0.0, 1.0, 1.0, -1.0, 2.0, 3.0, -2.0, 4.0, 4.0, 5.0],
        "differences_tied_many": (generator.integers(-4, 7, 30)).astype(float).tolist(),
    }


def dispersion(values):
    x = np.array(values)
    return {
        "mean": x.mean(),
        "sd": x.std(ddof=1),
        "population_sd": x.std(ddof=0),
        "cv": stats.variation(x, ddof=1),
        "population_cv": stats.variation(x, ddof=0),
        "median": np.median(x),
        "mad": stats.median_abs_deviation(x),
        "quantiles": [[p, np.quantile(x, p)] for p in (0.0, 0.025, 0.1, 0.25, 1 / 3, 0.5, 0.9, 0.995, 1.0)],
        "hodges_lehmann": np.median([(a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2)]),
        "maritz_jarrett": maritz_jarrett(x),
    }


def maritz_jarrett(x):
    """The standard deviation of the middle draw. scipy.stats.mstats.mjci takes Beta(m-1, n-m), which is not the law of that draw."""
    y, n = np.sort(x), len(x)
    m = (n + 1) // 2
    weights = np.diff(stats.beta.cdf(np.arange(n + 1) / n, m, n - m + 1))
    return math.sqrt(np.sum(weights * y**2) - np.sum(weights * y) ** 2)


def two_samples(a, b):
    welch = stats.ttest_ind(a, b, equal_var=False)
    pooled = stats.ttest_ind(a, b, equal_var=True)
    test = lambda result, equal: {
        "t": result.statistic,
        "df": result.df,
        "p": {k: stats.ttest_ind(a, b, equal_var=equal, alternative=k).pvalue for k in ALTERNATIVES},
        "interval": list(result.confidence_interval(CONFIDENCE)),
    }
    larger = sum((x > y) + 0.5 * (x == y) for x in a for y in b)
    return {
        "hodges_lehmann_shift": np.median([y - x for x in a for y in b]),
        "mann_whitney": {
            "u": stats.mannwhitneyu(a, b).statistic,
            "p": {k: stats.mannwhitneyu(a, b, alternative=k).pvalue for k in ALTERNATIVES},
        },
        "welch": test(welch, False),
        "pooled": test(pooled, True),
        "vargha_delaney": larger / (len(a) * len(b)),
        "cliffs_delta": 2 * larger / (len(a) * len(b)) - 1,
    }


def one_sample(d):
    result = stats.ttest_1samp(d, 0.0)
    return {
        "signed_rank": {
            "smaller": stats.wilcoxon(d).statistic,
            "positive": stats.wilcoxon(d, alternative="greater").statistic,
            "p": {k: stats.wilcoxon(d, alternative=k).pvalue for k in ALTERNATIVES},
        },
        "t": {
            "t": result.statistic,
            "p": {k: stats.ttest_1samp(d, 0.0, alternative=k).pvalue for k in ALTERNATIVES},
            "interval": list(result.confidence_interval(CONFIDENCE)),
        },
    }


def groups(names, data):
    sets = [data[name] for name in names]
    matrix = scikit_posthocs.posthoc_dunn(sets, p_adjust="bonferroni").to_numpy()
    plain = scikit_posthocs.posthoc_dunn(sets).to_numpy()
    h, p = stats.kruskal(*sets)
    pairs = list(itertools.combinations(range(len(sets)), 2))
    return {
        "names": names,
        "kruskal_wallis": {"h": h, "p": p},
        "dunn": [[i, j, plain[i, j], matrix[i, j]] for i, j in pairs],
    }


def bootstrap(values):
    """Monte Carlo intervals, to be compared with a tolerance."""
    x = np.array(values)
    answer = {}
    for name, statistic in (("mean", np.mean), ("median", np.median)):
        for method in ("percentile", "BCa"):
            found = stats.bootstrap(
                (x,), statistic, n_resamples=RESAMPLES, batch=20_000, method=method,
                confidence_level=CONFIDENCE, rng=np.random.default_rng(7),
            ).confidence_interval
            answer[f"{name}_{method.lower()}"] = [found.low, found.high]
    generator = np.random.default_rng(7)
    n, centre, se = len(x), x.mean(), x.std(ddof=1) / math.sqrt(len(x))
    ratios = []
    for _ in range(RESAMPLES // 20_000):
        r = x[generator.integers(0, n, (20_000, n))]
        ratios.append((r.mean(axis=1) - centre) / (r.std(axis=1, ddof=1) / math.sqrt(n)))
    lo, hi = np.quantile(np.concatenate(ratios), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    answer["mean_studentised"] = [centre - hi * se, centre - lo * se]
    return answer


def median_distribution(values):
    """Exact quantiles of the bootstrap distribution of the median, with fractions, by counting draws below, at and above two places."""
    y = sorted(values)
    n = len(y)
    mass = {}
    for i in range(n):
        for j in range(i, n) if n % 2 == 0 else [i]:
            mass_ij = (middle_pair(n, i, j) if n % 2 == 0 else middle_one(n, i))
            value = (y[i] + y[j]) / 2
            mass[value] = mass.get(value, 0) + mass_ij
    assert sum(mass.values()) == 1
    answer = []
    for p in (Fraction(1, 200), Fraction(1, 40), Fraction(1, 4), Fraction(1, 2), Fraction(39, 40), Fraction(199, 200)):
        total = Fraction(0)
        for value in sorted(mass):
            total += mass[value]
            if total >= p:
                answer.append([float(p), value, float(total)])
                break
    return answer


def middle_one(n, i):
    """P(the middle one of n draws is place i), n odd: at most m-1 draws below i and at most m-1 above."""
    m = (n + 1) // 2
    ways = 0
    for below in range(m):
        for above in range(m):
            ways += math.comb(n, below) * math.comb(n - below, above) * i**below * (n - 1 - i) ** above
    return Fraction(ways, n**n)


def middle_pair(n, i, j):
    """P(the two middle ones of n draws are the places i <= j), n even."""
    m = n // 2
    if i == j:
        ways = 0
        for below in range(m):
            for above in range(m):
                ways += math.comb(n, below) * math.comb(n - below, above) * i**below * (n - 1 - i) ** above
        return Fraction(ways, n**n)
    lower = sum(math.comb(m, at) * i ** (m - at) for at in range(1, m + 1))
    upper = sum(math.comb(m, at) * (n - 1 - j) ** (m - at) for at in range(1, m + 1))
    return Fraction(math.comb(n, m) * lower * upper, n**n)


def trimmed(values):
    """20 % trimmed mean and Winsorised standard error through SciPy's own functions."""
    n = len(values)
    g = 0 if n < 7 else n // 5
    h = n - 2 * g
    winsorised = np.asarray(stats.mstats.winsorize(np.sort(values), limits=(g / n, g / n)))
    se = math.sqrt(winsorised.var(ddof=0) * n / (h * (h - 1)))
    return {
        "centre": stats.trim_mean(values, g / n),
        "se": se,
        "reach": stats.t.ppf(0.99, h - 1) * se,
    }


def main():
    data = samples()
    p_values = [0.0001, 0.8, 0.01, 0.012, 0.04, 0.04, 0.5, 1.0, 0.03]
    counts = [(0, 20), (1, 300), (3, 300), (27, 30), (50, 100), (20, 20)]
    interval = lambda method: [[k, n, *proportion_confint(k, n, 0.05, method)] for k, n in counts]
    pairs = [("small", "small_shifted"), ("medium", "medium_shifted"), ("small", "odd"), ("tied", "tied_shifted"), ("odd", "even")]
    family = [["small", "small_shifted", "medium"], ["tied", "tied_shifted", "medium", "odd"]]
    answer = {
        "made_with": {
            "python": platform.python_version(), "numpy": np.__version__, "scipy": scipy.__version__,
            "statsmodels": statsmodels.__version__, "scikit-posthocs": scikit_posthocs.__version__,
            "pandas": pandas.__version__, "script": "crates/stats/reference/generate.py",
        },
        "confidence": CONFIDENCE,
        "samples": data,
        "dispersion": {name: dispersion(values) for name, values in data.items() if not name.startswith("diff")},
        "trimmed": {name: trimmed(values) for name, values in data.items()},
        "pairs": [{"first": a, "second": b, **two_samples(data[a], data[b])} for a, b in pairs],
        "one_sample": {name: one_sample(values) for name, values in data.items() if name.startswith("diff")},
        "groups": [groups(names, data) for names in family],
        "bootstrap": {name: bootstrap(data[name]) for name in ("medium", "odd", "even")},
        "median_distribution": {
            name: median_distribution(data[name]) for name in ("small", "medium", "odd", "even", "tied", "tied_shifted")
        },
        "multiplicity": {
            "p": p_values,
            **{k: multipletests(p_values, method=k)[1].tolist() for k in ("bonferroni", "holm", "fdr_bh")},
        },
        "proportion": {"wilson": interval("wilson"), "clopper_pearson": interval("beta")},
    }
    path = pathlib.Path(__file__).with_name("values.json")
    path.write_text(json.dumps(answer, indent=1, default=float) + "\n")


if __name__ == "__main__":
    main()

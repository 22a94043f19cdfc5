"""Reference values for the variance components of nested layouts.

Writes nested.json next to this file: fixed data, and the components by two ways that our code does not take. Balanced data: restricted maximum
likelihood of statsmodels' MixedLM, which agrees with analysis of variance where no component is negative. Balanced and unbalanced data: quadratic forms of
projection matrices, with their expectations as traces. The tests read the file; they do not run Python. To renew it:

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install statsmodels
    /tmp/reference/bin/python crates/stats/reference/nested.py
"""

import json
import pathlib
import platform

import numpy as np
import pandas
import statsmodels
import statsmodels.formula.api as formula


def layout(sizes, keep=lambda place: True):
    places = [[]]
    for size in sizes:
        places = [place + [i] for place in places for i in range(1, size + 1)]
    return [place for place in places if keep(place)]


def values(places, deviations, generator):
    effects = {}
    total = []
    for place in places:
        value = 0.0
        for level, deviation in enumerate(deviations):
            key = tuple(place[: level + 1])
            if key not in effects:
                effects[key] = generator.normal(0.0, deviation)
            value += effects[key]
        total.append(round(value, 6))
    return total


def indicator(places, level):
    keys = sorted({tuple(place[:level]) for place in places})
    return np.array([[1.0 if tuple(place[:level]) == key else 0.0 for key in keys] for place in places])


def quadratic_forms(places, y):
    """Solves y'(P_l - P_{l-1})y = sum over k of s_k trace(Z_k' (P_l - P_{l-1}) Z_k) for the variances s_k."""
    levels = len(places[0])
    designs = [indicator(places, level) for level in range(levels + 1)]
    projections = [z @ np.linalg.pinv(z) for z in designs]
    matrix, right = np.zeros((levels, levels)), np.zeros(levels)
    for level in range(1, levels + 1):
        form = projections[level] - projections[level - 1]
        right[level - 1] = y @ form @ y
        for inner in range(1, levels + 1):
            matrix[level - 1, inner - 1] = np.trace(designs[inner].T @ form @ designs[inner])
    return np.linalg.solve(matrix, right).tolist()


def restricted_likelihood(places, y):
    """Random intercepts of the outermost groups, a variance component for the groups within them, and the rest."""
    frame = pandas.DataFrame({"y": y, "a": [p[0] for p in places], "one": 1})
    if len(places[0]) == 2:
        fit = formula.mixedlm("y ~ 1", frame, groups="a").fit(reml=True)
        return [float(fit.cov_re.iloc[0, 0]), float(fit.scale)]
    frame["b"] = [f"{p[0]}/{p[1]}" for p in places]
    fit = formula.mixedlm("y ~ 1", frame, groups="a", re_formula="1", vc_formula={"b": "0 + C(b)"}).fit(reml=True)
    return [float(fit.cov_re.iloc[0, 0]), float(fit.vcomp[0]), float(fit.scale)]


def case(name, places, deviations, generator, is_balanced):
    y = values(places, deviations, generator)
    answer = {"name": name, "places": places, "values": y, "anova": quadratic_forms(places, np.array(y))}
    if is_balanced:
        answer["likelihood"] = restricted_likelihood(places, y)
    return answer


def main():
    generator = np.random.default_rng(20261115)
    uneven = lambda place: (place[0] * 7 + place[1] * 5 + place[2] * 3) % 11 > 3
    cases = [
        case("two levels", layout([6, 8]), [1.0, 0.5], generator, True),
        case("three levels", layout([8, 6, 5]), [1.0, 0.7, 0.4], generator, True),
        case("three levels, uneven", layout([6, 5, 6], uneven), [0.5, 1.0, 0.8], generator, False),
        case("two levels, uneven", layout([9, 7], lambda p: p[1] <= 1 + p[0] % 7), [0.6, 1.2], generator, False),
    ]
    answer = {
        "made_with": {
            "python": platform.python_version(), "numpy": np.__version__, "pandas": pandas.__version__,
            "statsmodels": statsmodels.__version__, "script": "crates/stats/reference/nested.py",
        },
        "cases": cases,
    }
    path = pathlib.Path(__file__).with_name("nested.json")
    path.write_text(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()

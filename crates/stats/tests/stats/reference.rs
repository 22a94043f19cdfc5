//! Agreement with SciPy, statsmodels and scikit-posthocs; `reference/generate.py` made the values and records the versions.

use std::sync::LazyLock;

use benchwright_stats::bootstrap::{MedianDistribution, Resampling, mean, median};
use benchwright_stats::dispersion::{self, Divisor};
use benchwright_stats::{
    Alternative, Interval, hodges_lehmann, multiplicity, proportion, rank, t_test, trimmed,
};
use serde_json::Value;

static REFERENCE: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../reference/values.json")).expect("valid JSON"));

const ALTERNATIVES: [(&str, Alternative); 3] =
    [("two-sided", Alternative::TwoSided), ("less", Alternative::Less), ("greater", Alternative::Greater)];

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(number).collect()
}

fn entries(key: &str) -> impl Iterator<Item = (&'static String, &'static Value)> {
    REFERENCE[key].as_object().expect("an object").iter()
}

fn sample(name: &Value) -> Vec<f64> {
    named(name.as_str().expect("a name"))
}

fn named(name: &str) -> Vec<f64> {
    numbers(&REFERENCE["samples"][name])
}

/// Relative agreement, absolute below 1.
fn check(what: &str, actual: f64, expected: &Value, tolerance: f64) {
    let expected = number(expected);
    let distance = (actual - expected).abs() / expected.abs().max(1.0);
    assert!(distance <= tolerance, "{what}: {actual} instead of {expected}");
}

/// Agreement of p-values: relative, however small they are.
fn check_p(what: &str, actual: f64, expected: &Value) {
    let expected = number(expected);
    assert!((actual - expected).abs() <= 1e-9 * expected, "{what}: {actual} instead of {expected}");
}

fn check_interval(what: &str, actual: Interval, expected: &Value, tolerance: f64) {
    check(&format!("{what} lo"), actual.lo, &expected[0], tolerance);
    check(&format!("{what} hi"), actual.hi, &expected[1], tolerance);
}

#[test]
fn dispersion_agrees() {
    for (name, expected) in entries("dispersion") {
        let x = named(name);
        let cases = [
            ("mean", dispersion::mean(&x)),
            ("sd", dispersion::standard_deviation(&x, Divisor::Sample)),
            ("population_sd", dispersion::standard_deviation(&x, Divisor::Population)),
            ("cv", dispersion::coefficient_of_variation(&x, Divisor::Sample)),
            ("population_cv", dispersion::coefficient_of_variation(&x, Divisor::Population)),
            ("median", dispersion::median(&x)),
            ("mad", dispersion::median_absolute_deviation(&x)),
            ("hodges_lehmann", hodges_lehmann::centre(&x)),
            ("maritz_jarrett", median::standard_error(&x)),
        ];
        for (what, actual) in cases {
            check(&format!("{name} {what}"), actual.expect("defined"), &expected[what], 1e-12);
        }
        for pair in expected["quantiles"].as_array().expect("pairs") {
            let actual = dispersion::quantile(&x, number(&pair[0])).expect("defined");
            check(&format!("{name} quantile {}", pair[0]), actual, &pair[1], 1e-14);
        }
    }
}

#[test]
fn trimmed_intervals_agree() {
    for (name, expected) in entries("trimmed") {
        let found = trimmed::trimmed_interval(&named(name), 0.02).expect("defined");
        check(name, found.centre, &expected["centre"], 1e-13);
        check(name, found.se, &expected["se"], 1e-12);
        check(name, found.hi - found.centre, &expected["reach"], 1e-9);
        check(name, found.centre - found.lo, &expected["reach"], 1e-9);
    }
}

#[test]
fn tests_of_two_samples_agree() {
    for case in REFERENCE["pairs"].as_array().expect("pairs") {
        let (a, b) = (sample(&case["first"]), sample(&case["second"]));
        let what = format!("{} {}", case["first"], case["second"]);
        check(&what, hodges_lehmann::shift(&a, &b).expect("defined"), &case["hodges_lehmann_shift"], 1e-14);
        check(&what, rank::vargha_delaney(&a, &b).expect("defined"), &case["vargha_delaney"], 1e-14);
        check(&what, rank::cliffs_delta(&a, &b).expect("defined"), &case["cliffs_delta"], 1e-14);
        for (key, alternative) in ALTERNATIVES {
            let what = format!("{what} {key}");
            let found = rank::mann_whitney(&a, &b, alternative).expect("defined");
            check(&what, found.u, &case["mann_whitney"]["u"], 1e-14);
            check_p(&what, found.p, &case["mann_whitney"]["p"][key]);
            let welch = t_test::welch(&a, &b, alternative, 0.95).expect("defined");
            check_t(&what, welch, &case["welch"], key);
            check("df", welch.df, &case["welch"]["df"], 1e-12);
            check_t(&what, t_test::pooled(&a, &b, alternative, 0.95).expect("defined"), &case["pooled"], key);
        }
    }
}

fn check_t(what: &str, found: t_test::TTest, expected: &Value, alternative: &str) {
    check(&format!("{what} t"), found.t, &expected["t"], 1e-11);
    check_p(&format!("{what} t test"), found.p, &expected["p"][alternative]);
    check_interval(&format!("{what} t interval"), found.interval, &expected["interval"], 1e-9);
}

#[test]
fn tests_of_one_sample_agree() {
    for (name, expected) in entries("one_sample") {
        let d = named(name);
        for (key, alternative) in ALTERNATIVES {
            let what = format!("{name} {key}");
            let found = rank::signed_rank(&d, alternative).expect("defined");
            check(&what, found.positive, &expected["signed_rank"]["positive"], 1e-14);
            check(&what, found.positive.min(found.negative), &expected["signed_rank"]["smaller"], 1e-14);
            check_p(&what, found.p, &expected["signed_rank"]["p"][key]);
            let found = t_test::one_sample(&d, 0.0, alternative, 0.95).expect("defined");
            check_t(&what, found, &expected["t"], key);
            let zeros = vec![0.0; d.len()];
            assert_eq!(t_test::paired(&d, &zeros, alternative, 0.95), Some(found));
        }
    }
}

#[test]
fn tests_of_several_groups_agree() {
    for case in REFERENCE["groups"].as_array().expect("cases") {
        let groups: Vec<Vec<f64>> = case["names"].as_array().expect("names").iter().map(sample).collect();
        let found = rank::kruskal_wallis(&groups).expect("defined");
        check("h", found.h, &case["kruskal_wallis"]["h"], 1e-12);
        check_p("kruskal-wallis", found.p, &case["kruskal_wallis"]["p"]);
        let found = rank::dunn(&groups).expect("defined");
        let expected = case["dunn"].as_array().expect("comparisons");
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(
                [found.first as u64, found.second as u64].map(Value::from),
                expected.as_array().expect("row")[..2]
            );
            check_p("dunn", found.p, &expected[2]);
            check_p("dunn adjusted", found.adjusted, &expected[3]);
        }
    }
}

#[test]
fn corrections_of_p_values_agree() {
    let expected = &REFERENCE["multiplicity"];
    let p = numbers(&expected["p"]);
    let cases = [
        ("bonferroni", multiplicity::bonferroni(&p)),
        ("holm", multiplicity::holm(&p)),
        ("fdr_bh", multiplicity::benjamini_hochberg(&p)),
    ];
    for (name, found) in cases {
        for (found, expected) in
            found.expect("defined").iter().zip(expected[name].as_array().expect("values"))
        {
            check_p(name, *found, expected);
        }
    }
}

#[test]
fn intervals_of_rates_agree() {
    type Method = fn(u64, u64, f64) -> Option<Interval>;
    let methods: [(&str, Method); 2] =
        [("wilson", proportion::wilson), ("clopper_pearson", proportion::clopper_pearson)];
    for (name, method) in methods {
        for row in REFERENCE["proportion"][name].as_array().expect("rows") {
            let (k, n) = (row[0].as_u64().expect("count"), row[1].as_u64().expect("count"));
            let found = method(k, n, 0.95).expect("defined");
            check(&format!("{name} {k}/{n} lo"), found.lo, &row[2], 1e-10);
            check(&format!("{name} {k}/{n} hi"), found.hi, &row[3], 1e-10);
        }
    }
}

#[test]
fn exact_median_quantiles_agree_with_fractions() {
    for (name, expected) in entries("median_distribution") {
        let distribution = MedianDistribution::new(&named(name)).expect("not empty");
        for row in expected.as_array().expect("rows") {
            let (share, value) = (number(&row[0]), number(&row[1]));
            let found = distribution.quantile(share).expect("defined");
            assert!((found - value).abs() < 1e-12, "{name} at {share}: {found} instead of {value}");
            check(&format!("{name} cumulative"), distribution.cumulative(found), &row[2], 1e-11);
        }
    }
}

/// SciPy drew 400,000 resamples; the standard error of its ends is about 0.004 of the estimate's standard error.
#[test]
fn bootstrap_intervals_agree_up_to_monte_carlo_error() {
    let draws = Resampling { resamples: 400_000, seed: 42 };
    for (name, expected) in entries("bootstrap") {
        let x = named(name);
        let se =
            dispersion::standard_deviation(&x, Divisor::Sample).expect("defined") / (x.len() as f64).sqrt();
        let tolerance = 0.025 * se;
        let cases = [
            ("mean_percentile", mean::percentile(&x, 0.95, draws)),
            ("mean_bca", mean::bca(&x, 0.95, draws)),
            ("mean_studentised", mean::studentised(&x, 0.95, draws)),
            ("median_percentile", median::percentile(&x, 0.95)),
            ("median_bca", median::bca(&x, 0.95)),
        ];
        for (what, found) in cases {
            check_interval(&format!("{name} {what}"), found.expect("defined"), &expected[what], tolerance);
        }
    }
}

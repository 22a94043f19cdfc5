//! Variance components against statsmodels and NumPy; `reference/nested.py` made the values and records the versions.

use benchwright_stats::nested_variance::{nested_variances, robust_nested_variances};
use proptest::prelude::*;
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|one| one.as_f64().expect("a number")).collect()
}

#[test]
fn components_are_those_of_other_programs() {
    let reference: Value =
        serde_json::from_str(include_str!("../../reference/nested.json")).expect("valid JSON");
    for case in reference["cases"].as_array().expect("an array") {
        let name = &case["name"];
        let places: Vec<Vec<u32>> = case["places"]
            .as_array()
            .expect("an array")
            .iter()
            .map(|place| numbers(place).iter().map(|at| *at as u32).collect())
            .collect();
        let found = nested_variances(&places, &numbers(&case["values"])).expect("defined");
        for (level, expected) in found.iter().zip(numbers(&case["anova"])) {
            assert!(
                (level.variance - expected.max(0.0)).abs() < 1e-9,
                "{name}: {level:?} instead of {expected}"
            );
            assert_eq!(level.is_floored, expected < 0.0, "{name}: {level:?}");
        }
        // The other program stops where its steps become small.
        for (level, expected) in found.iter().zip(case.get("likelihood").map(numbers).unwrap_or_default()) {
            assert!((level.variance - expected).abs() < 2e-3, "{name}: {level:?} instead of {expected}");
        }
    }
}

proptest! {
    /// A constant that is added to everything changes nothing, and a factor counts squared.
    #[test]
    fn variances_follow_the_unit(
        values in prop::collection::vec(-1.0..1.0_f64, 12), offset in -10.0..10.0_f64, factor in 0.1..10.0_f64,
    ) {
        let places: Vec<[u32; 3]> = (0..12).map(|at| [at / 6, at / 3 % 2, at % 3]).collect();
        let moved: Vec<f64> = values.iter().map(|value| factor * (value + offset)).collect();
        for method in [nested_variances::<[u32; 3]>, robust_nested_variances::<[u32; 3]>] {
            let (one, other) = (method(&places, &values).expect("defined"), method(&places, &moved).expect("defined"));
            for (one, other) in one.iter().zip(&other) {
                prop_assert!((factor * factor * one.variance - other.variance).abs() < 1e-6 * factor * factor);
            }
        }
    }
}

//! Series that no benchmark should give, but some do: every rule, label and training takes them and says what it made of them.

use std::time::Duration;

use benchwright_steady::classify::Trained;
use benchwright_steady::classify::training::{Example, train};
use benchwright_steady::labels::{LabelOptions, barrett, label};
use benchwright_steady::rules::Configuration;
use benchwright_steady::rules::catalogue::{Given, RULES};
use benchwright_steady::{Stop, replay_benchmark};

/// Scatters by 2 %.
fn wave(n: u32, level: f64) -> Vec<f64> {
    (0..n).map(|i| level * (1.0 + 0.02 * f64::from((i * 7919) % 101) / 101.0)).collect()
}

fn with(n: u32, at: usize, bad: f64) -> Vec<f64> {
    let mut values = wave(n, 1e-6);
    values[at] = bad;
    values
}

/// Each series and whether it can be labelled.
fn series() -> Vec<(&'static str, Vec<f64>, bool)> {
    vec![
        ("constant", vec![1e-6; 3000], true),
        ("tiny", vec![f64::MIN_POSITIVE; 1000], true),
        ("huge", vec![1e300; 1000], true),
        ("NaN", with(2000, 17, f64::NAN), false),
        ("only NaN", vec![f64::NAN; 900], false),
        ("infinite", with(2000, 300, f64::INFINITY), false),
        ("negative", with(2000, 40, -1e-6), false),
        ("zero", vec![0.0; 1500], false),
        ("shorter than the window", wave(70, 1e-6), true),
        ("very short", wave(5, 1e-6), false),
        ("one value", vec![1e-6], false),
        ("nothing", vec![], false),
        ("slower than the iteration time", [wave(100, 4.0), wave(900, 2.0)].concat(), true),
        ("one operation takes minutes", vec![155.0; 200], true),
        ("a million values", [wave(200_000, 2e-6), wave(800_000, 1e-6)].concat(), true),
    ]
}

fn stops(values: &[f64], longest_warmup: Option<Duration>) -> Vec<(&'static str, Vec<Stop>)> {
    let given = Given {
        configuration: Some(Configuration::JMH),
        iteration_time: Duration::from_millis(100),
        longest_warmup,
        measured: None,
        seed: 3,
    };
    let replayed = |rule: &'static benchwright_steady::rules::catalogue::NamedRule| {
        let mut plan = rule.plan(&given).expect("a rule");
        (rule.name, replay_benchmark(plan.as_mut(), &[values, values], 0.1))
    };
    RULES.iter().map(replayed).collect()
}

#[test]
fn every_rule_takes_every_series() {
    for (name, values, _) in series() {
        for cap in [None, Some(Duration::from_secs(5))] {
            // No rule looks at more than the first minutes of an operation of ordinary speed.
            for (rule, stops) in stops(&values[..values.len().min(5000)], cap) {
                assert_eq!(stops.is_empty(), values.is_empty(), "{rule}: {name}");
                for stop in stops {
                    let is_inside = stop.warmup < stop.end && stop.end as usize <= values.len();
                    assert!(is_inside && !stop.reason.is_empty(), "{rule}: {name}: {stop:?}");
                }
            }
        }
    }
}

#[test]
fn series_are_labelled_or_it_is_said_why_not() {
    for (name, values, is_labelled) in series() {
        for options in [LabelOptions::DEFAULT, LabelOptions::PUBLISHED] {
            match label(&values, &options) {
                Ok(label) => {
                    assert!(is_labelled, "{name}: {label:?}");
                    let end = label.changepoints.last().map(|last| *last as usize + 1);
                    assert_eq!(end, Some(values.len()), "{name}");
                }
                Err(error) => {
                    assert!(!is_labelled, "{name}: {error}");
                    assert!(error.to_string().starts_with("label a series"), "{name}: {error}");
                }
            }
        }
        let class = barrett::classify(&values);
        assert!(is_labelled || class.is_none() || !values.is_empty(), "{name}: {class:?}");
    }
}

fn example(values: &[f64]) -> Example<'_> {
    Example { values, steady_from: Some(59) }
}

#[test]
fn training_leaves_out_what_cannot_be_learnt_from() {
    let all = series();
    let good: Vec<Vec<f64>> = (0..2).map(|_| [wave(60, 2e-6), wave(600, 1e-6)].concat()).collect();
    let bad = all.iter().filter(|(.., is_labelled)| !is_labelled).map(|(_, values, _)| example(values));
    let bad: Vec<Example<'_>> = bad.collect();
    let mut benchmark: Vec<Example<'_>> = good.iter().map(|values| example(values)).collect();
    let alone = train(&vec![benchmark.clone(); 25], Trained::embedded().settings(), 1).expect("enough");
    benchmark.extend(bad.iter().copied());
    let mixed = train(&vec![benchmark; 25], Trained::embedded().settings(), 1).expect("enough");
    assert!(alone == mixed, "what is no series of times changes nothing");
    assert!(train(&vec![bad; 25], Trained::embedded().settings(), 1).is_err());
}

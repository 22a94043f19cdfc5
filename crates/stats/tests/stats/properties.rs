//! Laws that hold for every sample: order does not matter, scaling scales, shifting shifts, turning signs mirrors.

use benchwright_stats::bootstrap::{Resampling, mean, median};
use benchwright_stats::dispersion::{self, Divisor};
use benchwright_stats::sequential::{Bet, SIGNED_RANK_STAGES};
use benchwright_stats::sequential::{Evidence, Sign, StakeConstants, e_bh, staged_signed_rank};
use benchwright_stats::trimmed::{TrimmedInterval, trimmed_interval};
use benchwright_stats::{Alternative, Interval, hodges_lehmann, multiplicity, rank, t_test};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const DRAWS: Resampling = Resampling { resamples: 200, seed: 4 };

/// Values with many ties: multiples of 1/8, exact under the shifts and scalings below.
fn values(sizes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-400_i32..400).prop_map(|k| f64::from(k) / 8.0), sizes)
}

/// A sample together with another order of it.
fn shuffled(sizes: std::ops::Range<usize>) -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    values(sizes).prop_flat_map(|sample| (Just(sample.clone()), Just(sample).prop_shuffle()))
}

fn mapped(sample: &[f64], map: impl Fn(f64) -> f64) -> Vec<f64> {
    sample.iter().map(|&x| map(x)).collect()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn near_interval(a: Interval, b: Interval) -> bool {
    near(a.lo, b.lo) && near(a.hi, b.hi)
}

type Centre = fn(&[f64]) -> Option<f64>;

const CENTRES: [Centre; 4] =
    [dispersion::mean, dispersion::median, hodges_lehmann::centre, |x| dispersion::quantile(x, 0.3)];

const SPREADS: [Centre; 4] = [
    |x| dispersion::standard_deviation(x, Divisor::Sample),
    |x| dispersion::standard_deviation(x, Divisor::Population),
    dispersion::median_absolute_deviation,
    median::standard_error,
];

type IntervalOf = fn(&[f64]) -> Option<Interval>;

/// Interval methods that do not depend on the order of the values.
const INTERVALS: [IntervalOf; 4] = [
    |x| trimmed_interval(x, 0.02).as_ref().map(TrimmedInterval::interval),
    |x| median::percentile(x, 0.95),
    |x| median::bca(x, 0.95),
    |x| t_test::one_sample(x, 0.0, Alternative::TwoSided, 0.95).map(|test| test.interval),
];

/// The same cases in every run.
fn fixed() -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn order_does_not_matter((sample, other) in shuffled(2..40)) {
        for statistic in CENTRES.into_iter().chain(SPREADS) {
            prop_assert!(near(statistic(&sample).unwrap(), statistic(&other).unwrap()));
        }
        for method in INTERVALS {
            match (method(&sample), method(&other)) {
                (Some(a), Some(b)) => prop_assert!(near_interval(a, b), "{a:?} {b:?}"),
                (a, b) => prop_assert_eq!(a, b),
            }
        }
        let p = |x: &[f64]| rank::signed_rank(x, Alternative::TwoSided).map(|test| test.p);
        match (p(&sample), p(&other)) {
            (Some(a), Some(b)) => prop_assert!(near(a, b)),
            (a, b) => prop_assert_eq!(a, b),
        }
    }

    #[test]
    fn shifting_shifts_and_scaling_scales(sample in values(2..40), shift in -50_i32..50, power in -3_i32..4) {
        let (shift, scale) = (f64::from(shift), 2.0_f64.powi(power));
        let moved = mapped(&sample, |x| scale * x + shift);
        for centre in CENTRES {
            prop_assert!(near(scale * centre(&sample).unwrap() + shift, centre(&moved).unwrap()));
        }
        for spread in SPREADS {
            prop_assert!((scale * spread(&sample).unwrap() - spread(&moved).unwrap()).abs() < 1e-7);
        }
        let resampled: [IntervalOf; 1] = [|x| mean::percentile(x, 0.9, DRAWS)];
        for method in INTERVALS.into_iter().chain(resampled) {
            if let (Some(a), Some(b)) = (method(&sample), method(&moved)) {
                let expected = Interval { lo: scale * a.lo + shift, hi: scale * a.hi + shift };
                prop_assert!(near_interval(expected, b), "{expected:?} {b:?}");
            }
        }
    }

    #[test]
    fn turning_signs_mirrors(sample in values(2..40), other in values(1..20)) {
        let turned = mapped(&sample, |x| -x);
        let (a, b) = (trimmed_interval(&sample, 0.02).unwrap(), trimmed_interval(&turned, 0.02).unwrap());
        prop_assert!(near(a.lo, -b.hi) && near(a.hi, -b.lo) && near(a.se, b.se));
        let up = rank::signed_rank(&sample, Alternative::Greater).map(|test| test.p);
        let down = rank::signed_rank(&turned, Alternative::Less).map(|test| test.p);
        prop_assert_eq!(up, down);
        let (less, greater) = (Alternative::Less, Alternative::Greater);
        let up = rank::mann_whitney(&sample, &other, less).unwrap();
        let down = rank::mann_whitney(&other, &sample, greater).unwrap();
        prop_assert!(near(up.p, down.p));
        prop_assert!(near(up.u + down.u, (sample.len() * other.len()) as f64));
        let delta = rank::cliffs_delta(&sample, &other).unwrap();
        prop_assert!(near(delta, -rank::cliffs_delta(&other, &sample).unwrap()));
    }

    #[test]
    fn evidence_mirrors_and_stakes_are_fair(past in values(0..12), fresh in values(1..15)) {
        // Stakes see logarithms of ratios, hence the scale.
        let (past, fresh) = (mapped(&past, |x| x / 500.0), mapped(&fresh, |x| x / 500.0));
        let constants = StakeConstants::for_log_ratios(0.03);
        let mut up = Evidence::new(constants, Sign::Positive, &past).unwrap();
        let mut down = Evidence::new(constants, Sign::Negative, &mapped(&past, |x| -x)).unwrap();
        for x in fresh {
            let Bet { robust, gaussian } = up.stakes(x).unwrap();
            for stake in [robust, gaussian] {
                prop_assert!((0.0..1.0).contains(&stake));
                prop_assert_eq!(((1.0 + stake) + (1.0 - stake)) / 2.0, 1.0);
            }
            prop_assert_eq!(up.stakes(x), up.stakes(-x));
            prop_assert_eq!(up.add(x), down.add(-x));
            prop_assert_eq!(up.log_evidence(), down.log_evidence());
        }
    }

    #[test]
    fn families_keep_their_order_and_bounds(p in prop::collection::vec(0.0..=1.0_f64, 0..30)) {
        let all = multiplicity::bonferroni(&p).unwrap();
        let holm = multiplicity::holm(&p).unwrap();
        let rate = multiplicity::benjamini_hochberg(&p).unwrap();
        for i in 0..p.len() {
            prop_assert!(p[i] <= rate[i] && rate[i] <= holm[i] + 1e-15 && holm[i] <= all[i] && all[i] <= 1.0);
            for j in 0..p.len() {
                prop_assert!(p[i] > p[j] || (rate[i] <= rate[j] && holm[i] <= holm[j]));
            }
        }
    }

    #[test]
    fn e_bh_confirms_whatever_is_stronger(evidence in prop::collection::vec(0.0..300.0_f64, 0..30)) {
        let found = e_bh(&evidence, 0.05).unwrap();
        prop_assert_eq!(found.threshold.is_some(), !found.positions.is_empty());
        if let Some(threshold) = found.threshold {
            let k = found.positions.len() as f64;
            prop_assert!(evidence.iter().enumerate().all(|(i, &e)| (e >= threshold) == found.positions.contains(&i)));
            prop_assert!(threshold >= evidence.len() as f64 / (k * 0.05) - 1e-9);
        }
    }

    #[test]
    fn p_values_are_shares(sample in values(1..60), other in values(1..30)) {
        for alternative in [Alternative::TwoSided, Alternative::Less, Alternative::Greater] {
            let p = rank::mann_whitney(&sample, &other, alternative).unwrap().p;
            prop_assert!((0.0..=1.0).contains(&p));
            if let Some(test) = rank::signed_rank_exact(&sample, alternative) {
                prop_assert!(test.p > 0.0 && test.p <= 1.0);
            }
        }
        prop_assert!((0.0..=1.0).contains(&staged_signed_rank(&sample, &SIGNED_RANK_STAGES).unwrap()));
    }

    #[test]
    fn no_input_panics(sample in prop::collection::vec(prop::num::f64::ANY, 0..12), share in prop::num::f64::ANY) {
        let _ = dispersion::quantile(&sample, share);
        let _ = trimmed_interval(&sample, share);
        let _ = median::percentile(&sample, share);
        let _ = median::bca(&sample, 0.9);
        let _ = mean::bca(&sample, 0.9, DRAWS);
        let _ = mean::studentised(&sample, share, DRAWS);
        let _ = t_test::welch(&sample, &sample, Alternative::Less, 0.9);
        let _ = rank::kruskal_wallis(&[&sample, &sample]);
        let _ = rank::dunn(&[&sample, &sample]);
        let _ = multiplicity::holm(&sample);
        let _ = e_bh(&sample, share);
    }
}

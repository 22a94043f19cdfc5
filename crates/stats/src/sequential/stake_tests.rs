use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::*;

/// Screening values after which the worked examples are confirmed (case S3 of the rule).
const SCREENED: [f64; 5] = [0.051, 0.048, 0.060, 0.043, 0.055];

/// One line of a worked example: fresh value, stake1, stake2, E.
type Step = (f64, f64, f64, f64);

const CASE_1: [Step; 5] = [
    (0.047, 0.956771, 0.961538, 1.959155),
    (0.058, 0.938079, 0.961538, 3.820005),
    (0.050, 0.960956, 0.961538, 7.491983),
    (0.044, 0.946468, 0.961538, 14.639775),
    (0.053, 0.958725, 0.961538, 28.696122),
];

const CASE_2: [Step; 7] = [
    (0.047, 0.956771, 0.961538, 1.959155),
    (-0.350, 0.000015, 0.961538, 1.016092),
    (0.050, 0.960019, 0.095927, 1.958965),
    (0.044, 0.952754, 0.091956, 3.789792),
    (0.053, 0.952495, 0.120164, 7.361976),
    (0.049, 0.961241, 0.119489, 14.396047),
    (0.052, 0.958039, 0.135886, 28.141477),
];

const CASE_3: [Step; 6] = [
    (-0.010, 0.192379, 0.961538, 0.423041),
    (0.020, 0.606688, 0.941533, 0.686135),
    (-0.030, 0.874391, 0.961538, 0.082931),
    (0.010, 0.502775, 0.346036, 0.124402),
    (0.0, 0.0, 0.0, 0.124402),
    (-0.020, 0.527616, 0.646203, 0.058536),
];

fn constants() -> StakeConstants {
    StakeConstants::for_log_ratios(1.03_f64.ln())
}

fn check(sign: Sign, steps: &[Step]) {
    let screened: Vec<f64> = SCREENED.iter().map(|d| d * sign.factor()).collect();
    let mut evidence = Evidence::new(constants(), sign, &screened).expect("sensible constants");
    for &(d, robust, gaussian, e) in steps {
        let bet = evidence.add(d * sign.factor()).expect("finite");
        assert!((bet.robust - robust).abs() < 5.1e-7, "stake1 {} instead of {robust} at {d}", bet.robust);
        assert!(
            (bet.gaussian - gaussian).abs() < 5.1e-7,
            "stake2 {} instead of {gaussian} at {d}",
            bet.gaussian
        );
        let found = evidence.evidence();
        assert!((found - e).abs() < 5.1e-7, "E {found} instead of {e} at {d}");
        let from_parts = (evidence.log_robust().exp() + evidence.log_gaussian().exp()) / 2.0;
        assert!((found - from_parts).abs() < 1e-12 * found);
    }
}

#[test]
fn a_clear_change_is_confirmed_after_five() {
    check(Sign::Positive, &CASE_1);
}

#[test]
fn one_wild_value_costs_two_more() {
    check(Sign::Positive, &CASE_2);
}

#[test]
fn no_change_loses_the_capital() {
    check(Sign::Positive, &CASE_3);
}

#[test]
fn turning_all_signs_changes_nothing() {
    check(Sign::Negative, &CASE_1);
    check(Sign::Negative, &CASE_2);
    check(Sign::Negative, &CASE_3);
}

#[test]
fn both_signs_of_a_value_average_to_exactly_one() {
    let mut evidence = Evidence::new(constants(), Sign::Positive, &SCREENED).expect("sensible constants");
    for d in [0.047, -0.350, 0.001, 12.0, 1e-9, -0.05] {
        let (plus, minus) = (evidence.stakes(d).expect("finite"), evidence.stakes(-d).expect("finite"));
        assert_eq!(plus, minus, "the stake must not know the sign");
        assert!((0.0..1.0).contains(&plus.robust) && (0.0..1.0).contains(&plus.gaussian));
        assert_eq!(((1.0 + plus.robust) + (1.0 - minus.robust)) / 2.0, 1.0);
        assert_eq!(((1.0 + plus.gaussian) + (1.0 - minus.gaussian)) / 2.0, 1.0);
        evidence.add(d);
    }
}

#[test]
fn edges() {
    let mut blind = Evidence::new(constants(), Sign::Positive, &[]).expect("no past is allowed");
    let bet = blind.add(0.05).expect("finite");
    assert!(bet.robust > 0.0 && bet.gaussian > 0.0 && blind.evidence() > 1.0);
    assert_eq!(blind.add(f64::NAN), None);
    assert!(Evidence::new(constants(), Sign::Positive, &[f64::INFINITY]).is_none());
    let broken = StakeConstants { eta: 0.0, ..constants() };
    assert!(Evidence::new(broken, Sign::Positive, &[]).is_none());
    let mut still = Evidence::new(constants(), Sign::Positive, &[0.0; 5]).expect("sensible constants");
    assert_eq!(still.add(0.0), Some(Bet { robust: 0.0, gaussian: 0.0 }));
    assert_eq!(still.evidence(), 1.0);
}

/// A standard normal variate from two uniforms (Box & Muller 1958).
fn normal(generator: &mut Xoshiro256PlusPlus) -> f64 {
    let mut uniform = || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
    (-2.0 * (1.0 - uniform()).ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
}

#[test]
fn without_a_change_at_most_five_per_cent_of_suspects_reach_twenty() {
    const SUSPECTS: usize = 40_000;
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(20_240_601);
    let mut confirmed = 0;
    for _ in 0..SUSPECTS {
        let sign = if generator.next_u64() >> 63 == 0 { Sign::Positive } else { Sign::Negative };
        let scale = 0.03;
        let screened: Vec<f64> = (0..5).map(|_| scale * normal(&mut generator)).collect();
        let mut evidence = Evidence::new(constants(), sign, &screened).expect("sensible constants");
        for _ in 0..40 {
            evidence.add(scale * normal(&mut generator));
            let e = evidence.evidence();
            if e >= 20.0 {
                confirmed += 1;
            }
            if !(0.02..20.0).contains(&e) {
                break;
            }
        }
    }
    let share = f64::from(confirmed) / SUSPECTS as f64;
    assert!(share <= 0.05, "{share} of unchanged suspects confirmed");
    assert!(share > 0.005, "{share} is so low that the simulation must be broken");
}

use super::*;

fn long_looks() -> Vec<u32> {
    PairedSettings::default().with_duets(5, 96).looks
}

fn pending(ratios: &[f64]) -> Pending<'_> {
    Pending {
        delta: 1.03_f64.ln(),
        looks: long_looks(),
        is_fixed: false,
        max_fresh: 40,
        ratios,
        earlier: None,
        stage: Stage::Screening,
        duet_secs: 1.0,
        short: Short::default(),
        relinking: Relinking::default(),
        doubt: 0.0,
    }
}

#[test]
fn short_duets_save_time_where_they_are_taken() {
    let short = Short { duets: 5, fresh: 10, saved_secs: 0.6 };
    let saved = |ratios: &[f64], relinking| {
        let secs = |short| {
            let pending = [Pending { earlier: Some(0.002), relinking, short, ..pending(ratios) }];
            expected_time(&pending, RunSpread::UNKNOWN).as_secs_f64()
        };
        secs(Short::default()) - secs(short)
    };
    assert!((saved(&[], Relinking::default()) / 3.0 - 1.0).abs() < 0.2, "five of them decide");
    assert!((saved(&[0.0; 3], Relinking::default()) / 1.2 - 1.0).abs() < 0.2, "two are left");
    let noisy = [0.3, -0.2, 0.1, 0.4, -0.5, 0.0, 0.2];
    assert_eq!(saved(&noisy, Relinking::default()), 0.0);
}

#[test]
fn quiet_duets_shorten_and_noisy_ones_prolong() {
    let looks = long_looks();
    let delta = 1.03_f64.ln();
    let of = |run: RunSpread, earlier, ratios: &[f64]| {
        duets_per_verdict(run.expected(earlier), delta, ratios, &looks)
    };
    let further = |ratios: &[f64]| of(RunSpread::UNKNOWN, None, ratios);
    let unknown = further(&[]);
    let quiet = further(&[0.001, -0.002, 0.0005, 0.001]);
    let noisy = further(&[0.2, -0.15, 0.1, -0.05]);
    // If noisy benchmarks are given up in time, a verdict costs not much more than a first look.
    assert!((7.0..15.0).contains(&unknown), "{unknown}");
    assert!((1.0..3.0).contains(&quiet), "{quiet}");
    assert!(noisy > 50.0, "{noisy}");
    // A large change needs its fresh duets in addition to the first look.
    let changed = further(&[0.151, 0.148, 0.152, 0.149]);
    assert!((4.0..12.0).contains(&changed), "{changed}");
    // Noise of the machine is expected of benchmarks that were not measured yet.
    let others = [0.2, -0.15, 0.1, -0.05, 0.02];
    let disturbed = RunSpread::seen([(None, &others[..]); 10].into_iter());
    assert!(of(disturbed, None, &[]) > 3.0 * unknown, "{}", of(disturbed, None, &[]));
    // A benchmark that was quiet before is expected to be quiet again.
    assert!(of(RunSpread::UNKNOWN, Some(0.005), &[]) < 6.0);
}

#[test]
fn the_range_is_wide_for_the_unknown_and_narrow_for_the_known() {
    let factor = |pending: &[Pending<'_>], run| {
        let range = time(pending, run).range;
        assert!(range.low < range.middle && range.middle < range.high, "{range:?}");
        range.high.as_secs_f64() / range.low.as_secs_f64()
    };
    let unknown = factor(&vec![pending(&[]); 30], RunSpread::UNKNOWN);
    let known = Pending { earlier: Some(0.01), ..pending(&[]) };
    let known = factor(&vec![known; 30], RunSpread::UNKNOWN);
    assert!((2.0..6.0).contains(&unknown), "{unknown}");
    assert!(known < unknown && known < 2.5, "{known} {unknown}");
    let doubtful = Pending { doubt: 0.7, ..pending(&[]) };
    assert!(factor(&vec![doubtful; 30], RunSpread::UNKNOWN) > unknown);
}

#[test]
fn what_was_measured_tells_about_the_rest() {
    let quiet = [0.001, -0.001, 0.002, -0.001, 0.0];
    let noisy = quiet.map(|ratio| 300.0 * ratio);
    let of = |ratios: &[f64]| {
        let run = RunSpread::seen([(None, ratios); 6].into_iter());
        expected_time(&[pending(&[])], run)
    };
    let unknown = expected_time(&[pending(&[])], RunSpread::UNKNOWN);
    assert!(of(&quiet) < unknown && unknown < of(&noisy));
    assert_eq!(RunSpread::seen([(None, &quiet[..2])].into_iter()), RunSpread::UNKNOWN);
}

#[test]
fn a_disturbed_machine_needs_more_duets_of_what_is_not_known() {
    let of = |earlier, noise| {
        let run = RunSpread::on_machine(noise);
        expected_time(&[Pending { earlier, ..pending(&[]) }], run)
    };
    let [quiet, disturbed] = [Some(0.004), Some(0.1)];
    assert!(of(None, quiet) < of(None, None) && of(None, None) < of(None, disturbed));
    assert!(of(None, disturbed) > 2 * of(None, quiet));
    // Data of earlier runs on this machine takes precedence over its measured noise.
    assert_eq!(of(Some(0.01), disturbed), of(Some(0.01), quiet));
}

#[test]
fn a_small_quiet_suite_is_done_after_its_first_looks() {
    let quiet = RunSpread::on_machine(Some(0.004));
    let relinking = Relinking { secs: 2.0, sharing: 1.0, ..Relinking::default() };
    let range = time(&vec![Pending { relinking, ..pending(&[]) }; 7], quiet).range;
    let [low, middle, high] = [range.low, range.middle, range.high].map(|time| time.as_secs_f64());
    assert!((30.0..50.0).contains(&low), "{range:?}");
    assert!((35.0..80.0).contains(&middle), "{range:?}");
    // Some of seven benchmarks may have changed or may be noisy.
    assert!((90.0..400.0).contains(&high), "{range:?}");
}

#[test]
fn a_fixed_number_of_duets_is_known_exactly() {
    let fixed = Pending { looks: vec![30], is_fixed: true, ..pending(&[0.1; 10]) };
    let found = time(&[fixed.clone(), fixed], RunSpread::UNKNOWN);
    assert_eq!(found.range, TimeRange::exactly(Duration::from_secs(40)));
    assert_eq!(found.each, [Duration::from_secs(20); 2]);
}

#[test]
fn a_budget_decides_the_cheapest_first() {
    let seconds = Duration::from_secs;
    let prediction = Prediction { range: TimeRange::default(), each: [9, 1, 30, 2].map(seconds).to_vec() };
    assert_eq!(
        [0, 2, 4, 15, 52, 53].map(|budget| prediction.enough_for(seconds(budget))),
        [0, 1, 2, 3, 3, 4]
    );
    assert_eq!(time(&[], RunSpread::UNKNOWN), Prediction::default());
}

#[test]
fn a_suspect_needs_its_fresh_duets_alone() {
    let ratios = [0.151, 0.148, 0.152, 0.149, 0.150];
    let of =
        |stage| expected_time(&[Pending { stage, ..pending(&ratios) }], RunSpread::UNKNOWN).as_secs_f64();
    assert!((5.0..8.0).contains(&of(Stage::Suspect)), "{}", of(Stage::Suspect));
    assert!(of(Stage::Confirming) < of(Stage::Suspect));
    // Making programs in other layouts adds to the cost of the duets.
    let relinking = Relinking { secs: 2.0, ..Relinking::default() };
    let relinked = Pending { stage: Stage::Suspect, relinking, ..pending(&ratios) };
    let found = expected_time(&[relinked], RunSpread::UNKNOWN).as_secs_f64();
    assert!((found - 3.0 * of(Stage::Suspect)).abs() < 1e-6, "{found}");
}

#[test]
fn one_disturbed_run_does_not_count() {
    let quiet = vec![0.01, -0.01, 0.0, 0.01, -0.01];
    let disturbed: Vec<f64> = quiet.iter().map(|ratio| 50.0 * ratio).collect();
    let typical = typical_spread(&[quiet.clone(), disturbed, quiet.clone()]).expect("three runs");
    assert!((typical - spread(&quiet).expect("five duets")).abs() < 1e-9);
    assert_eq!(typical_spread(&[vec![0.1, 0.2]]), None);
}

//! The default rule on recorded processes of public JMH suites, whose steady state is known from the whole of them.

use std::time::Duration;

use benchwright_stats::dispersion::median;
use benchwright_steady::{Cut, Decision, Limits, StopRule, WhyCut, WindowMedians};
use benchwright_testkit::fixture;

/// A process: what it is called, the iteration after which it is steady (none: never), the first values.
struct Recorded {
    name: String,
    steady_from: Option<f64>,
    values: Vec<f64>,
}

fn recorded() -> Vec<Recorded> {
    let text = fixture("jmh-steady/processes.csv");
    let rows = text.lines().map(|line| {
        let mut fields = line.split(',');
        let name = format!("{} fork {}", fields.next().expect("a name"), fields.next().expect("a fork"));
        let steady_from: f64 = fields.next().and_then(|field| field.parse().ok()).expect("a label");
        let values = fields.next().expect("values").split(' ').map(|value| value.parse().expect("a number"));
        Recorded { name, steady_from: (steady_from >= 0.0).then_some(steady_from), values: values.collect() }
    });
    rows.collect()
}

/// Feeds a process to the rule as if it ran: iterations take 100 ms, or as long as one operation.
fn play(process: &Recorded) -> (usize, Option<Cut>) {
    let mut rule = WindowMedians::new(Limits::new(Duration::from_secs(30), 3));
    let mut elapsed = Duration::ZERO;
    for (index, value) in process.values.iter().enumerate() {
        elapsed += Duration::from_secs_f64(value.max(0.1));
        if let Decision::Stop(cut) = rule.sample(*value, elapsed) {
            return (index + 1, Some(cut));
        }
    }
    (process.values.len(), None)
}

#[test]
fn every_process_is_ended_within_the_cap() {
    for process in recorded() {
        let (taken, cut) = play(&process);
        let cut = cut.unwrap_or_else(|| panic!("{}: not ended", process.name));
        assert!(cut.warmup <= 300 && taken == cut.warmup as usize + 3, "{}: {cut:?}", process.name);
    }
}

/// No promise: a rule that looks at the recent past stops before half of the late changes. The bounds keep it from getting
/// worse unnoticed.
#[test]
fn the_stop_lies_around_the_labelled_steady_state() {
    let all = recorded();
    let steady: Vec<(f64, f64, bool)> = all
        .iter()
        .filter_map(|process| {
            let cut = play(process).1?;
            Some((f64::from(cut.warmup), process.steady_from?, cut.why == WhyCut::Steady))
        })
        .collect();
    let distances: Vec<f64> = steady.iter().map(|(stop, label, _)| stop - label).collect();
    let stops: Vec<f64> = steady.iter().map(|(stop, ..)| *stop).collect();
    let (distance, stop) = (median(&distances).expect("processes"), median(&stops).expect("processes"));
    assert!(steady.len() >= 80, "{} steady processes", steady.len());
    assert!(distance.abs() <= 30.0, "the median stop lies {distance} iterations after the label");
    assert!((15.0..=80.0).contains(&stop), "the median stop is after {stop} iterations");
    let by_itself = steady.iter().filter(|(.., is_steady)| *is_steady).count();
    assert!(by_itself * 10 >= steady.len() * 8, "{by_itself} of {} found steady", steady.len());
}

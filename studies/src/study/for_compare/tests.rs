//! Tests the study with an excerpt and few draws.

use std::path::Path;

use super::contender::{NAMES, WAYS, Way, choose};
use super::draw::{Generator, Pool, Shape, Sides};
use super::{alarms, document, experiment, go, jmh, pairs};
use crate::study::recorded;

/// Two systems of three benchmarks, with ten forks of 60 iterations each.
fn excerpt() -> Vec<super::contender::Suite> {
    let mut text = String::new();
    let mut generator = Generator::new(&[1]);
    for system in ["a/a", "b/b"] {
        for benchmark in 0..3 {
            for _ in 0..10 {
                let fork = 1000.0 * f64::from(benchmark) * (generator.share() - 0.5);
                let values: Vec<String> =
                    (0..60).map(|_| format!("{:.0}", fork + 400.0 * (generator.share() - 0.5))).collect();
                text += &format!("{system},bench{benchmark},5,1,{}\n", values.join(" "));
            }
        }
    }
    jmh::suites_of(text.as_bytes()).unwrap()
}

#[test]
fn sides_share_no_process_where_processes_are_divided() {
    let processes = (0..15).map(|at| vec![f64::from(at); 5]).collect();
    let pool = Pool { places: vec![processes], sides: Sides::Divided };
    let sides = pool.draw(&mut Generator::new(&[3]));
    let shape = Shape { processes: 9, values: 2 };
    let taken = sides.map(|side| side.take(shape));
    // Each side gets seven of fifteen processes, although nine were requested.
    assert_eq!((taken[0].len(), taken[1].len(), taken[0][0].len()), (7, 7, 2));
    assert!(taken[0].iter().all(|process| !taken[1].contains(process)));
}

#[test]
fn smaller_shapes_are_prefixes_of_larger_ones() {
    let processes = (0..15).map(|at| vec![f64::from(at), 0.5 + f64::from(at)]).collect::<Vec<_>>();
    let pool = Pool { places: vec![processes.clone(), processes], sides: Sides::Divided };
    let [side, _] = pool.draw(&mut Generator::new(&[4]));
    let (few, many) =
        (side.take(Shape { processes: 3, values: 1 }), side.take(Shape { processes: 8, values: 2 }));
    assert!(few.iter().zip(&many).all(|(few, many)| few[..] == many[..1]));
}

#[test]
fn ours_never_takes_more_time_than_the_contender_whose_time_it_has() {
    for suite in excerpt() {
        let choices = choose(&suite);
        for (at, name) in NAMES.iter().enumerate().skip(1) {
            let seconds = |number: usize| super::contender::seconds(&suite, &choices[number].shapes);
            for way in 0..WAYS.len() {
                assert!(seconds(Way::place(way, at)) <= seconds(at) + 1e-9, "{name} {way}");
            }
        }
    }
}

#[test]
fn the_study_runs_and_says_everything_about_everyone() {
    let suites = excerpt();
    let (once, again) = (experiment::run(&suites, 4, 9), experiment::run(&suites, 4, 9));
    assert_eq!(once.len(), NAMES.len() + WAYS.len() * (NAMES.len() - 1));
    for (one, other) in once.iter().zip(&again) {
        assert_eq!(one.counts, other.counts, "{}", one.name);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (benchmarks, _) = recorded::read(&root.join("fixtures/exchange/uoptime/go.csv")).unwrap();
    let versions = [go::Versions { project: "p".into(), versions: vec![benchmarks.clone(), benchmarks] }];
    let found = pairs::compare(&versions);
    // A version compared with itself has no changes, so no contender may find one.
    assert!(found.iter().all(|one| one.intervals.found + one.intervals.false_alarms == 0));
    let alarmed = alarms::alarmed(&suites, &once);
    let part = |data| document::Part { data, outcomes: once.clone(), alarmed: alarmed.clone() };
    let results = [part(&document::GO), part(&document::JMH)];
    let text = document::write(&results, &found, &["left out".into()], 4);
    for name in NAMES {
        assert!(text.matches(&format!("| {name} ")).count() >= 5, "{name}");
    }
    assert!(super::picture::draw("one", &once).contains("</svg>"));
}

#[test]
fn false_alarms_are_those_of_their_benchmark() {
    let suites = excerpt();
    let mut outcomes = experiment::run(&suites, 1, 9);
    for counts in outcomes.iter_mut().flat_map(|outcome| outcome.counts.values_mut()).flatten() {
        counts.alarms = 0;
    }
    let (name, at) = experiment::places(&suites).pop_last().unwrap();
    outcomes[2].counts.get_mut(&(1, 0)).unwrap()[at].alarms = 3;
    for contender in [1, 4] {
        outcomes[Way::place(1, contender)].counts.get_mut(&(0, 0)).unwrap()[at].alarms = 2;
    }
    let found = alarms::alarmed(&suites, &outcomes);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].name.as_str(), found[0].theirs, &found[0].ours[..3]), (name, 3, &[0, 4, 0][..]));
    assert!(found[0].planned > 0.0 && found[0].met > 0.0);
}

//! Faults of a carrier whose time is simulated.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use benchwright_process::Interrupt;

use super::*;

const CENT: f64 = 0.01;

/// The result of one sending, and how long it takes.
#[derive(Debug, Clone)]
enum Fate {
    Answer(u64),
    Fail(FailedSending, u64),
}

/// Answers a request with its own number, as its fates say. When these are used up, it answers after a
/// second.
#[derive(Default)]
struct Scripted {
    fates: HashMap<u32, Vec<Fate>>,
    log: Mutex<Vec<(u32, u32)>>,
    /// The time left that each sending got.
    told: Mutex<Vec<Option<Duration>>>,
    open: AtomicU32,
    most_open: AtomicU32,
}

impl Scripted {
    fn new(fates: impl IntoIterator<Item = (u32, Vec<Fate>)>) -> Arc<Self> {
        Arc::new(Scripted { fates: fates.into_iter().collect(), ..Scripted::default() })
    }
}

impl Carrier for Scripted {
    type Parcel = u32;
    type Delivery = (u32, u32);

    fn worst(&self, _: &u32) -> Money {
        Money::dollars(CENT)
    }

    fn least(&self, _: &u32) -> Duration {
        Duration::from_secs(60)
    }

    async fn send(
        &self,
        parcel: &u32,
        attempt: u32,
        time_left: Option<Duration>,
    ) -> Result<Sent<(u32, u32)>, SendFailure> {
        self.log.lock().unwrap().push((*parcel, attempt));
        self.told.lock().unwrap().push(time_left);
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_open.fetch_max(open, Ordering::SeqCst);
        let fate = self.fates.get(parcel).and_then(|fates| fates.get(attempt as usize)).cloned();
        let (Fate::Answer(secs) | Fate::Fail(_, secs)) = fate.clone().unwrap_or(Fate::Answer(1));
        tokio::time::sleep(Duration::from_secs(secs)).await;
        self.open.fetch_sub(1, Ordering::SeqCst);
        match fate {
            Some(Fate::Fail(kind, _)) => {
                let is_free = matches!(kind, FailedSending::Throttled | FailedSending::Unreachable);
                let cost = is_free.then_some(Money::ZERO);
                Err(SendFailure { kind, message: format!("{parcel} failed"), cost })
            }
            _ => Ok(Sent { delivery: (*parcel, attempt), cost: Money::dollars(CENT / 10.0) }),
        }
    }
}

fn sending(parallel: u32) -> Sending {
    Sending { parallel, patience: Patience::default(), stragglers: None, time_left: None, seed: 7 }
}

struct Outcome {
    report: Report,
    answers: Vec<(usize, (u32, u32))>,
    spent: Money,
    took: Duration,
}

fn send(carrier: &Arc<Scripted>, parcels: u32, sending: &Sending, ceiling: Option<f64>) -> Outcome {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let started = tokio::time::Instant::now();
        let mut ledger = Ledger::new(ceiling.map(Money::dollars));
        let mut answers = Vec::new();
        let parcels = (0..parcels).collect();
        let (carrier, interrupt) = (Arc::clone(carrier), Interrupt::new());
        let report = dispatch(carrier, parcels, sending, &mut ledger, &interrupt, &mut |index, answer| {
            answers.push((index, answer));
        })
        .await;
        answers.sort_unstable();
        Outcome { report, answers, spent: ledger.spent(), took: started.elapsed() }
    })
}

#[test]
fn every_parcel_is_answered_once_with_so_many_at_a_time() {
    let carrier = Scripted::new([]);
    let outcome = send(&carrier, 20, &sending(5), None);
    assert_eq!(outcome.answers, (0..20).map(|i| (i as usize, (i, 0))).collect::<Vec<_>>());
    assert_eq!(outcome.report, Report { sent: 20, delivered: 20, ..Report::default() });
    assert_eq!(carrier.most_open.load(Ordering::SeqCst), 5);
    assert_eq!(outcome.took, Duration::from_secs(4));
    assert_eq!(outcome.spent, Money::dollars(CENT / 10.0).times(20));
}

#[test]
fn throttled_lost_and_crashed_parcels_are_sent_again() {
    use FailedSending::{Crashed, Lost, Throttled, Unreachable};
    let throttles = vec![Fate::Fail(Throttled, 0); 8];
    let losses = vec![Fate::Fail(Lost, 3), Fate::Fail(Crashed, 1), Fate::Fail(Unreachable, 1)];
    let carrier = Scripted::new([(0, throttles), (1, losses)]);
    let outcome = send(&carrier, 3, &sending(3), None);
    assert_eq!(outcome.answers, [(0, (0, 8)), (1, (1, 3)), (2, (2, 0))]);
    let report = outcome.report;
    assert_eq!((report.sent, report.throttled, report.lost, report.crashed), (14, 8, 1, 1));
    assert_eq!(report.unreachable, 1);
    assert_eq!(report.given_up, []);
    // Throttled and unreachable sendings cost nothing. The cost of lost and crashed ones is unknown, so they
    // count as the worst case.
    assert_eq!(outcome.spent, Money::dollars(CENT / 10.0).times(3) + Money::dollars(CENT).times(2));
}

#[test]
fn what_never_works_is_given_up_and_the_rest_is_done() {
    use FailedSending::{Impossible, Lost, Throttled, Unreachable};
    let check = |kind, sendings: usize| {
        let carrier = Scripted::new([(1, vec![Fate::Fail(kind, 1); 50])]);
        let outcome = send(&carrier, 3, &sending(3), None);
        assert_eq!(outcome.answers, [(0, (0, 0)), (2, (2, 0))]);
        assert_eq!(outcome.report.given_up.len(), 1);
        assert_eq!((outcome.report.given_up[0].0, outcome.report.given_up[0].1.kind), (1, kind));
        let sent = carrier.log.lock().unwrap().iter().filter(|(parcel, _)| *parcel == 1).count();
        assert_eq!(sent, sendings, "{kind:?}");
        assert_eq!((outcome.report.ended, outcome.report.left), (None, 0));
    };
    check(Lost, 3);
    check(Throttled, 12);
    check(Unreachable, 7);
    check(Impossible, 1);
}

/// With a quota of zero or without a network, forty requests must not fail one by one.
#[test]
fn where_nobody_gets_through_everything_ends() {
    let check = |kind, patience: u32| {
        let carrier = Scripted::new((0..40).map(|parcel| (parcel, vec![Fate::Fail(kind, 0); 50])));
        let outcome = send(&carrier, 40, &sending(4), Some(CENT));
        let Some(Ended::Refused(failure)) = &outcome.report.ended else { panic!("{:?}", outcome.report) };
        assert_eq!((failure.kind, outcome.spent), (kind, Money::ZERO));
        assert_eq!((outcome.answers.len(), outcome.report.left), (0, 40));
        assert!(outcome.report.given_up.is_empty());
        let attempts = carrier.log.lock().unwrap().iter().map(|(_, attempt)| attempt + 1).max();
        assert_eq!(attempts, Some(patience));
    };
    check(FailedSending::Throttled, 12);
    check(FailedSending::Unreachable, 7);
}

#[test]
fn a_network_that_comes_back_is_all_it_takes() {
    let away = (0..5).map(|parcel| (parcel, vec![Fate::Fail(FailedSending::Unreachable, 1); 6]));
    let outcome = send(&Scripted::new(away), 5, &sending(5), None);
    assert_eq!(outcome.answers, (0..5).map(|i| (i as usize, (i, 6))).collect::<Vec<_>>());
    assert_eq!((outcome.report.unreachable, outcome.report.ended), (30, None));
}

#[test]
fn a_straggler_is_sent_again_and_its_first_answer_counts_alone() {
    let stragglers = Some(Stragglers { times_median: 3.0, at_least: Duration::from_secs(5) });
    let carrier = Scripted::new([(3, vec![Fate::Answer(40), Fate::Answer(2)])]);
    let outcome = send(&carrier, 10, &Sending { stragglers, ..sending(4) }, None);
    assert_eq!(outcome.answers.len(), 10);
    assert_eq!(outcome.answers[3], (3, (3, 1)));
    let report = &outcome.report;
    assert_eq!((report.sent, report.delivered, report.reissued, report.duplicates), (11, 10, 1, 0));
    // Sent again after five seconds and answered two seconds later. The other response is not waited for and
    // counts as the worst case.
    assert!(outcome.took < Duration::from_secs(8), "{:?}", outcome.took);
    assert_eq!(outcome.spent, Money::dollars(CENT / 10.0).times(10) + Money::dollars(CENT));

    // The second sending may be the slower one.
    let carrier = Scripted::new([(3, vec![Fate::Answer(10), Fate::Answer(30)])]);
    let outcome = send(&carrier, 10, &Sending { stragglers, ..sending(4) }, None);
    assert_eq!(outcome.answers[3], (3, (3, 0)));
    assert_eq!((outcome.took, outcome.report.duplicates), (Duration::from_secs(10), 0));
}

#[test]
fn an_answer_that_comes_twice_counts_once() {
    let stragglers = Some(Stragglers { times_median: 3.0, at_least: Duration::from_secs(5) });
    let (early, late) = (vec![Fate::Answer(10), Fate::Answer(6)], vec![Fate::Answer(30), Fate::Answer(40)]);
    let carrier = Scripted::new([(3, early), (4, late)]);
    let outcome = send(&carrier, 10, &Sending { stragglers, ..sending(4) }, None);
    assert_eq!(outcome.answers.len(), 10);
    assert_eq!(outcome.answers[3..5], [(3, (3, 0)), (4, (4, 0))]);
    assert_eq!((outcome.report.reissued, outcome.report.duplicates), (2, 1));
}

#[test]
fn a_ceiling_is_never_passed_even_if_nothing_answers() {
    let all_lost = (0..50).map(|parcel| (parcel, vec![Fate::Fail(FailedSending::Lost, 1); 3]));
    let carrier = Scripted::new(all_lost);
    let outcome = send(&carrier, 50, &sending(10), Some(CENT * 20.0));
    assert_eq!(outcome.spent, Money::dollars(CENT * 20.0));
    assert_eq!(outcome.report.ended, Some(Ended::CostCeiling { next: Money::dollars(CENT) }));
    assert!(outcome.report.left > 0);
}

#[test]
fn what_turns_out_cheap_makes_room_for_more() {
    // Only two worst cases fit at a time, but all twenty actual costs fit together.
    let carrier = Scripted::new([]);
    let outcome = send(&carrier, 20, &sending(10), Some(CENT * 3.9));
    assert_eq!(outcome.answers.len(), 20);
    assert_eq!(outcome.report.ended, None);
    assert!(carrier.most_open.load(Ordering::SeqCst) <= 3);
}

#[test]
fn nothing_is_sent_that_could_end_after_the_deadline() {
    let second = Duration::from_secs(1);
    let carrier = Scripted::new([]);
    let sending = Sending { time_left: Some(65 * second), ..sending(1) };
    let outcome = send(&carrier, 20, &sending, None);
    assert_eq!(outcome.report.ended, Some(Ended::TimeCeiling));
    assert_eq!((outcome.answers.len(), outcome.report.left), (6, 14));
    assert!(outcome.took <= 65 * second);
    let told: Vec<Option<Duration>> = (60u32..=65).rev().map(|left| Some(left * second)).collect();
    assert_eq!(*carrier.told.lock().unwrap(), told);
}

#[test]
fn at_the_deadline_nothing_is_waited_for() {
    let carrier = Scripted::new([(0, vec![Fate::Answer(1000)])]);
    let limited = Sending { time_left: Some(Duration::from_secs(62)), ..sending(2) };
    let outcome = send(&carrier, 2, &limited, None);
    assert_eq!((outcome.took, outcome.report.ended), (Duration::from_secs(62), Some(Ended::TimeCeiling)));
    assert_eq!((outcome.answers.as_slice(), outcome.report.left), ([(1, (1, 0))].as_slice(), 1));
    assert_eq!(outcome.spent, Money::dollars(CENT / 10.0) + Money::dollars(CENT));
}

#[test]
fn a_refusal_ends_everything_but_what_is_under_way() {
    let carrier =
        Scripted::new([(1, vec![Fate::Fail(FailedSending::Refused, 0)]), (0, vec![Fate::Answer(5)])]);
    let outcome = send(&carrier, 50, &sending(2), None);
    assert!(matches!(outcome.report.ended, Some(Ended::Refused(_))));
    assert_eq!(outcome.answers[0], (0, (0, 0)));
    assert!(outcome.report.sent <= 3, "{:?}", outcome.report);
}

#[test]
fn an_interrupt_ends_it_and_what_was_under_way_counts_as_paid() {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let interrupt = Interrupt::new();
    let mut ledger = Ledger::new(None);
    let carrier = Scripted::new([(1, vec![Fate::Answer(1000)])]);
    let report = runtime.block_on(async {
        let set = &interrupt;
        dispatch(carrier, vec![0, 1], &sending(2), &mut ledger, &interrupt, &mut |_, _| set.set()).await
    });
    assert_eq!(report.ended, Some(Ended::Interrupted));
    assert_eq!((report.delivered, report.left), (1, 1));
    assert_eq!(ledger.spent(), Money::dollars(CENT / 10.0) + Money::dollars(CENT));
}

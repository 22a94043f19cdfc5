//! Simulates events: calls are sent, instances start, calls end or are lost.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use super::platform::{Instance, Platform, Price};
use super::prices;
use super::suite::{Benchmark, Fault};
use crate::study::random::Generator;

/// The work of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// This number of duets. Each runs both versions, one after the other in random order.
    Duets(u32),
    /// The old version alone, once.
    Base,
    /// The new version alone, once.
    Head,
}

/// A call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Call {
    /// The index of the benchmark.
    pub(super) benchmark: usize,
    /// The number of its first result, which distinguishes answers.
    pub(super) number: u32,
    /// The work to do.
    pub(super) work: Work,
}

/// The times that a call returns, one pair of versions per duet. The time of a version that was not executed
/// is NaN. Empty if the call failed.
pub(super) type Times = Vec<[f64; 2]>;

/// Decides which calls are sent.
pub(super) trait Plan {
    /// The first calls.
    fn begin(&mut self, generator: &mut Generator) -> Vec<Call>;
    /// Processes an answer and returns the next calls.
    fn answer(&mut self, call: Call, times: Times, generator: &mut Generator) -> Vec<Call>;
}

/// How calls are sent and executed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Caller {
    /// Maximum number of calls in flight.
    pub(super) parallel: usize,
    /// Maximum number of calls sent per second.
    pub(super) rate: f64,
    /// Additional seconds per execution, for starting a program or for building it with the tool chain.
    pub(super) overhead: f64,
    /// Maximum seconds of an execution.
    pub(super) limit: f64,
    /// Seconds for sending a call and its answer.
    pub(super) latency: f64,
}

impl Caller {
    /// Our way: prebuilt programs, and the rate that is our goal for sending calls.
    pub(super) fn ours(parallel: usize) -> Caller {
        Caller { parallel, rate: 500.0, overhead: 0.05, limit: 20.0, latency: 0.05 }
    }
}

/// Time and cost of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Bill {
    /// Seconds from the first call to the last answer.
    pub(super) seconds: f64,
    /// Billed GB-seconds.
    pub(super) gb_seconds: f64,
    /// Billed requests.
    pub(super) requests: u64,
    /// Number of executions.
    pub(super) executions: u64,
    /// Number of instances started.
    pub(super) instances: u64,
    /// Number of calls rejected because instances could not be started fast enough.
    pub(super) throttled: u64,
    /// Number of calls lost.
    pub(super) lost: u64,
    /// Total price in dollars.
    pub(super) dollars: f64,
}

/// A simulated event.
#[derive(Debug)]
enum Event {
    Send,
    Retry(Call, u32),
    Done { call: Call, instance: usize, times: Times },
    Lost { call: Call, tries: u32 },
}

#[derive(Debug)]
struct Timed {
    at: f64,
    /// Orders events at the same time by the order in which they were caused.
    number: u64,
    event: Event,
}

impl PartialEq for Timed {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Timed {}

impl PartialOrd for Timed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timed {
    /// The earliest event is the greatest, because a heap returns its greatest element first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.total_cmp(&self.at).then(other.number.cmp(&self.number))
    }
}

/// The state of the simulation.
pub(super) struct Engine<'a> {
    platform: &'a Platform,
    caller: Caller,
    suite: &'a [Benchmark],
    generator: Generator,
    now: f64,
    started: f64,
    events: BinaryHeap<Timed>,
    numbers: u64,
    waiting: VecDeque<(Call, u32)>,
    in_flight: usize,
    next_send: f64,
    is_send_planned: bool,
    instances: Vec<Instance>,
    idle: Vec<usize>,
    alive: usize,
    starts: f64,
    bill: Bill,
}

/// How often a call is sent at most.
const MOST_TRIES: u32 = 4;

/// Runs a plan from the given time of day, in seconds after midnight. At midnight the speed is average.
pub(super) fn run(
    platform: &Platform,
    caller: Caller,
    suite: &[Benchmark],
    plan: &mut dyn Plan,
    start: f64,
    seed: u64,
) -> Bill {
    let mut engine = Engine {
        platform,
        caller,
        suite,
        generator: Generator::new(&[seed, 2]),
        now: start,
        started: start,
        events: BinaryHeap::new(),
        numbers: 0,
        waiting: VecDeque::new(),
        in_flight: 0,
        next_send: start,
        is_send_planned: false,
        instances: Vec::new(),
        idle: Vec::new(),
        alive: 0,
        starts: 0.0,
        bill: Bill::default(),
    };
    let first = plan.begin(&mut engine.generator);
    engine.waiting.extend(first.into_iter().map(|call| (call, 0)));
    engine.send();
    while let Some(timed) = engine.events.pop() {
        engine.now = timed.at;
        engine.happen(timed.event, plan);
        engine.send();
    }
    engine.finish()
}

impl Engine<'_> {
    fn at(&mut self, at: f64, event: Event) {
        self.numbers += 1;
        self.events.push(Timed { at, number: self.numbers, event });
    }

    fn happen(&mut self, event: Event, plan: &mut dyn Plan) {
        match event {
            Event::Send => self.is_send_planned = false,
            Event::Retry(call, tries) => self.waiting.push_front((call, tries)),
            Event::Done { call, instance, times } => {
                self.in_flight -= 1;
                self.idle.push(instance);
                let next = plan.answer(call, times, &mut self.generator);
                self.waiting.extend(next.into_iter().map(|call| (call, 0)));
            }
            Event::Lost { call, tries } => {
                self.in_flight -= 1;
                self.alive -= 1;
                self.bill.lost += 1;
                if tries + 1 < MOST_TRIES {
                    self.waiting.push_front((call, tries + 1));
                } else {
                    let next = plan.answer(call, Times::new(), &mut self.generator);
                    self.waiting.extend(next.into_iter().map(|call| (call, 0)));
                }
            }
        }
    }

    /// Sends all calls that may be sent now, and schedules the next attempt.
    fn send(&mut self) {
        while self.in_flight < self.caller.parallel && !self.waiting.is_empty() {
            if self.now < self.next_send {
                if !self.is_send_planned {
                    self.is_send_planned = true;
                    self.at(self.next_send, Event::Send);
                }
                return;
            }
            let Some((call, tries)) = self.waiting.pop_front() else { return };
            self.next_send = self.next_send.max(self.now) + 1.0 / self.caller.rate;
            self.dispatch(call, tries);
        }
    }

    fn dispatch(&mut self, call: Call, tries: u32) {
        let (burst, per_second) = self.platform.scaling;
        let may_start = self.alive < self.platform.most_instances
            && self.starts < burst + per_second * (self.now - self.started);
        match self.idle.pop() {
            // The platform prefers the instance that was used last.
            Some(instance) => self.carry_out(call, tries, instance, 0.0),
            None if may_start => {
                self.starts += 1.0;
                self.alive += 1;
                self.bill.instances += 1;
                let (median, spread) = self.platform.start;
                let start = median * (spread * self.generator.normal()).exp();
                let instance = Instance::new(self.platform, self.now, &mut self.generator);
                self.instances.push(instance);
                self.carry_out(call, tries, self.instances.len() - 1, start);
            }
            None => {
                // Rejected calls are not billed. They are sent again after a delay until they are accepted.
                self.bill.throttled += 1;
                let backoff = 0.5 * 2_f64.powi(tries.min(5) as i32) * (0.5 + self.generator.share());
                self.at(self.now + backoff, Event::Retry(call, tries));
            }
        }
    }

    fn carry_out(&mut self, call: Call, tries: u32, instance: usize, start: f64) {
        self.in_flight += 1;
        self.bill.requests += 1;
        let (mut times, took) = self.execute(call, instance, self.now + start);
        let mut billed = start + took;
        let is_lost = self.generator.happens(self.platform.lost);
        if is_lost {
            billed *= self.generator.share();
            times.clear();
        }
        self.bill.gb_seconds += billed * self.platform.memory;
        let end = self.now + billed + self.caller.latency;
        self.at(
            end,
            if is_lost { Event::Lost { call, tries } } else { Event::Done { call, instance, times } },
        );
    }

    /// The times of a call, and how long it took.
    fn execute(&mut self, call: Call, at: usize, begin: f64) -> (Times, f64) {
        /// Seconds until a broken benchmark reports its error.
        const BROKEN_SECONDS: f64 = 0.5;
        let benchmark = self.suite[call.benchmark];
        let core = self.platform.core;
        let once =
            benchmark.seconds + (benchmark.preparing + self.caller.overhead) / core - benchmark.preparing;
        let sides: &[[bool; 2]] = match call.work {
            Work::Duets(_) => &[[false, true], [true, false]],
            Work::Base => &[[false, false]],
            Work::Head => &[[true, true]],
        };
        let rounds = if let Work::Duets(n) = call.work { n } else { 1 };
        let halves = if matches!(call.work, Work::Duets(_)) { 2 } else { 1 };
        let executions = rounds * halves;
        self.bill.executions += u64::from(executions);
        match benchmark.fault {
            Some(Fault::Broken) => {
                return (
                    Times::new(),
                    f64::from(executions) * (BROKEN_SECONDS + self.caller.overhead / core),
                );
            }
            Some(Fault::Endless) => return (Times::new(), f64::from(executions) * self.caller.limit),
            None if once > self.caller.limit => {
                return (Times::new(), f64::from(executions) * self.caller.limit);
            }
            None => {}
        }
        let mut clock = begin;
        let mut times = Times::with_capacity(rounds as usize);
        for _ in 0..rounds {
            let order = sides[self.generator.below(sides.len())];
            let mut pair = [f64::NAN; 2];
            for is_head in order.into_iter().take(halves as usize) {
                clock += once;
                let time = self.instances[at].execute(
                    self.platform,
                    &benchmark,
                    is_head,
                    clock,
                    &mut self.generator,
                );
                pair[usize::from(is_head)] = time.exp();
            }
            times.push(pair);
        }
        (times, clock - begin)
    }

    fn finish(mut self) -> Bill {
        let bill = &mut self.bill;
        bill.seconds = self.now - self.started;
        bill.dollars = match self.platform.price {
            Price::Used { gb_second } => bill.gb_seconds * gb_second + bill.requests as f64 * prices::REQUEST,
            Price::Hours { hour } => bill.instances as f64 * bill.seconds / 3600.0 * hour,
        };
        self.bill
    }
}

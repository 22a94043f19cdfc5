//! The loop that sends requests, waits and sends again.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use benchwright_process::Interrupt;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use super::pace::Pace;
use super::{Carrier, FailedSending, Ledger, Money, SendFailure, Sending, Sent};

/// How often the loop checks for interrupts and stragglers when no response arrives.
const TICK: Duration = Duration::from_millis(100);

/// The result of sending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Sendings, repeated ones included.
    pub sent: u64,
    /// Number of requests with a response that counted.
    pub delivered: u64,
    /// Sendings that were throttled.
    pub throttled: u64,
    /// Sendings that did not reach the other side.
    pub unreachable: u64,
    /// Sendings without an answer.
    pub lost: u64,
    /// Number of sendings in which the other side crashed.
    pub crashed: u64,
    /// Number of requests that were sent a second time because they took so long.
    pub reissued: u64,
    /// Number of responses to requests that already had one. They are paid for but not counted.
    pub duplicates: u64,
    /// Requests that were given up, by number, with the last failure.
    pub given_up: Vec<(usize, SendFailure)>,
    /// Number of requests that were neither answered nor given up, because everything ended before.
    pub left: u64,
    /// The reason if it ended before all were answered.
    pub ended: Option<Ended>,
}

/// Reasons for an early end of a dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The next request could have passed the ceiling.
    CostCeiling {
        /// The highest possible cost of the next request.
        next: Money,
    },
    /// The time is over, or too short for the next request.
    TimeCeiling,
    /// The user.
    Interrupted,
    /// The other side refuses requests or cannot be reached.
    Refused(SendFailure),
}

/// Sends every request until each has a response or was given up. `on_delivery` gets each response with the
/// number of its request, when it arrives and once per request. Costs are added to the `ledger`.
pub async fn dispatch<C: Carrier>(
    carrier: Arc<C>,
    parcels: Vec<C::Parcel>,
    sending: &Sending,
    ledger: &mut Ledger,
    interrupt: &Interrupt,
    on_delivery: &mut dyn FnMut(usize, C::Delivery),
) -> Report {
    let now = Instant::now();
    let items: Vec<Item<C::Parcel>> = parcels.into_iter().map(Item::new).collect();
    let report = Report { left: items.len() as u64, ..Report::default() };
    let mut dispatcher = Dispatcher {
        carrier,
        sending,
        ledger,
        ready: (0..items.len()).collect(),
        items,
        waiting: BinaryHeap::new(),
        tasks: JoinSet::new(),
        in_flight: HashMap::new(),
        next_sending: 0,
        pace: Pace::new(sending.parallel, sending.seed),
        took: Vec::new(),
        answered: None,
        deadline: sending.time_left.and_then(|left| now.checked_add(left)),
        report,
    };
    dispatcher.run(interrupt, on_delivery).await;
    dispatcher.conclude()
}

/// One request on its way.
struct Item<P> {
    parcel: Arc<P>,
    attempts: u32,
    throttled: u32,
    unreachable: u32,
    failures: u32,
    /// When it was first throttled, or did not reach the other side.
    turned_away: Option<Instant>,
    /// Sendings under way.
    open: u32,
    is_done: bool,
    is_reissued: bool,
}

impl<P> Item<P> {
    fn new(parcel: P) -> Self {
        Item {
            parcel: Arc::new(parcel),
            attempts: 0,
            throttled: 0,
            unreachable: 0,
            failures: 0,
            turned_away: None,
            open: 0,
            is_done: false,
            is_reissued: false,
        }
    }
}

/// One sending under way.
struct Flight {
    item: usize,
    worst: Money,
    since: Instant,
}

type Answer<D> = (u64, Result<Sent<D>, SendFailure>);

struct Dispatcher<'a, C: Carrier> {
    carrier: Arc<C>,
    sending: &'a Sending,
    ledger: &'a mut Ledger,
    items: Vec<Item<C::Parcel>>,
    ready: VecDeque<usize>,
    waiting: BinaryHeap<Reverse<(Instant, usize)>>,
    tasks: JoinSet<Answer<C::Delivery>>,
    in_flight: HashMap<u64, Flight>,
    next_sending: u64,
    pace: Pace,
    /// The times that responses took.
    took: Vec<Duration>,
    /// When the last response arrived.
    answered: Option<Instant>,
    deadline: Option<Instant>,
    report: Report,
}

impl<C: Carrier> Dispatcher<'_, C> {
    async fn run(&mut self, interrupt: &Interrupt, on_delivery: &mut dyn FnMut(usize, C::Delivery)) {
        loop {
            if interrupt.is_set() {
                self.report.ended = Some(Ended::Interrupted);
                return;
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                self.report.ended.get_or_insert(Ended::TimeCeiling);
                return;
            }
            // The slower of two sendings is not waited for, because this would cost the time that the second
            // one saved.
            if self.report.left == 0 {
                return;
            }
            self.wake();
            if self.report.ended.is_none() {
                self.send_ready();
                self.reissue();
            }
            let is_over = self.report.ended.is_some() || (self.ready.is_empty() && self.waiting.is_empty());
            if is_over && self.in_flight.is_empty() {
                return;
            }
            self.wait(on_delivery).await;
        }
    }

    /// Makes requests ready whose pause is over.
    fn wake(&mut self) {
        let now = Instant::now();
        while self.waiting.peek().is_some_and(|Reverse((due, _))| *due <= now) {
            if let Some(Reverse((_, item))) = self.waiting.pop() {
                self.ready.push_back(item);
            }
        }
    }

    fn send_ready(&mut self) {
        while self.in_flight.len() < self.pace.allowed() {
            let Some(&index) = self.ready.front() else { return };
            // If a request was sent twice, its other sending may have been answered in the meantime.
            if !self.items[index].is_done && !self.send(index) {
                return;
            }
            self.ready.pop_front();
        }
    }

    /// Sends one request. Returns false if a ceiling forbids it, now or for good.
    fn send(&mut self, index: usize) -> bool {
        let worst = self.carrier.worst(&self.items[index].parcel);
        let now = Instant::now();
        if !self.has_time(index, now) {
            self.report.ended = Some(Ended::TimeCeiling);
            return false;
        }
        if !self.ledger.reserve(worst) {
            // Requests in flight may turn out to be cheaper than their worst case.
            if self.in_flight.is_empty() || !self.ledger.could_ever_pay(worst) {
                self.report.ended = Some(Ended::CostCeiling { next: worst });
            }
            return false;
        }
        let time_left = self.deadline.map(|deadline| deadline.saturating_duration_since(now));
        let item = &mut self.items[index];
        let (carrier, parcel, attempt) = (Arc::clone(&self.carrier), Arc::clone(&item.parcel), item.attempts);
        item.attempts += 1;
        item.open += 1;
        let number = self.next_sending;
        self.next_sending += 1;
        self.in_flight.insert(number, Flight { item: index, worst, since: now });
        self.tasks.spawn(async move { (number, carrier.send(&parcel, attempt, time_left).await) });
        self.report.sent += 1;
        true
    }

    fn has_time(&self, index: usize, now: Instant) -> bool {
        let least = self.carrier.least(&self.items[index].parcel);
        self.deadline.is_none_or(|deadline| now + least <= deadline)
    }

    /// Sends requests a second time that take far longer than the rest, once nothing else waits.
    fn reissue(&mut self) {
        let Some(stragglers) = self.sending.stragglers else { return };
        let is_idle = self.ready.is_empty() && self.in_flight.len() < self.pace.allowed();
        if !is_idle || self.took.is_empty() {
            return;
        }
        let median = median(&mut self.took);
        let longest = median.mul_f64(stragglers.times_median).max(stragglers.at_least);
        let now = Instant::now();
        let mut late: Vec<usize> = self
            .in_flight
            .values()
            .filter(|flight| now.duration_since(flight.since) >= longest)
            .map(|flight| flight.item)
            .filter(|item| !self.items[*item].is_done && !self.items[*item].is_reissued)
            .collect();
        late.sort_unstable();
        for index in late {
            if self.in_flight.len() >= self.pace.allowed() || !self.ledger_allows(index) || !self.send(index)
            {
                return;
            }
            self.items[index].is_reissued = true;
            self.report.reissued += 1;
        }
    }

    /// Whether there is time and money for a second sending. The first one is still in flight.
    fn ledger_allows(&mut self, index: usize) -> bool {
        let worst = self.carrier.worst(&self.items[index].parcel);
        self.has_time(index, Instant::now()) && self.ledger.reserve(worst) && {
            self.ledger.settle(worst, Money::ZERO);
            true
        }
    }

    /// Waits for the next response, the end of a pause or the next tick, and takes all responses that have
    /// arrived.
    async fn wait(&mut self, on_delivery: &mut dyn FnMut(usize, C::Delivery)) {
        let tick = Instant::now() + TICK;
        let due = self.waiting.peek().map_or(tick, |Reverse((due, _))| tick.min(*due));
        let due = self.deadline.map_or(due, |deadline| due.min(deadline));
        if self.tasks.is_empty() {
            tokio::time::sleep_until(due).await;
            return;
        }
        let mut next = timeout_at(due, self.tasks.join_next()).await.ok().flatten();
        while let Some(joined) = next {
            match joined {
                Ok((number, result)) => self.take(number, result, on_delivery),
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => {}
            }
            next = self.tasks.try_join_next();
        }
    }

    fn take(
        &mut self,
        number: u64,
        result: Result<Sent<C::Delivery>, SendFailure>,
        on_delivery: &mut dyn FnMut(usize, C::Delivery),
    ) {
        let Some(flight) = self.in_flight.remove(&number) else { return };
        let item = &mut self.items[flight.item];
        item.open -= 1;
        match result {
            Ok(sent) => {
                self.ledger.settle(flight.worst, sent.cost);
                self.pace.answered();
                self.answered = Some(Instant::now());
                self.took.push(flight.since.elapsed());
                if std::mem::replace(&mut item.is_done, true) {
                    self.report.duplicates += 1;
                } else {
                    self.report.delivered += 1;
                    self.report.left -= 1;
                    on_delivery(flight.item, sent.delivery);
                }
            }
            Err(failure) => {
                self.ledger.settle(flight.worst, failure.cost.unwrap_or(flight.worst));
                self.failed(flight.item, failure);
            }
        }
    }

    fn failed(&mut self, index: usize, failure: SendFailure) {
        let patience = self.sending.patience;
        match failure.kind {
            FailedSending::Throttled => {
                self.report.throttled += 1;
                self.pace.throttled();
            }
            FailedSending::Unreachable => self.report.unreachable += 1,
            FailedSending::Lost => self.report.lost += 1,
            FailedSending::Crashed => self.report.crashed += 1,
            FailedSending::Impossible | FailedSending::Refused => {}
        }
        let item = &mut self.items[index];
        if item.is_done {
            return;
        }
        let (failures, allowed) = match failure.kind {
            FailedSending::Throttled => {
                item.throttled += 1;
                (item.throttled, patience.throttled)
            }
            FailedSending::Unreachable => {
                item.unreachable += 1;
                (item.unreachable, patience.unreachable)
            }
            FailedSending::Lost | FailedSending::Crashed => {
                item.failures += 1;
                (item.failures, patience.lost)
            }
            FailedSending::Impossible => (1, 0),
            FailedSending::Refused => {
                self.report.ended.get_or_insert(Ended::Refused(failure));
                return;
            }
        };
        let is_turned_away = matches!(failure.kind, FailedSending::Throttled | FailedSending::Unreachable);
        let since = is_turned_away.then(|| *item.turned_away.get_or_insert_with(Instant::now));
        // Its other sending may still be answered.
        if item.open > 0 {
            return;
        }
        if failures >= allowed {
            let has_answered = |since| self.answered.is_some_and(|last| last >= since);
            if since.is_some_and(|since| !has_answered(since)) {
                // No request got through since then. The others would only fail in the same way.
                self.report.ended.get_or_insert(Ended::Refused(failure));
                return;
            }
            item.is_done = true;
            self.report.left -= 1;
            self.report.given_up.push((index, failure));
            return;
        }
        let due = Instant::now() + self.pace.pause(&patience, failures);
        self.waiting.push(Reverse((due, index)));
    }

    /// Gives up requests that are still in flight. They may cost as much as was reserved for them.
    fn conclude(mut self) -> Report {
        self.tasks.abort_all();
        for flight in self.in_flight.values() {
            self.ledger.settle(flight.worst, flight.worst);
        }
        self.report
    }
}

fn median(values: &mut [Duration]) -> Duration {
    let middle = values.len() / 2;
    *values.select_nth_unstable(middle).1
}

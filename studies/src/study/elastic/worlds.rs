//! Simulates the experiments of the paper, with their cost, time and findings.

use benchwright_analysis::agree::{Reading, Sample};

use super::engine::{Bill, Caller, run};
use super::noise::Fitted;
use super::platform::Platform;
use super::strategy::Fixed;
use super::suite::{Benchmark, Shape, suite};

/// The paper's description of an experiment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Published {
    pub(super) name: &'static str,
    pub(super) dollars: f64,
    pub(super) minutes: f64,
    /// Calls per benchmark, and duets per call.
    pub(super) calls: (u32, u32),
    /// Whether functions had 1024 MB of memory instead of 2048.
    pub(super) has_half_memory: bool,
    /// Whether both versions are the same code.
    pub(super) is_same_code: bool,
    /// Start time in seconds after midnight UTC.
    pub(super) start: f64,
}

/// From section 6.2. The paper prints "0.18 €" for the baseline next to "a similar cost". This is assumed to
/// be a misprint of $1.18.
pub(super) const PUBLISHED: [Published; 5] = [
    experiment("A/A", 1.18, 8.0, (15, 3), 17.58).same_code(),
    experiment("baseline", 1.18, 11.0, (15, 3), 16.83),
    experiment("replication", 1.18, 9.0, (15, 3), 19.58),
    experiment("lower memory", 0.69, 12.0, (15, 3), 19.17).half_memory(),
    experiment("single repeat", 0.49, 17.0, (45, 1), 20.68),
];

const fn experiment(
    name: &'static str,
    dollars: f64,
    minutes: f64,
    calls: (u32, u32),
    hour: f64,
) -> Published {
    let start = hour * 3600.0;
    Published { name, dollars, minutes, calls, has_half_memory: false, is_same_code: false, start }
}

impl Published {
    const fn same_code(self) -> Published {
        Published { is_same_code: true, ..self }
    }

    const fn half_memory(self) -> Published {
        Published { has_half_memory: true, ..self }
    }
}

/// The result of simulating an experiment.
#[derive(Debug, Clone)]
pub(super) struct Simulated {
    pub(super) published: Published,
    pub(super) bill: Bill,
    /// Benchmarks with at least ten results.
    pub(super) samples: Vec<Sample>,
    /// The readings of the paper's rule for them.
    pub(super) readings: Vec<Reading>,
}

/// Two numbers that are fitted to the costs and times in the paper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prototype {
    /// Seconds in the tool chain per execution. `go test` links the program again each time.
    pub(super) overhead: f64,
    /// Calls per second that the paper's script sends.
    pub(super) rate: f64,
}

impl Prototype {
    fn caller(self) -> Caller {
        Caller { rate: self.rate, overhead: self.overhead, ..Caller::ours(150) }
    }
}

/// Calls per second that explain why 4770 calls of about 4 s took 17 min.
const RATE: f64 = 4770.0 / (17.0 * 60.0);

/// Chooses the overhead so that the A/A experiment costs as much as in the paper.
pub(super) fn prototype(fitted: &Fitted, seed: u64) -> Prototype {
    let dollars =
        |overhead: f64| bill(&PUBLISHED[0], Prototype { overhead, rate: RATE }, fitted, seed).dollars;
    let (none, one) = (dollars(0.0), dollars(1.0));
    Prototype { overhead: ((PUBLISHED[0].dollars - none) / (one - none)).max(0.0), rate: RATE }
}

fn bill(published: &Published, prototype: Prototype, fitted: &Fitted, seed: u64) -> Bill {
    carried_out(published, prototype, fitted, seed).0
}

fn platform(published: &Published, fitted: &Fitted) -> Platform {
    let platform = Platform::lambda_arm(fitted);
    if published.has_half_memory { platform.with_half_memory() } else { platform }
}

/// The paper's suite. Unless both versions are the same code, as many benchmarks change as in the paper, by
/// similar sizes.
pub(super) fn paper_suite(fitted: &Fitted, is_same_code: bool, seed: u64) -> Vec<Benchmark> {
    /// Share of benchmarks that changed, and the median size of a change.
    const CHANGED: (f64, f64) = (0.45, 0.0471);
    let mut all = suite(&Shape::of_the_paper(), fitted, seed);
    if is_same_code {
        return all;
    }
    let mut generator = crate::study::random::Generator::new(&[seed, 3]);
    for benchmark in all.iter_mut().filter(|benchmark| benchmark.fault.is_none()) {
        let (is_changed, sign) = (generator.happens(CHANGED.0), generator.happens(0.5));
        // The sizes range from a fraction of a per cent to a doubling, as in the paper's Figure 5.
        let size = CHANGED.1 * (1.2 * generator.normal()).exp();
        if is_changed {
            benchmark.change = if sign { size.ln_1p() } else { -size.ln_1p() };
        }
    }
    all
}

fn carried_out(
    published: &Published,
    prototype: Prototype,
    fitted: &Fitted,
    seed: u64,
) -> (Bill, Vec<Sample>) {
    let suite = paper_suite(fitted, published.is_same_code, seed);
    let mut plan = Fixed::duets(suite.len(), published.calls.0, published.calls.1);
    let own = seed.wrapping_mul(31).wrapping_add(published.start as u64);
    let bill = run(&platform(published, fitted), prototype.caller(), &suite, &mut plan, published.start, own);
    (bill, plan.samples())
}

/// All experiments of the paper.
pub(super) fn experiments(prototype: Prototype, fitted: &Fitted, seed: u64) -> Vec<Simulated> {
    let one = |published: &Published| {
        let (bill, mut samples) = carried_out(published, prototype, fitted, seed);
        samples.retain(|sample| sample.results() >= benchwright_analysis::agree::MIN_RESULTS);
        let readings = samples.iter().filter_map(|sample| sample.reading(seed)).collect();
        Simulated { published: *published, bill, samples, readings }
    };
    PUBLISHED.iter().map(one).collect()
}

/// Simulates the original study of the same suite on three virtual machines with 45 results, and a study with
/// up to 135 results on functions. Returns the bill of the first and the samples of both.
pub(super) fn for_repeats(prototype: Prototype, fitted: &Fitted, seed: u64) -> (Bill, [Vec<Sample>; 2]) {
    let suite = paper_suite(fitted, false, seed);
    let machine = Platform { most_instances: 3, ..Platform::machine(fitted) };
    let original = Caller { parallel: 3, ..prototype.caller() };
    let functions = Platform::lambda_arm(fitted);
    let mut plan = Fixed::duets(suite.len(), 45, 1);
    let bill = run(&machine, original, &suite, &mut plan, 0.0, seed ^ 5);
    let mut more = Fixed::duets(suite.len(), 45, 3);
    run(&functions, prototype.caller(), &suite, &mut more, 17.0 * 3600.0, seed ^ 6);
    (bill, [plan.samples(), more.samples()])
}

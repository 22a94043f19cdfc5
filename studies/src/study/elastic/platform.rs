//! A function platform: instances that differ, a day that goes up and down, cold starts, neighbours.

use super::noise::Fitted;
use super::suite::Benchmark;
use crate::study::random::Generator;

/// What the platform is like. Standard deviations and sizes are logarithms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Platform {
    /// Kinds of processors: share of instances, and how long the same work takes.
    pub(super) processors: Vec<(f64, f64)>,
    /// Difference between the slowest and the fastest time of day, as a ratio.
    pub(super) diurnal: f64,
    /// How long the state of an instance lasts, seconds.
    pub(super) state_seconds: f64,
    /// How much slower the first execution on a new instance is on average.
    pub(super) cold: f64,
    /// Share of executions that a neighbour disturbs, and how much on average.
    pub(super) wild: (f64, f64),
    /// Share of calls that are lost in the middle, with their instance.
    pub(super) lost: f64,
    /// Instances that may be started at once, and per second after that.
    pub(super) scaling: (f64, f64),
    /// Most instances at the same time.
    pub(super) most_instances: usize,
    /// GB of memory of an instance.
    pub(super) memory: f64,
    /// Share of a core at that memory, at most 1: benchmarks use one.
    pub(super) core: f64,
    /// Seconds to start an instance: median, and spread as a logarithm.
    pub(super) start: (f64, f64),
    /// Price of a GB-second, and of an hour of an instance where it is a machine that is paid by the hour.
    pub(super) price: Price,
}

/// How instances are paid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Price {
    /// By GB-second and request.
    Used {
        /// Dollars.
        gb_second: f64,
    },
    /// By the hour from the first call to the last.
    Hours {
        /// Dollars.
        hour: f64,
    },
}

impl Platform {
    /// AWS Lambda as the paper used it, with ARM processors: 2048 MB, an image of 1 GB.
    pub(super) fn lambda_arm(fitted: &Fitted) -> Platform {
        Platform {
            processors: vec![(1.0, 1.0)],
            diurnal: 0.15,
            state_seconds: 30.0,
            cold: 0.05,
            wild: (fitted.wild_share, fitted.wild_size),
            lost: 0.002,
            scaling: (1000.0, 100.0),
            most_instances: 1000,
            memory: 2.0,
            core: 1.0,
            start: (8.0, 0.4),
            price: Price::Used { gb_second: super::prices::ARM_GB_SECOND },
        }
    }

    /// The same with prebuilt programs in place of sources, tool chain and cache: a package of some megabytes.
    pub(super) fn prebuilt(fitted: &Fitted) -> Platform {
        Platform { start: (0.4, 0.3), most_instances: 10_000, ..Platform::lambda_arm(fitted) }
    }

    /// The same on x86, where processors differ.
    pub(super) fn lambda_x86(fitted: &Fitted) -> Platform {
        Platform {
            processors: vec![(0.6, 1.0), (0.25, 0.85), (0.15, 0.92)],
            price: Price::Used { gb_second: super::prices::X86_GB_SECOND },
            ..Platform::prebuilt(fitted)
        }
    }

    /// One machine of one's own, or a virtual one: always warm, never lost.
    pub(super) fn machine(fitted: &Fitted) -> Platform {
        Platform {
            cold: 0.0,
            lost: 0.0,
            most_instances: 1,
            start: (0.0, 0.0),
            price: Price::Hours { hour: super::prices::MACHINE_HOUR },
            ..Platform::lambda_arm(fitted)
        }
    }

    /// Half the memory, and what that leaves of a core (AWS: one core at 1769 MB).
    pub(super) fn with_half_memory(self) -> Platform {
        let memory = self.memory / 2.0;
        Platform { memory, core: (memory * 1024.0 / 1769.0).min(1.0), ..self }
    }
}

/// An instance.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    processor: usize,
    /// Standard normal: where it stands among instances.
    rank: f64,
    /// Standard normal at `seen`: how it fares just now.
    state: f64,
    seen: f64,
    /// Whether it has executed something.
    is_warm: bool,
}

impl Instance {
    pub(super) fn new(platform: &Platform, now: f64, generator: &mut Generator) -> Instance {
        let mut drawn = generator.share();
        let kind = |(share, _): &(f64, f64)| {
            drawn -= share;
            drawn < 0.0
        };
        let processor = platform.processors.iter().position(kind).unwrap_or(0);
        Instance { processor, rank: generator.normal(), state: generator.normal(), seen: now, is_warm: false }
    }

    /// The logarithm of the time that one version of a benchmark shows here and now.
    pub(super) fn execute(
        &mut self,
        platform: &Platform,
        benchmark: &Benchmark,
        is_head: bool,
        now: f64,
        generator: &mut Generator,
    ) -> f64 {
        let kept = (-(now - self.seen).max(0.0) / platform.state_seconds).exp();
        self.state = kept * self.state + (1.0 - kept * kept).sqrt() * generator.normal();
        self.seen = now;
        let noise = benchmark.noise;
        let day = 0.5 * platform.diurnal * (std::f64::consts::TAU * now / 86_400.0).sin();
        let mut time = platform.processors[self.processor].1.ln()
            + day.ln_1p()
            + noise.instance * self.rank
            + noise.state * self.state
            + noise.trial * generator.normal();
        if is_head {
            // Another processor, another change: the same on all instances of a kind.
            let turn = [0.0, 1.0, -1.0][self.processor % 3];
            time += benchmark.change * (1.0 + benchmark.change_spread * turn);
        }
        if generator.happens(platform.wild.0) {
            time += platform.wild.1 * generator.exponential();
        }
        if !self.is_warm {
            time += platform.cold * generator.exponential();
            self.is_warm = true;
        }
        time
    }
}

//! A simulated function platform: different instances, daily variation, cold starts and disturbances by
//! neighbours.

use super::noise::Fitted;
use super::suite::Benchmark;
use crate::study::random::Generator;

/// Properties of the platform. Standard deviations and sizes are logarithms.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Platform {
    /// Kinds of processors: their share of instances, and their time for the same work relative to the first
    /// kind.
    pub(super) processors: Vec<(f64, f64)>,
    /// Difference between the slowest and the fastest time of day, as a ratio.
    pub(super) diurnal: f64,
    /// How long the state of an instance lasts, in seconds.
    pub(super) state_seconds: f64,
    /// How much slower the first execution on a new instance is on average.
    pub(super) cold: f64,
    /// Share of executions that a neighbour disturbs, and the mean size of the disturbance.
    pub(super) wild: (f64, f64),
    /// Share of calls that are lost during execution, together with their instance.
    pub(super) lost: f64,
    /// How many instances may be started at once, and how many per second after that.
    pub(super) scaling: (f64, f64),
    /// Maximum number of instances at the same time.
    pub(super) most_instances: usize,
    /// GB of memory of an instance.
    pub(super) memory: f64,
    /// Share of a core at this amount of memory. At most 1, because benchmarks use one core.
    pub(super) core: f64,
    /// Seconds to start an instance: median, and spread as a logarithm.
    pub(super) start: (f64, f64),
    /// The price, per GB-second or per hour of a machine.
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
    /// AWS Lambda as the paper used it, with ARM processors, 2048 MB and an image of 1 GB.
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

    /// The same with prebuilt programs instead of sources, tool chain and cache. A package has some
    /// megabytes.
    pub(super) fn prebuilt(fitted: &Fitted) -> Platform {
        Platform { start: (0.4, 0.3), most_instances: 10_000, ..Platform::lambda_arm(fitted) }
    }

    /// Prebuilt programs on x86, where processors differ.
    pub(super) fn lambda_x86(fitted: &Fitted) -> Platform {
        Platform {
            processors: vec![(0.6, 1.0), (0.25, 0.85), (0.15, 0.92)],
            price: Price::Used { gb_second: super::prices::X86_GB_SECOND },
            ..Platform::prebuilt(fitted)
        }
    }

    /// A single machine, physical or virtual. It is always warm and never lost.
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

    /// The platform with half the memory and the corresponding share of a core (AWS: one core at 1769 MB).
    pub(super) fn with_half_memory(self) -> Platform {
        let memory = self.memory / 2.0;
        Platform { memory, core: (memory * 1024.0 / 1769.0).min(1.0), ..self }
    }
}

/// An instance.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    processor: usize,
    /// Standard normal: the speed of the instance among all instances.
    rank: f64,
    /// Standard normal: the state of the instance at the time `seen`.
    state: f64,
    seen: f64,
    /// Whether it has executed anything before.
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

    /// The logarithm of the time that one version of a benchmark takes on this instance now.
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
            // The change depends on the processor, and is the same on all instances of a kind.
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

//! The settings of the platform.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use benchwright_model::BenchmarkId;

use crate::lambda::Prices;
use crate::package::Architecture;

/// Additional time of the first request to an instance: the platform starts it, and bills this too.
const START: Duration = Duration::from_secs(10);

/// Maximum time of a call in addition to its trials, from sending to receiving.
pub(crate) const AROUND: Duration = START.saturating_add(Duration::from_secs(5));

/// Means "no bucket" in place of a name. A bucket with this name certainly belongs to another account.
pub(crate) const NO_BUCKET: &str = "none";

/// Everything about the platform that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct LambdaSettings {
    /// Duets of one benchmark per call.
    pub repeats: u32,
    /// Calls at a time.
    pub parallel: u32,
    /// Time limit of one trial.
    pub execution_limit: Duration,
    /// Time limit of one call, after which the platform ends it.
    pub time_limit: Duration,
    /// Memory of the function, in megabytes. It determines the share of processors.
    pub memory: u32,
    /// Benchmarks that a function with another memory runs.
    pub memory_of: BTreeMap<BenchmarkId, u32>,
    /// Space below /tmp, in megabytes.
    pub tmp_size: u32,
    /// The function's architecture. `None` means that of the builds.
    pub architecture: Option<Architecture>,
    /// The region. `None` leaves it to the SDK's chain.
    pub region: Option<String>,
    /// The profile in the SDK's files. `None` leaves it to the chain.
    pub profile: Option<String>,
    /// Another address for all services, for emulators. `None` means the platform's own.
    pub endpoint: Option<String>,
    /// The function to call, with `{memory}` in place of its megabytes if there are several. `None` means the
    /// functions that `deploy` created for these settings.
    pub function: Option<String>,
    /// The bucket for packages. `None` means the one that `deploy` created, and the text `none` means that
    /// there is no bucket and packages are sent with the calls.
    pub bucket: Option<String>,
    /// The directory in an instance where packages are unpacked.
    pub directory: String,
    /// Paths below the version's root that are sent with every program.
    pub include: Vec<String>,
    /// The prices.
    pub prices: Prices,
}

impl Default for LambdaSettings {
    fn default() -> Self {
        LambdaSettings {
            repeats: 3,
            parallel: 150,
            execution_limit: Duration::from_secs(20),
            time_limit: Duration::from_secs(150),
            memory: 2048,
            memory_of: BTreeMap::new(),
            tmp_size: 512,
            architecture: None,
            region: None,
            profile: None,
            endpoint: None,
            function: None,
            bucket: None,
            directory: "/tmp/benchwright".into(),
            include: Vec::new(),
            prices: Prices::default(),
        }
    }
}

impl LambdaSettings {
    /// The memory of the function that runs a benchmark, in megabytes. It is always the same, so that no
    /// verdict mixes sizes.
    pub fn memory_for(&self, benchmark: &BenchmarkId) -> u32 {
        self.memory_of.get(benchmark).copied().unwrap_or(self.memory)
    }

    /// All sizes, in megabytes.
    pub fn sizes(&self) -> BTreeSet<u32> {
        self.memory_of.values().copied().chain([self.memory]).collect()
    }

    /// Time limit for the trials of one call: the platform's limit minus the time to download and answer.
    pub(crate) fn wall(&self) -> Duration {
        self.time_limit.saturating_sub((self.time_limit / 10).min(START))
    }

    /// How long to wait for a call at most.
    pub(crate) fn patience(&self) -> Duration {
        self.time_limit + AROUND
    }

    /// The longest time that may be billed for a call.
    pub(crate) fn billed_at_most(&self) -> Duration {
        self.time_limit + START
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_has_one_size() {
        let id = |name: &str| BenchmarkId::new("go", "p", name);
        let settings = LambdaSettings {
            memory_of: [(id("A"), 512), (id("B"), 4096)].into(),
            ..LambdaSettings::default()
        };
        let size = |name: &str| settings.memory_for(&id(name));
        assert_eq!([size("A"), size("B"), size("C")], [512, 4096, 2048]);
        assert_eq!(settings.sizes().into_iter().collect::<Vec<_>>(), [512, 2048, 4096]);
    }

    #[test]
    fn the_trials_of_a_call_fit_into_it() {
        let settings = LambdaSettings::default();
        assert_eq!(settings.wall(), Duration::from_secs(140));
        assert!(settings.execution_limit * 2 * settings.repeats <= settings.wall());
        let short = LambdaSettings { time_limit: Duration::from_secs(10), ..settings };
        assert_eq!(short.wall(), Duration::from_secs(9));
    }
}

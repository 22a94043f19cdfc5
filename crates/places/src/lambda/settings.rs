//! How the platform is used.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use benchwright_model::BenchmarkId;

use crate::lambda::Prices;
use crate::package::Architecture;

/// What the first request to an instance may take longer: the platform starts it, and bills that too.
const START: Duration = Duration::from_secs(10);

/// What passes around the trials of a call at most, from sending to receiving.
pub(crate) const AROUND: Duration = START.saturating_add(Duration::from_secs(5));

/// What stands for no bucket where its name is expected: a bucket of that name is surely somebody else's.
pub(crate) const NO_BUCKET: &str = "none";

/// Everything about the platform that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct LambdaSettings {
    /// Duets of one benchmark per call.
    pub repeats: u32,
    /// Calls at a time.
    pub parallel: u32,
    /// The longest time of one trial.
    pub execution_limit: Duration,
    /// The longest time of one call; the platform ends what takes longer.
    pub time_limit: Duration,
    /// Memory of the function, in megabytes. Its share of processors follows from it.
    pub memory: u32,
    /// Benchmarks that a function with another memory runs.
    pub memory_of: BTreeMap<BenchmarkId, u32>,
    /// Space below /tmp, in megabytes.
    pub tmp_size: u32,
    /// The function's architecture; none: that of the builds.
    pub architecture: Option<Architecture>,
    /// Where it runs; none: as the SDK's chain says.
    pub region: Option<String>,
    /// Which profile of the SDK's files; none: as the chain says.
    pub profile: Option<String>,
    /// Another address for all services, for emulators; none: the platform's own.
    pub endpoint: Option<String>,
    /// The function to call, with `{memory}` in place of its megabytes where there are several; none: those `deploy` made for
    /// these settings.
    pub function: Option<String>,
    /// The bucket packages go to; none: the one `deploy` made; `none`: no bucket, packages are sent with the calls.
    pub bucket: Option<String>,
    /// Where packages are unpacked in an instance.
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
    /// The memory of the function that runs a benchmark, in megabytes: always the same, so that no verdict mixes sizes.
    pub fn memory_for(&self, benchmark: &BenchmarkId) -> u32 {
        self.memory_of.get(benchmark).copied().unwrap_or(self.memory)
    }

    /// The sizes there are, in megabytes.
    pub fn sizes(&self) -> BTreeSet<u32> {
        self.memory_of.values().copied().chain([self.memory]).collect()
    }

    /// The longest time for the trials of one call: what the platform allows, less what it takes to fetch and answer.
    pub(crate) fn wall(&self) -> Duration {
        self.time_limit.saturating_sub((self.time_limit / 10).min(START))
    }

    /// The longest time for which a call is waited for.
    pub(crate) fn patience(&self) -> Duration {
        self.time_limit + AROUND
    }

    /// The longest time that is billed for a call.
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

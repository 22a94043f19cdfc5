//! The smallest change of a metric that counts.

use std::fmt;
use std::sync::Arc;

use benchwright_model::{BenchmarkId, Metric, Thresholds};

type Lookup = dyn Fn(&BenchmarkId, &Metric) -> Option<Thresholds> + Send + Sync;

/// All thresholds of a run: the general ones, and those configured for single benchmarks and metrics.
#[derive(Clone)]
pub struct ThresholdRules {
    general: Thresholds,
    configured: Arc<Lookup>,
}

impl ThresholdRules {
    /// The general thresholds for time.
    pub fn general(general: Thresholds) -> Self {
        ThresholdRules { general, configured: Arc::new(|_, _| None) }
    }

    /// Adds thresholds that were configured for some metrics of some benchmarks.
    pub fn with(
        self,
        configured: impl Fn(&BenchmarkId, &Metric) -> Option<Thresholds> + Send + Sync + 'static,
    ) -> Self {
        ThresholdRules { configured: Arc::new(configured), ..self }
    }

    /// The thresholds configured for this metric of this benchmark, if there are any.
    pub fn configured(&self, benchmark: &BenchmarkId, metric: &Metric) -> Option<Thresholds> {
        (self.configured)(benchmark, metric)
    }

    /// The thresholds that apply: the configured ones, otherwise the general ones. A metric other than time
    /// without a configured threshold never makes the command fail.
    pub fn of(&self, benchmark: &BenchmarkId, metric: &Metric) -> Thresholds {
        self.configured(benchmark, metric).unwrap_or(Thresholds {
            soft: self.general.soft,
            hard: if metric.is_main() { self.general.hard } else { f64::INFINITY },
        })
    }
}

impl fmt::Debug for ThresholdRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThresholdRules").field("general", &self.general).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_metrics_fail_only_where_configured() {
        let rules = ThresholdRules::general(Thresholds { soft: 0.03, hard: 0.05 })
            .with(|_, metric| (metric.name == "B/op").then_some(Thresholds { soft: 0.01, hard: 0.02 }));
        let id = BenchmarkId::new("go", "json", "BenchmarkEncode");
        assert_eq!(rules.of(&id, &Metric::time()).hard, 0.05);
        assert_eq!(rules.of(&id, &Metric::allocations_per_op()).hard, f64::INFINITY);
        assert_eq!(rules.of(&id, &Metric::bytes_per_op()).hard, 0.02);
        assert!(rules.configured(&id, &Metric::time()).is_none());
    }
}

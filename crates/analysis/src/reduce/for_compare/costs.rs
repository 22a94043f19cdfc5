//! The cost of a process.

use benchwright_stats::dispersion::median;

/// Seconds of the parts of a process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Outside of iterations: start, fixtures, preparations of the harness.
    pub start: f64,
    /// Warm-up.
    pub warmup: f64,
    /// One iteration after warm-up.
    pub iteration: f64,
}

impl Costs {
    /// Costs of iterations only, if nothing else was recorded.
    pub fn of_iterations(seconds: f64) -> Costs {
        Costs { start: 0.0, warmup: 0.0, iteration: seconds }
    }

    /// Costs from recorded processes, each with its seconds from start to exit and its number of iterations,
    /// including warm-up. An iteration is assumed to last `iteration` seconds, and the rest of a process is
    /// its start. The median over the processes is used, so that one that hung does not count. Without
    /// processes the start costs nothing.
    pub fn recorded(processes: &[(f64, u32)], warmup_iterations: u32, iteration: f64) -> Costs {
        let left =
            |(seconds, iterations): &(f64, u32)| (seconds - f64::from(*iterations) * iteration).max(0.0);
        let starts: Vec<f64> = processes.iter().map(left).collect();
        Costs {
            start: median(&starts).unwrap_or(0.0),
            warmup: f64::from(warmup_iterations) * iteration,
            iteration,
        }
    }

    /// Seconds of a process with this many iterations after warm-up.
    pub fn process(&self, iterations: u32) -> f64 {
        self.start + self.warmup + f64::from(iterations) * self.iteration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_costs_its_parts() {
        let costs = Costs { start: 0.5, warmup: 5.0, iteration: 0.1 };
        assert!((costs.process(10) - 6.5).abs() < 1e-12);
        assert_eq!(Costs::of_iterations(1.0).process(3), 3.0);
    }

    #[test]
    fn what_iterations_do_not_explain_is_the_start() {
        // 2.5, 2.75 and 62 s for 2 + 8 iterations of 0.2 s: 0.5, 0.75 and 60 s are left.
        let costs = Costs::recorded(&[(2.5, 10), (62.0, 10), (2.75, 10)], 2, 0.2);
        assert_eq!((costs.start, costs.warmup, costs.iteration), (0.75, 0.4, 0.2));
        assert_eq!(Costs::recorded(&[(1.0, 10)], 0, 0.2).start, 0.0);
        assert_eq!(Costs::recorded(&[], 0, 0.2).start, 0.0);
    }
}

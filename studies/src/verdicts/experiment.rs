//! Data shared by all trials: the product, the available suites and the remaining time.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::prepare::is_ready;
use super::product::{Listed, Product};
use super::suites::Suite;

/// The product, suites and options of a trial.
#[derive(Debug)]
pub(crate) struct Experiment {
    pub(crate) product: Product,
    pub(crate) dir: PathBuf,
    pub(crate) suites: Vec<Suite>,
    /// Options of every comparison.
    pub(crate) options: Vec<String>,
    end: Option<Instant>,
}

impl Experiment {
    /// Builds the product and checks which of the suites are available.
    pub(crate) fn new(
        root: &Path,
        dir: PathBuf,
        wanted: Vec<Suite>,
        options: Vec<String>,
        budget: Option<Duration>,
    ) -> Result<Experiment> {
        let (ready, missing): (Vec<Suite>, Vec<Suite>) =
            wanted.into_iter().partition(|suite| is_ready(&suite.repository(&dir)));
        for suite in &missing {
            println!("{}: not there, see `cargo xtask verdicts prepare`", suite.name);
        }
        if ready.is_empty() {
            bail!("find a suite in `{}`: run `cargo xtask verdicts prepare` first", dir.display());
        }
        let product = Product::build(root, &dir)?;
        let end = budget.map(|budget| Instant::now() + budget);
        Ok(Experiment { product, dir, suites: ready, options, end })
    }

    /// Whether the time for the whole trial is over.
    pub(crate) fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// The benchmarks of a suite.
    pub(crate) fn list(&self, suite: &Suite) -> Result<Vec<Listed>> {
        self.product.list(&suite.repository(&self.dir), suite.skip, suite.arguments)
    }
}

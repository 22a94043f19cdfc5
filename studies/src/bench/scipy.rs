//! Measures SciPy, for a comparison with our statistics.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use xtask::scipy::python;

use super::programs::Figures;
use crate::command::run_watched;

/// Measures SciPy's times on this machine.
pub(crate) fn measure(root: &Path, figures: &mut Figures) -> Result<()> {
    let mut command = Command::new(python(root)?);
    command.arg(root.join("crates/stats/reference/speed.py"));
    run_watched(&mut command, |line| figures.take(line))
}

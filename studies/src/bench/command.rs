//! The command `cargo xtask bench`.

use std::path::Path;

use anyhow::Result;

use super::goals::Goal;
use super::programs::Figures;
use super::{commands, goals, import, orchestration, programs, reduce, scipy, steady};

/// Runs all benchmarks and prints the goals at the end. Reports and skips what cannot be measured here.
pub(crate) fn bench(root: &Path) -> Result<()> {
    let mut figures = Figures::default();
    let programs = programs::run_all(root, &mut figures);
    println!("== scipy");
    if let Err(error) = scipy::measure(root, &mut figures) {
        println!("skipped: {error:#}");
    }
    let mut others = measured(root, "reduce", reduce::measure);
    others.extend(measured(root, "import", import::measure));
    others.extend(orchestration_goals(root));
    println!("== goals");
    let (exchange, elastic) = (goals::of_exchange(&figures), goals::of_elastic(&figures));
    for goal in goals::of_programs(&figures).iter().chain(&exchange).chain(&elastic).chain(&others) {
        println!("{goal}");
    }
    programs
}

/// Measures only how fast results of other tools are read, and with how much memory.
pub(crate) fn bench_exchange(root: &Path) -> Result<()> {
    let mut figures = Figures::default();
    programs::run_one(root, "benchwright-formats", "speed", &mut figures)?;
    let memory = measured(root, "import", import::measure);
    for goal in goals::of_exchange(&figures).iter().chain(&memory) {
        println!("{goal}");
    }
    Ok(())
}

/// Measures only the cost of sending calls to a function platform.
pub(crate) fn bench_elastic(root: &Path) -> Result<()> {
    let mut figures = Figures::default();
    programs::run_one(root, "benchwright-worker", "serve", &mut figures)?;
    programs::run_one(root, "benchwright-places", "dispatch", &mut figures)?;
    for goal in goals::of_elastic(&figures) {
        println!("{goal}");
    }
    Ok(())
}

/// Measures only the time and memory that the product needs in addition to the benchmarks it runs.
pub(crate) fn bench_orchestration(root: &Path) -> Result<()> {
    for goal in orchestration_goals(root) {
        println!("{goal}");
    }
    Ok(())
}

/// Measures only how fast configurations are chosen.
pub(crate) fn bench_reduce(root: &Path) -> Result<()> {
    for goal in measured(root, "reduce", reduce::measure) {
        println!("{goal}");
    }
    Ok(())
}

/// Measures only how fast steady states are labelled.
pub(crate) fn bench_steady(root: &Path) -> Result<()> {
    for goal in measured(root, "steady", steady::measure) {
        println!("{goal}");
    }
    Ok(())
}

fn orchestration_goals(root: &Path) -> Vec<Goal> {
    let mut goals = measured(root, "orchestration", orchestration::measure);
    goals.extend(measured(root, "commands", commands::measure));
    goals
}

/// The goals of a measurement. Skips it if it is not possible here.
fn measured(root: &Path, name: &str, measure: fn(&Path) -> Result<Vec<Goal>>) -> Vec<Goal> {
    println!("== {name}");
    measure(root).unwrap_or_else(|error| {
        println!("skipped: {error:#}");
        Vec::new()
    })
}

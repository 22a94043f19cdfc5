//! The command `cargo xtask verdicts`.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::experiment::Experiment;
use super::load::{Load, work};
use super::{moved, prepare, report, same, slower, suites};
use xtask::flags::Flags;

const USAGE: &str = "\
usage: cargo xtask verdicts COMMAND [--dir DIR]

  prepare  [--suites A,B]             repositories of real suites below DIR [target/verdicts]
  same     --load idle|loaded         compare suites with themselves
           [--pairs 300] [--most 12] [--iteration-time 50ms] [--iterations N] [--budget-total 40m] [--suites A,B]
  slower   [--count 30] [--effect 5%] slow functions down and see whether it is found
           [--iteration-time 100ms] [--budget-total 40m] [--suites A,B]
  moved    [--variants 3] [--most 12] move code without changing it; what is flagged, with and without layouts
           [--layouts 0,default] [--iteration-time 100ms] [--iterations N] [--budget-total 40m] [--suites A,B]
  targets  [--suites A,B]             functions that could be slowed down
  report                              the tables so far

`same`, `slower` and `moved` append to DIR/same.ndjson, slower.ndjson and moved.ndjson and go on where they stopped.";

/// Runs one of the commands.
pub(crate) fn verdicts(root: &Path, arguments: &[String]) -> Result<()> {
    let Some((command, rest)) = arguments.split_first() else { bail!("find a command\n{USAGE}") };
    match command.as_str() {
        "prepare" => {
            let flags = Flags::parse(rest, &["dir", "suites"])?;
            prepare::prepare(root, &directory(root, &flags)?, &suites::named(flags.text("suites"))?)
        }
        "same" => {
            let known =
                ["dir", "suites", "load", "pairs", "most", "iteration-time", "iterations", "budget-total"];
            let flags = Flags::parse(rest, &known)?;
            let plan = same::Plan {
                load: Load::named(flags.text("load").unwrap_or("idle"))?,
                pairs: flags.number("pairs", 300)?,
                most: flags.number("most", 12)?,
            };
            same::same(&experiment(root, &flags)?, &plan)
        }
        "slower" => {
            let known = ["dir", "suites", "count", "effect", "iteration-time", "budget-total"];
            let flags = Flags::parse(rest, &known)?;
            let plan =
                slower::Plan { count: flags.number("count", 30)?, effect: flags.ratio("effect", 0.05)? };
            slower::slower(&experiment(root, &flags)?, &plan)
        }
        "moved" => {
            let known = [
                "dir",
                "suites",
                "variants",
                "most",
                "layouts",
                "iteration-time",
                "iterations",
                "budget-total",
            ];
            let flags = Flags::parse(rest, &known)?;
            let layouts = flags.text("layouts").unwrap_or("0,default").split(',').map(str::to_owned);
            let plan = moved::Plan {
                variants: flags.number("variants", 3)?,
                most: flags.number("most", 12)?,
                layouts: layouts.collect(),
            };
            moved::moved(&experiment(root, &flags)?, &plan)
        }
        "targets" => {
            let flags = Flags::parse(rest, &["dir", "suites"])?;
            slower::print_targets(&experiment(root, &flags)?)
        }
        "report" => report::report(&directory(root, &Flags::parse(rest, &["dir"])?)?),
        "work" => work(Flags::parse(rest, &["seed"])?.number("seed", 0)?),
        other => bail!("no such command `{other}`\n{USAGE}"),
    }
}

fn experiment(root: &Path, flags: &Flags) -> Result<Experiment> {
    let dir = directory(root, flags)?;
    let wanted = suites::named(flags.text("suites"))?;
    let mut options = Vec::new();
    for name in ["iterations", "iteration-time"] {
        if let Some(value) = flags.text(name) {
            options.extend([format!("--{name}"), value.to_string()]);
        }
    }
    Experiment::new(root, dir, wanted, options, flags.duration("budget-total")?)
}

/// The directory for all files of the trials.
fn directory(root: &Path, flags: &Flags) -> Result<PathBuf> {
    let dir = flags.text("dir").map_or_else(|| root.join("target/verdicts"), PathBuf::from);
    Ok(std::path::absolute(dir)?)
}

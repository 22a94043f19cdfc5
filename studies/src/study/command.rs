//! The command `cargo xtask study`.

use std::path::Path;

use anyhow::{Result, bail};

use super::{elastic, for_compare, labels, uoptime, warmup};

const USAGE: &str = "\
usage: cargo xtask study COMMAND

  uoptime [--data DIR] [--out FILE] [--jobs N]
          the study of µOpTime on its own data (default: $BENCHWRIGHT_DATA or ../shared/data), printed and written to
          docs/studies/uoptime.md with its pictures beside it
  for-compare [--data DIR] [--repeats N] [--seed N] [--only go|jmh]
          plans made for comparisons against µOpTime's configurations, where the truth is known; docs/studies/for-compare.md
  elastic [--data DIR] [--seed N]
          agreement of runs on recorded data, and cost, time and errors of a simulated function platform with 100 to 10,000
          benchmarks on 1 to 10,000 instances; docs/studies/elastic.md with its pictures beside it
  labels [--data DIR] [--jobs N] [--every N] [--extent labels|all]
          steady-state labels of recorded processes beside those of their authors; with --every N of each N-th process, with --extent all also
          with our default treatment of no variance, and Barrett's classes
  warmup [--data DIR] [--out FILE] [--stops DIR] [--jobs N] [--draws N]
          the study of Traini et al. 2024 on its own data, with our rules; docs/studies/warmup.md and its pictures, and where every
          rule stops every process (default: target/warmup-stops)";

/// Runs one study.
pub(crate) fn study(root: &Path, arguments: &[String]) -> Result<()> {
    match arguments.split_first().map(|(name, rest)| (name.as_str(), rest)) {
        Some(("uoptime", rest)) => uoptime::study(root, rest),
        Some(("for-compare", rest)) => for_compare::study(root, rest),
        Some(("elastic", rest)) => elastic::study(root, rest),
        Some(("labels", rest)) => labels::study(root, rest),
        Some(("warmup", rest)) => warmup::study(root, rest),
        None | Some(("help" | "--help" | "-h", _)) => {
            println!("{USAGE}");
            Ok(())
        }
        Some((other, _)) => bail!("no such study `{other}`\n{USAGE}"),
    }
}

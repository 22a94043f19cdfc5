//! Arguments of `benchwright agree`.

use benchwright_report::agreement;
use clap::Args;

use super::{Output, ending, offering};

#[derive(Debug, Clone, Default, Args)]
#[command(mut_arg("format", |arg| offering(arg, &agreement::FORMATS)))]
#[command(mut_arg("output", |arg| ending(arg, ".json .md .csv .txt")))]
pub(crate) struct AgreeArgs {
    /// Two runs of the same comparison: stored comparisons (id, first letters of it, or `latest`), or files with the
    /// raw samples of both versions (`export --format samples-json`). Or four result files in any known format: base
    /// and head of the first run, then base and head of the second
    #[arg(required = true, num_args = 2..=4, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// How a change is recognised: by the stored verdicts of each run (verdicts), or by a 99 % bootstrap interval of
    /// the ratio of medians that excludes zero (medians; Schirmer et al. 2024)
    #[arg(long, value_name = "WHAT", default_value = "verdicts", value_parser = ["verdicts", "medians"])]
    pub(crate) by: String,
    /// Report how many results each run needs for intervals of this width (upper minus lower end), e.g. 2%
    /// [default: report how many the second run needs for intervals as wide as the first run's]
    #[arg(long, value_name = "RATIO")]
    pub(crate) wanted_interval: Option<String>,
    /// Leave out benchmarks with fewer results than this in one of the runs [default: 10 with --by medians, otherwise 1]
    #[arg(long, value_name = "N")]
    pub(crate) min_results: Option<u32>,
    /// Only benchmarks whose `package:name` matches this regular expression
    #[arg(short, long, value_name = "REGEX")]
    pub(crate) filter: Option<String>,
    /// Leave out benchmarks whose `package:name` matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) skip: Option<String>,
    /// Seed for resampling
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) output: Output,
}

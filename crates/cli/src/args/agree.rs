//! What can be typed after `benchwright agree`.

use benchwright_report::agreement;
use clap::Args;

use super::{Output, ending, offering};

#[derive(Debug, Clone, Default, Args)]
#[command(mut_arg("format", |arg| offering(arg, &agreement::FORMATS)))]
#[command(mut_arg("output", |arg| ending(arg, ".json .md .csv .txt")))]
pub(crate) struct AgreeArgs {
    /// Two runs of the same comparison: stored comparisons by id, the beginning of one, or `latest`, or files of
    /// raw samples with both versions (`export --format samples-json`). Or four files of results in any known
    /// format: base and head of the first, base and head of the second
    #[arg(required = true, num_args = 2..=4, value_name = "RUN")]
    pub(crate) runs: Vec<String>,
    /// What counts as a change found: what each run's own rule said (verdicts), or a 99 % bootstrap interval of the
    /// ratio of medians that excludes zero (medians; Schirmer et al. 2024)
    #[arg(long, value_name = "WHAT", default_value = "verdicts", value_parser = ["verdicts", "medians"])]
    pub(crate) by: String,
    /// How small intervals should be, upper minus lower end, e.g. 2%: how many results each run takes for it
    /// [default: how many the second run takes for the size of the first's]
    #[arg(long, value_name = "RATIO")]
    pub(crate) wanted_interval: Option<String>,
    /// Leave out benchmarks with fewer results in one of the runs [default: 10 by medians, otherwise 1]
    #[arg(long, value_name = "N")]
    pub(crate) min_results: Option<u32>,
    /// Only benchmarks whose `package:name` matches this regular expression
    #[arg(short, long, value_name = "REGEX")]
    pub(crate) filter: Option<String>,
    /// Not benchmarks whose `package:name` matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pub(crate) skip: Option<String>,
    /// For resampling
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) output: Output,
}

//! `compare --resume` and `run --resume`: the flags of the resumed run, and those that may be given again.
//!
//! Flags that only affect how stored results are judged, shown or limited are used as they are typed now.
//! Flags that would change the measurement are an error, unless they equal the flags with which the run
//! began. No flag is ever ignored silently.

use std::ffi::OsString;

use benchwright_session::Problem;
use benchwright_session::keep::{self, OpenedJournal};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};

use crate::args::{Cli, Command, CompareArgs, Global, Measuring, RunArgs};

/// Flags that are used as they are typed now, by their names in [`CompareArgs`].
const HONOURED: [&str; 16] = [
    "threshold",
    "fail_threshold",
    "fail_on",
    "require_decided",
    "budget",
    "wait",
    "no_wait",
    "max_cost",
    "format",
    "output",
    "dry_run",
    "resume",
    "directory",
    "config",
    "colour",
    "quiet",
];

/// Those flags that change verdicts. If the comparison is interrupted again, they must be given again.
const JUDGING: [&str; 4] = ["threshold", "fail_threshold", "fail_on", "require_decided"];

/// The arguments of the comparison to continue, its journal, and the flags to type in addition to `--resume`
/// if it is interrupted again. Without `--resume`, the arguments as they are.
pub(crate) fn resumed(
    global: &Global,
    args: &CompareArgs,
) -> Result<(CompareArgs, Option<OpenedJournal>, String), Problem> {
    let Some(asked) = &args.resume else { return Ok((args.clone(), None, String::new())) };
    let mut opened = keep::open_journal(&global.workspace(), asked)?;
    let original = match crate::parse(&opened.content) {
        Some(Command::Compare(original)) => original,
        // The demo is a comparison under another name.
        Some(Command::Demo(demo)) => crate::commands::demo::comparison(&demo),
        _ => {
            let error = format!("resume run {}", opened.content.header.run.id);
            return Err(Problem::misuse(error, "it is not a comparison; try `benchwright run --resume`"));
        }
    };
    let now = Typed::of(std::env::args_os());
    let then = Typed::of(keep::original_command(&opened.content).unwrap_or_default());
    let may = "--threshold, --fail-threshold, --fail-on, --require-decided, --budget, --wait, --max-cost, --format, --output and \
               --dry-run may be given again; `benchwright show RUN --all` shows every row";
    check(&opened, now.refused(&then), may)?;
    // If only one is given, the other one follows from it. A run stores both in its settings.
    if ["threshold", "fail_threshold"].iter().any(|id| now.values(id).is_some()) {
        opened.changed = vec!["threshold", "fail-threshold"];
    }
    let seed = opened.content.header.run.seed;
    Ok((going_on(original, args, seed), Some(opened), now.again()))
}

/// The arguments of the run to continue, and its journal. Without `--resume`, the arguments as they are.
pub(crate) fn resumed_run(
    global: &Global,
    args: &RunArgs,
) -> Result<(RunArgs, Option<OpenedJournal>), Problem> {
    let Some(asked) = &args.resume else { return Ok((args.clone(), None)) };
    let opened = keep::open_journal(&global.workspace(), asked)?;
    let seed = opened.content.header.run.seed;
    match crate::parse(&opened.content) {
        Some(Command::Run(original)) => {
            check_run(&opened)?;
            let measuring = going_on_measuring(&original.measuring, &args.measuring, seed);
            let (output, dry_run) = (args.output.clone(), args.dry_run);
            Ok((RunArgs { measuring, output, dry_run, resume: None, ..original }, Some(opened)))
        }
        _ => {
            let error = format!("resume run {}", opened.content.header.run.id);
            Err(Problem::misuse(error, "it is a comparison; try `benchwright compare --resume`"))
        }
    }
}

/// Returns an error for flags of `run --resume` that would change the measurement.
fn check_run(opened: &OpenedJournal) -> Result<(), Problem> {
    let now = Typed::of(std::env::args_os());
    let then = Typed::of(keep::original_command(&opened.content).unwrap_or_default());
    check(opened, now.refused(&then), "--budget, --wait, --format, --output and --dry-run may be given again")
}

fn check(opened: &OpenedJournal, refused: Vec<String>, may: &str) -> Result<(), Problem> {
    if refused.is_empty() {
        return Ok(());
    }
    let (run, refused) = (&opened.content.header.run.id, refused.join(", "));
    let error = format!("resume run {run} with {refused}: that would change what is measured");
    Err(Problem::misuse(error, format!("leave it out or start a new run; {may}")))
}

/// The original arguments with the flags that were given again.
fn going_on(original: CompareArgs, now: &CompareArgs, seed: u64) -> CompareArgs {
    let mut args = CompareArgs { output: now.output.clone(), dry_run: now.dry_run, resume: None, ..original };
    let anew = [
        (&mut args.verdict.threshold, &now.verdict.threshold),
        (&mut args.verdict.fail_threshold, &now.verdict.fail_threshold),
        (&mut args.verdict.require_decided, &now.verdict.require_decided),
        (&mut args.place.max_cost, &now.place.max_cost),
    ];
    for (then, now) in anew.into_iter().filter(|(_, now)| now.is_some()) {
        then.clone_from(now);
    }
    if !now.verdict.fail_on.is_empty() {
        args.verdict.fail_on.clone_from(&now.verdict.fail_on);
    }
    args.measuring = going_on_measuring(&args.measuring, &now.measuring, seed);
    args
}

/// The measuring arguments of a resumed run: the original ones, except for time limits, which are taken from
/// the new arguments.
fn going_on_measuring(original: &Measuring, now: &Measuring, seed: u64) -> Measuring {
    Measuring {
        seed: Some(seed),
        budget: now.budget.clone().or_else(|| original.budget.clone()),
        wait: now.wait.clone(),
        no_wait: now.no_wait,
        ..original.clone()
    }
}

/// The flags that were typed: the command and its parsed arguments. Empty if unknown.
#[derive(Default)]
struct Typed {
    command: String,
    matches: Option<ArgMatches>,
}

impl Typed {
    fn of(command_line: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Typed {
        let matches = Cli::command().try_get_matches_from(command_line).ok();
        match matches.and_then(|mut matches| matches.remove_subcommand()) {
            Some((command, matches)) => Typed { command, matches: Some(matches) },
            None => Typed::default(),
        }
    }

    /// The values of a flag. `None` if it was not typed.
    fn values(&self, id: &str) -> Option<Vec<OsString>> {
        let matches = self.matches.as_ref()?;
        // Clap panics if the command has no such flag.
        let is_typed = matches.ids().any(|known| known == id)
            && matches.value_source(id) == Some(ValueSource::CommandLine);
        is_typed.then(|| matches.get_raw(id).unwrap_or_default().map(OsString::from).collect())
    }

    /// The flags that would change the measurement and differ from `then`, as they are typed.
    fn refused(&self, then: &Typed) -> Vec<String> {
        let is_refused = |id: &str| {
            let values = self.values(id);
            !HONOURED.contains(&id) && values.is_some() && values != then.values(id)
        };
        let refused = self.flags().into_iter().filter(|(id, _)| is_refused(id));
        refused.map(|(_, name)| format!("`{name}`")).collect()
    }

    /// The judging flags, to be typed again, each preceded by a blank.
    fn again(&self) -> String {
        let of = |(id, name): (String, String)| {
            let values = self.values(&id).filter(|_| JUDGING.contains(&id.as_str()))?;
            let values: Vec<String> =
                values.iter().map(|value| value.to_string_lossy().into_owned()).collect();
            Some(format!(" {name} {}", values.join(",")))
        };
        self.flags().into_iter().filter_map(of).collect()
    }

    /// Every argument of the command: its name, and how it is typed.
    fn flags(&self) -> Vec<(String, String)> {
        let mut cli = Cli::command();
        cli.build();
        let Some(command) = cli.find_subcommand(&self.command) else { return Vec::new() };
        let name = |arg: &clap::Arg| match arg.get_long() {
            Some(long) => format!("--{long}"),
            None if arg.is_last_set() => "--".to_owned(),
            None => arg.get_id().to_string(),
        };
        command.get_arguments().map(|arg| (arg.get_id().to_string(), name(arg))).collect()
    }
}

#[cfg(test)]
mod tests;

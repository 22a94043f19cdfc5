use std::collections::BTreeSet;

use clap::{Arg, Parser};

use super::*;

/// All flags that are refused. A new flag of `compare` has to be added to one of the tables.
const REFUSED: [&str; 51] = [
    "base",
    "head",
    "against",
    "rev",
    "filter",
    "skip",
    "harness",
    "build_arg",
    "harness_args",
    "command",
    "command_name",
    "build_command",
    "setup",
    "prepare",
    "conclude",
    "cleanup",
    "parameter_scan",
    "parameter_list",
    "shell",
    "input",
    "warmup_runs",
    "runs",
    "ignore_failure",
    "rule",
    "confirm",
    "duets",
    "min_duets",
    "max_duets",
    "layouts",
    "quick",
    "injected",
    "iterations",
    "iteration_time",
    "warmup_time",
    "stop",
    "stop_models",
    "max_warmup",
    "trial_timeout",
    "trial_memory",
    "seed",
    "cores",
    "niceness",
    "plan",
    "no_plan",
    "on",
    "fallback",
    "architecture",
    "pairing",
    "max_benchmarks",
    "max_values",
    "max_file_size",
];

/// A flag that shows more and also measures more.
const ALL: &str = "all";

fn arguments() -> Vec<Arg> {
    let mut cli = Cli::command();
    cli.build();
    let compare = cli.find_subcommand("compare").expect("a command");
    compare.get_arguments().filter(|arg| arg.get_id() != "help").cloned().collect()
}

/// A command line that resumes a run and also has this argument, with a valid value.
fn typed(arg: &Arg, value: &str) -> Vec<String> {
    let mut line = vec!["benchwright".to_owned(), "compare".into(), "--resume".into()];
    let is_of_command = arg.get_help_heading() == Some("Commands") && arg.get_id() != "command";
    if is_of_command {
        line.extend(["--command".into(), "true".into()]);
    }
    let choices = arg.get_possible_values();
    let value = choices.first().map_or(value, |choice| choice.get_name());
    let count =
        if arg.get_action().takes_values() { arg.get_num_args().map_or(1, |n| n.min_values()) } else { 0 };
    match arg.get_long() {
        Some(long) => line.push(format!("--{long}")),
        None => line.push("--".into()),
    }
    line.extend((0..count).map(|_| value.to_owned()));
    line
}

fn parsed(line: &[String]) -> CompareArgs {
    let cli = Cli::try_parse_from(line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
    let Command::Compare(args) = cli.command else { panic!("{line:?}") };
    args
}

#[test]
fn every_flag_of_compare_is_honoured_or_refused() {
    let there: BTreeSet<String> = arguments().iter().map(|arg| arg.get_id().to_string()).collect();
    let tables: BTreeSet<String> =
        HONOURED.iter().chain(&REFUSED).chain([&ALL]).map(|id| (*id).to_owned()).collect();
    assert_eq!(there, tables, "put a new flag into HONOURED or REFUSED");
    assert_eq!(tables.len(), HONOURED.len() + REFUSED.len() + 1, "none is in both");
}

#[test]
fn what_would_change_the_measurement_is_refused_by_name_unless_it_is_as_it_was() {
    let began = Typed::of(["benchwright", "compare", "base"]);
    for arg in arguments() {
        let id = arg.get_id().as_str();
        // These cannot be combined with --resume at all.
        if ["base", "head", "against", "resume"].contains(&id) {
            continue;
        }
        let line = typed(&arg, "1");
        let now = Typed::of(&line);
        assert!(now.values(id).is_some(), "{line:?}");
        let refused = now.refused(&began);
        let name = arg.get_long().map_or("`--`".to_owned(), |long| format!("`--{long}`"));
        assert_eq!(refused.contains(&name), !HONOURED.contains(&id), "{id}: {refused:?}");
        let same: Vec<String> = line.iter().filter(|word| *word != "--resume").cloned().collect();
        let same: Vec<String> = [&same[..2], &["base".to_owned()], &same[2..]].concat();
        assert_eq!(now.refused(&Typed::of(&same)), Vec::<String>::new(), "{id} as it was");
        let other = typed(&arg, "2");
        if !HONOURED.contains(&id) && other != line {
            assert_eq!(Typed::of(other).refused(&Typed::of(&same)), [name], "{id} with another value");
        }
    }
}

#[test]
fn what_is_honoured_holds() {
    let original = parsed(&["benchwright", "compare", "base", "--wait", "9m"].map(String::from));
    let without =
        going_on(original.clone(), &parsed(&["benchwright", "compare", "--resume"].map(String::from)), 7);
    assert_eq!(without.measuring.seed, Some(7));
    // The values of global flags are taken from the command line itself.
    let elsewhere = ["resume", "directory", "config", "colour", "quiet"];
    for arg in arguments() {
        let id = arg.get_id().as_str();
        if HONOURED.contains(&id) && !elsewhere.contains(&id) {
            let with = going_on(original.clone(), &parsed(&typed(&arg, "1")), 7);
            assert_ne!(format!("{with:?}"), format!("{without:?}"), "{id} is dropped");
        }
    }
}

#[test]
fn a_demo_goes_on_like_a_comparison() {
    let demo = Typed::of(["benchwright", "demo", "--seed", "7"]);
    let now = |seed: &str| Typed::of(["benchwright", "compare", "--resume", "--seed", seed]);
    assert_eq!(now("7").refused(&demo), Vec::<String>::new());
    assert_eq!(now("8").refused(&demo), ["`--seed`"]);
    let iterations = Typed::of(["benchwright", "compare", "--resume", "--iterations", "3"]);
    assert_eq!(iterations.refused(&demo), ["`--iterations`"]);
}

#[test]
fn judging_flags_are_to_be_typed_again() {
    let line =
        ["benchwright", "compare", "--resume", "--threshold", "9%", "--fail-on", "slower,undecided", "-q"];
    assert_eq!(Typed::of(line).again(), " --threshold 9% --fail-on slower,undecided");
}

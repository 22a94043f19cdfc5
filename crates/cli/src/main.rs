//! The program `benchwright`: the only crate that prints and exits.
//!
//! 1. [`args`] defines the command line;
//! 2. [`flags`] turns it into a request for a session;
//! 3. each file of [`commands`] is one command: it calls `benchwright-session` and prints the result;
//! 4. [`exit`] computes the exit code.
//!
//! Before anything else, the program checks whether it was started to drive a trial of a command ([`take_over`]).

mod args;
mod command_flags;
mod commands;
mod dry_run;
mod exit;
mod flags;
mod log_lines;
mod output;
mod progress;
mod resume;
mod terminal;

use std::io::Write;
use std::process::ExitCode;

use benchwright_session::{Problem, keep, slurm, take_over};
use clap::Parser;

use args::{Cli, Command};
use exit::Outcome;
use terminal::Terminal;

fn main() -> ExitCode {
    if let Some(code) = take_over() {
        return code;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let error = args::suggesting(error);
            // Help and version are not errors; clap knows the right stream for them.
            let _ = error.print();
            return if error.use_stderr() { Outcome::MISUSED.into() } else { Outcome::default().into() };
        }
    };
    match run(&cli) {
        Ok(outcome) => {
            outcome.tell(Terminal::new(&cli.global));
            outcome.into()
        }
        Err(problem) => {
            let _ = writeln!(anstream::stderr(), "{}", benchwright_report::visible(&problem.text()));
            Outcome::from(&problem).into()
        }
    }
}

fn run(cli: &Cli) -> Result<Outcome, Problem> {
    let global = &cli.global;
    match &cli.command {
        Command::Compare(args) => commands::compare::run(global, args),
        Command::Run(args) => commands::run::run(global, args),
        Command::Reduce(args) => commands::reduce::run(global, args),
        Command::List(args) => commands::list::run(global, args),
        Command::Show(args) => commands::show::run(global, args),
        Command::Agree(args) => commands::agree::run(global, args),
        Command::Grade(args) => commands::grade::run(global, args),
        Command::Select(args) => commands::grade::select(global, args),
        Command::Accept(args) => commands::accept::run(global, args),
        Command::Import(args) => commands::import::run(global, args),
        Command::Export(args) => commands::export::run(global, args),
        Command::Steady(args) => commands::steady::run(global, args),
        Command::Deploy(args) => commands::platform::deploy(global, args),
        Command::Teardown(args) => commands::platform::teardown(global, args),
        Command::Doctor(args) => commands::doctor::run(global, args),
        Command::Init(args) => commands::init::run(global, args),
        Command::Demo(args) => commands::demo::run(global, args),
        Command::Completions { shell } => commands::manual::completions(*shell),
        Command::Man => commands::manual::page(),
        Command::SlurmTask(args) => slurm::task(&args.dir, &args.array).map(|()| Outcome::default()),
    }
}

/// The command a journal was begun with.
fn parse(content: &benchwright_store::JournalContent) -> Option<Command> {
    let arguments = keep::original_command(content)?;
    Some(Cli::try_parse_from(arguments).ok()?.command)
}

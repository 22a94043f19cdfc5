//! Shell completions and the manual page, made from the command line's own definition.

use clap::CommandFactory;

use crate::args::Cli;
use crate::exit::Outcome;
use crate::problem::Problem;
use crate::terminal::print;

/// Prints completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<Outcome, Problem> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "benchwright", &mut text);
    print(|out| out.write_all(&text))?;
    Ok(Outcome::default())
}

/// Prints the manual page, all commands in one.
pub(crate) fn page() -> Result<Outcome, Problem> {
    let mut text = Vec::new();
    let command = Cli::command();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    for subcommand in command.get_subcommands() {
        let title = format!("benchwright {}", subcommand.get_name());
        clap_mangen::Man::new(subcommand.clone()).title(title).render(&mut text)?;
    }
    print(|out| out.write_all(&text))?;
    Ok(Outcome::default())
}

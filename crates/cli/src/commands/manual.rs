//! Shell completions and the manual page, generated from the definition of the command line.

use clap::CommandFactory;

use crate::args::Cli;
use crate::exit::Outcome;
use crate::terminal::print;
use benchwright_session::Problem;

/// Prints completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<Outcome, Problem> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "benchwright", &mut text);
    print(|out| out.write_all(&text))?;
    Ok(Outcome::default())
}

/// Prints the manual page, all commands in one.
pub(crate) fn page() -> Result<Outcome, Problem> {
    let command = Cli::command();
    print(|out| {
        clap_mangen::Man::new(command.clone()).render(out)?;
        command.get_subcommands().try_for_each(|subcommand| {
            let title = format!("benchwright {}", subcommand.get_name());
            clap_mangen::Man::new(subcommand.clone()).title(title).render(out)
        })
    })?;
    Ok(Outcome::default())
}

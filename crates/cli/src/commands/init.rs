//! `benchwright init`: writes a short configuration, with everything else commented out.

use benchwright_config::{FILE_NAME, initial_file};

use crate::args::{Global, InitArgs};
use crate::exit::Outcome;
use crate::terminal::Terminal;
use benchwright_session::Problem;

/// Writes a configuration that changes nothing, in the repository's root or in the current directory.
pub(crate) fn run(global: &Global, args: &InitArgs) -> Result<Outcome, Problem> {
    let here = global.workspace().directory()?;
    let repository = benchwright_runner::Repository::discover(&here).ok();
    let root = repository.and_then(|repository| repository.root().map(ToOwned::to_owned)).unwrap_or(here);
    let path = root.join(FILE_NAME);
    if path.exists() && !args.force {
        let error = format!("`{}` exists already", path.display());
        return Err(Problem::misuse(error, "--force overwrites it"));
    }
    crate::output::to_file(&path, |out| out.write_all(initial_file().as_bytes()))?;
    let terminal = Terminal::new(global);
    terminal.say(&format!(
        "wrote {}: all settings have their defaults; edit the file to change them",
        path.display()
    ));
    terminal.say("next: benchwright compare HEAD~1");
    Ok(Outcome::default())
}

//! `benchwright deploy` and `benchwright teardown`.

use std::collections::BTreeSet;
use std::io::Write;

use benchwright_config::Layer;
use benchwright_places::lambda::{self, Account, Found, LambdaSettings};

use crate::args::{DeployArgs, Global, TeardownArgs};
use crate::exit::Outcome;
use crate::terminal::{Terminal, print};
use benchwright_session::Problem;
use benchwright_session::lambda::{architecture, settings};
use benchwright_session::project::settings_anywhere;

/// Creates what comparisons on AWS Lambda need, or shows it.
pub(crate) fn deploy(global: &Global, args: &DeployArgs) -> Result<Outcome, Problem> {
    if args.policy {
        print(|out| writeln!(out, "{}", lambda::policy()))?;
        return Ok(Outcome::default());
    }
    let mut flags = Layer::default();
    if let Some(architecture) = &args.architecture {
        flags.set("lambda.architecture", architecture)?;
    }
    let (terminal, settings, sizes) = configured(global, flags)?;
    let account = Account::open(&settings)?;
    if args.list {
        let found = lambda::list(&account)?;
        print(|out| list(&found, account.region(), out))?;
        return Ok(Outcome::default());
    }
    let image = lambda::find_image(args.function.as_deref(), architecture(&settings)?)?;
    terminal.say(&format!(
        "the function: {} bytes, {} packed, for {}",
        image.program_bytes,
        image.zip.len(),
        image.architecture
    ));
    for memory in sizes {
        let settings = LambdaSettings { memory, ..settings.clone() };
        let deployed =
            lambda::deploy(&account, &settings, &image, &mut |made| terminal.say(&format!("made {made}")))?;
        let news = if deployed.made.is_empty() { "everything was there: " } else { "" };
        print(|out| {
            writeln!(out, "{news}function {} with {memory} MB in {}", deployed.function, account.region())
        })?;
    }
    Ok(Outcome::default())
}

/// Removes what `deploy` created.
pub(crate) fn teardown(global: &Global, args: &TeardownArgs) -> Result<Outcome, Problem> {
    let (terminal, settings, _) = configured(global, Layer::default())?;
    let account = Account::open(&settings)?;
    if args.dry_run {
        let found = lambda::list(&account)?;
        print(|out| list(&found, account.region(), out))?;
        return Ok(Outcome::default());
    }
    let removed = lambda::teardown(&account, &mut |gone| terminal.say(&format!("removed {gone}")))?;
    print(|out| match removed.len() {
        0 => writeln!(out, "nothing of benchwright's is in {}", account.region()),
        count => writeln!(out, "removed {count} in {}", account.region()),
    })?;
    Ok(Outcome::default())
}

/// The settings, and the memory sizes that functions need.
fn configured(global: &Global, flags: Layer) -> Result<(Terminal, LambdaSettings, BTreeSet<u32>), Problem> {
    let mut terminal = Terminal::new(global);
    let all = settings_anywhere(&global.workspace(), flags, &mut terminal)?;
    Ok((terminal, settings(&all), all.lambda.sizes()))
}

fn list(found: &[Found], region: &str, out: &mut dyn Write) -> std::io::Result<()> {
    if found.is_empty() {
        return writeln!(out, "nothing of benchwright's is in {region}");
    }
    found.iter().try_for_each(|found| writeln!(out, "{}  ({})", found.resource, found.details))
}

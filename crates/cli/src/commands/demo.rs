//! `benchwright demo`: the main command on a bundled example.
//!
//! The example is a small Rust library without dependencies, as a git repository with two commits. In the
//! second one a function is really slower, one is faster, and the others are unchanged.

use std::fs;
use std::path::{Path, PathBuf};

use crate::args::{CompareArgs, DemoArgs, Global};
use crate::commands::compare;
use crate::exit::Outcome;
use crate::terminal::Terminal;
use benchwright_session::outside::git;
use benchwright_session::{Problem, because};

/// The first version's files.
const BASE: [(&str, &str); 9] = [
    ("Cargo.toml", include_str!("../../../../examples/demo/base/Cargo.toml")),
    ("Cargo.lock", include_str!("../../../../examples/demo/base/Cargo.lock")),
    (".gitignore", include_str!("../../../../examples/demo/base/.gitignore")),
    ("src/lib.rs", include_str!("../../../../examples/demo/base/src/lib.rs")),
    ("src/count.rs", include_str!("../../../../examples/demo/base/src/count.rs")),
    ("src/order.rs", include_str!("../../../../examples/demo/base/src/order.rs")),
    ("src/search.rs", include_str!("../../../../examples/demo/base/src/search.rs")),
    ("src/slug.rs", include_str!("../../../../examples/demo/base/src/slug.rs")),
    ("benches/words.rs", include_str!("../../../../examples/demo/base/benches/words.rs")),
];

/// The changes in the second version: `count_words` is faster, `slug` slower.
const HEAD: [(&str, &str); 2] = [
    ("src/count.rs", include_str!("../../../../examples/demo/head/src/count.rs")),
    ("src/slug.rs", include_str!("../../../../examples/demo/head/src/slug.rs")),
];

/// Makes the example repository and compares its two commits.
pub(crate) fn run(global: &Global, args: &DemoArgs) -> Result<Outcome, Problem> {
    let terminal = Terminal::new(global);
    let dir = make_directory(args.keep.as_deref())?;
    commit(&dir, &BASE, "Small text tools")?;
    commit(&dir, &HEAD, "Count words without allocating; lower case beyond ASCII in slugs")?;
    let page = dir.join("report.html");
    terminal.say(&format!("a Rust library with 7 benchmarks and two commits, in {}", dir.display()));
    terminal.say("running: benchwright compare HEAD~1 HEAD --output report.html\n");
    let mut compare_args = comparison(args);
    compare_args.output.output = vec![page.clone()];
    let inside =
        Global { directory: Some(dir.clone()), config: None, colour: global.colour, quiet: global.quiet };
    let outcome = compare::run(&inside, &compare_args)?;
    if outcome.failed {
        // Hints on resuming apply in that directory.
        terminal.say(&format!("the example is in {}", dir.display()));
    }
    terminal.say(&format!("\nthe same as a page with plots: {}", page.display()));
    terminal.say(&format!("try more: cd {} && benchwright show latest", dir.display()));
    // The demo is meant to show a slowdown, so this is not a failure.
    Ok(Outcome { slower: false, ..outcome })
}

/// The comparison made by the demo, so that an interrupted one can be resumed.
pub(crate) fn comparison(args: &DemoArgs) -> CompareArgs {
    let mut compare_args =
        CompareArgs { base: Some("HEAD~1".into()), head: Some("HEAD".into()), ..CompareArgs::default() };
    compare_args.measuring.seed = args.seed;
    compare_args
}

fn make_directory(asked: Option<&Path>) -> Result<PathBuf, Problem> {
    let made = match asked {
        Some(dir) => fs::create_dir_all(dir).and_then(|()| fs::canonicalize(dir)),
        None => tempfile::Builder::new().prefix("benchwright-demo-").tempdir().map(tempfile::TempDir::keep),
    };
    let dir = made.map_err(|error| failed(error, "make a directory for the example"))?;
    if dir.join(".git").exists() {
        let error = format!("make the example in `{}`: there is a repository already", dir.display());
        return Err(Problem::misuse(error, "choose an empty directory with --keep"));
    }
    git(&dir, &["init", "--quiet"])?;
    Ok(dir)
}

fn commit(dir: &Path, files: &[(&str, &str)], message: &str) -> Result<(), Problem> {
    for (name, text) in files {
        let path = dir.join(name);
        let parent = path.parent().unwrap_or(dir);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| failed(error, &format!("write `{}`", path.display())))?;
    }
    git(dir, &["add", "--all"])?;
    git(dir, &["commit", "--quiet", "--message", message])
}

fn failed(error: std::io::Error, what: &str) -> Problem {
    Problem::failed(because(what.to_owned(), error), "")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    #[test]
    fn a_demo_goes_on_as_the_comparison_it_is() {
        let cli = Cli::try_parse_from(["benchwright", "demo", "--seed", "7"]).expect("a demo");
        let Command::Demo(args) = cli.command else { panic!("{:?}", cli.command) };
        let comparison = comparison(&args);
        assert_eq!((comparison.base.as_deref(), comparison.head.as_deref()), (Some("HEAD~1"), Some("HEAD")));
        assert_eq!(comparison.measuring.seed, Some(7));
    }
}

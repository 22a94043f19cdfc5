//! Links a test executable again with its functions in a random order.
//!
//! The linker draws the order of functions with `-randlayout`; functions of C code keep theirs. The first
//! time, the go command links: everything but the link comes from its build cache, it prints its call of the
//! linker, and it keeps the few input files. Every further relinking is that call alone, which takes a third
//! of the time.

use std::fs;
use std::path::Path;

use super::build::{COMPILING, Session};
use super::release::Release;
use super::toolchain;
use crate::{
    Architecture, HarnessError, RelinkRequest, Relinked, Step, StepOutput, StepRunner, function_order, steps,
};

/// The script that repeats the linker's call: `link.sh TARGET SEED`.
const SCRIPT: &str = "link.sh";

/// Whether the linker call is stored.
pub(super) fn is_prepared(keep: &Path) -> bool {
    keep.join(SCRIPT).exists()
}

/// Links the executable into `request.target`.
pub(super) fn relink(
    request: &RelinkRequest<'_>,
    target: Option<Architecture>,
    run: &mut dyn StepRunner,
) -> Result<Relinked, HarnessError> {
    if !link_again(request, target, run)?
        && let Some(reason) = link_first(request, target, run)?
    {
        return Ok(Relinked::Cannot(reason));
    }
    function_order::check(&request.build.out.join(&request.executable.path), request.target)
}

/// Repeats the linker call. Returns false if none is stored, or if it fails because files in Go's build cache
/// have been removed.
fn link_again(
    request: &RelinkRequest<'_>,
    target: Option<Architecture>,
    run: &mut dyn StepRunner,
) -> Result<bool, HarnessError> {
    if !is_prepared(request.keep) {
        return Ok(false);
    }
    let script = request.keep.join(SCRIPT);
    let args: [String; 3] = [
        script.to_string_lossy().into_owned(),
        request.target.to_string_lossy().into_owned(),
        seed(request.seed).to_string(),
    ];
    let step = steps::step(purpose(request), "sh", &args, request.build.root, COMPILING);
    // The linker reads its target from the environment.
    let step = Step { env: toolchain::target_variables(target), ..step };
    let output = toolchain::carry_out(run, &step)?;
    if output.status == 0 {
        return Ok(true);
    }
    // If it cannot be removed, it is written again.
    let _ = fs::remove_file(&script);
    Ok(false)
}

/// Makes the go command link, and stores the linker call. Returns why, if this is not possible.
fn link_first(
    request: &RelinkRequest<'_>,
    target: Option<Architecture>,
    run: &mut dyn StepRunner,
) -> Result<Option<String>, HarnessError> {
    let session = Session::start(&request.build, target, run)?;
    if session.release < Release::RANDOM_LAYOUT {
        let release = &session.release_text;
        return Ok(Some(format!("Go {release} cannot link in random order, Go 1.23 can")));
    }
    if !session.takes_linker_flags() {
        return Ok(Some("GOFLAGS has linker flags, which ours would replace".into()));
    }
    let drawn = format!("-randlayout={}", seed(request.seed));
    // Debug information is not needed here, and takes a third of the link time.
    let mut args = session.compile_args(&request.executable.package, request.target, &format!(" -w {drawn}"));
    let mut env = session.env.clone();
    // A failure only costs time: without the directory the go command links each time.
    if fs::create_dir_all(request.keep).is_ok() {
        args.splice(1..1, ["-x".to_owned(), "-work".to_owned()]);
        env.push(("GOTMPDIR".into(), request.keep.to_string_lossy().into_owned()));
    }
    let output = toolchain::go(run, &purpose(request), &args, &session.place.dir, COMPILING, &env)?;
    if let Some(script) = script(&output, &drawn) {
        let _ = fs::write(request.keep.join(SCRIPT), script);
    }
    Ok(None)
}

fn purpose(request: &RelinkRequest<'_>) -> String {
    format!("link package {} in another order", request.executable.package)
}

/// A shell script with the linker call that the go command printed. `None` if it does not look as expected.
fn script(output: &StepOutput, drawn: &str) -> Option<String> {
    let work = output.stderr.lines().find_map(|line| line.strip_prefix("WORK="))?;
    let is_link = |line: &&str| line.contains(" -importcfg $WORK/") && line.contains(drawn);
    let line = output.stderr.lines().rfind(is_link)?;
    let (before, after) = line.split_once(" -o $WORK/")?;
    let (_, after) = after.split_once(" -importcfg ")?;
    let after = after.replace(drawn, "-randlayout=\"$2\"");
    let work = work.replace('\'', r"'\''");
    Some(format!("WORK='{work}'\nexport WORK\n{before} -o \"$1\" -importcfg {after}\n"))
}

/// The linker takes a signed number, and 0 means no random order.
fn seed(seed: u64) -> u64 {
    (seed >> 1) | 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_steps::printed;

    #[test]
    fn every_seed_is_a_positive_signed_number() {
        let check = |from, expected| assert_eq!(seed(from), expected);
        check(0, 1);
        check(6, 3);
        check(u64::MAX, i64::MAX as u64);
    }

    fn told(stderr: &str) -> Option<String> {
        let output = StepOutput { stderr: stderr.to_owned(), ..printed("").unwrap() };
        script(&output, "-randlayout=9")
    }

    #[test]
    fn the_linkers_call_becomes_a_script() {
        let call = "GOROOT='/go' /go/link -o $WORK/b001/p.test -importcfg $WORK/b001/importcfg.link -randlayout=9 $WORK/b001/_pkg_.a";
        assert_eq!(
            told(&format!("WORK=/tmp/a'b\nmkdir -p $WORK/b001/\n{call}\nmv $WORK/b001/p.test p.test\n"))
                .unwrap(),
            "WORK='/tmp/a'\\''b'\nexport WORK\nGOROOT='/go' /go/link -o \"$1\" -importcfg $WORK/b001/importcfg.link \
             -randlayout=\"$2\" $WORK/b001/_pkg_.a\n"
        );
    }

    #[test]
    fn anything_else_becomes_none() {
        assert_eq!(told(""), None);
        assert_eq!(told("WORK=/tmp/a\n/go/link -o out -randlayout=9\n"), None);
        assert_eq!(told("/go/link -o $WORK/p -importcfg $WORK/i -randlayout=9\n"), None);
        assert_eq!(told("WORK=/tmp/a\n/go/link -o $WORK/p -importcfg $WORK/i -randlayout=8\n"), None);
    }
}

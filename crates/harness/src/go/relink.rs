//! Links a test executable again with its functions in a random order.
//!
//! Everything but the link comes from Go's build cache. The order of functions is what the linker's `-randlayout` draws;
//! functions of C code keep theirs.

use super::build::{COMPILING, Session};
use super::release::Release;
use super::toolchain;
use crate::{HarnessError, RelinkRequest, Relinked, StepRunner, function_order};

/// Links the executable into `request.target`.
pub(super) fn relink(
    request: &RelinkRequest<'_>,
    run: &mut dyn StepRunner,
) -> Result<Relinked, HarnessError> {
    let session = Session::start(&request.build, run)?;
    if session.release < Release::RANDOM_LAYOUT {
        let release = &session.release_text;
        return Ok(Relinked::Cannot(format!("Go {release} cannot link in random order, Go 1.23 can")));
    }
    if !session.takes_linker_flags() {
        return Ok(Relinked::Cannot("GOFLAGS has linker flags, which ours would replace".into()));
    }
    let package = &request.executable.package;
    let purpose = format!("link package {package} in another order");
    let layout = format!(" -randlayout={}", seed(request.seed));
    let args = session.compile_args(package, request.target, &layout);
    toolchain::go(run, &purpose, &args, &session.place.dir, COMPILING, &session.env)?;
    function_order::check(&request.build.out.join(&request.executable.path), request.target)
}

/// The linker takes a signed number, and 0 means no random order.
fn seed(seed: u64) -> u64 {
    (seed >> 1) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_is_a_positive_signed_number() {
        let check = |from, expected| assert_eq!(seed(from), expected);
        check(0, 1);
        check(6, 3);
        check(u64::MAX, i64::MAX as u64);
    }
}

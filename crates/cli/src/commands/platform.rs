//! `benchwright deploy` and `benchwright teardown`, if this benchwright was built with support for AWS
//! Lambda.

#[cfg(feature = "lambda")]
pub(crate) use super::deployment::{deploy, teardown};

#[cfg(not(feature = "lambda"))]
mod without {
    use crate::args::{DeployArgs, Global, TeardownArgs};
    use crate::exit::Outcome;
    use benchwright_session::Problem;
    use benchwright_session::place::absent;

    pub(crate) fn deploy(_: &Global, _: &DeployArgs) -> Result<Outcome, Problem> {
        Err(absent())
    }

    pub(crate) fn teardown(_: &Global, _: &TeardownArgs) -> Result<Outcome, Problem> {
        Err(absent())
    }
}
#[cfg(not(feature = "lambda"))]
pub(crate) use without::{deploy, teardown};

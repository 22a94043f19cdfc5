//! One file per command.

pub(crate) mod accept;
pub(crate) mod agree;
pub(crate) mod compare;
pub(crate) mod compare_recorded;
pub(crate) mod demo;
#[cfg(feature = "lambda")]
mod deployment;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod grade;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod manual;
pub(crate) mod platform;
pub(crate) mod reduce;
pub(crate) mod refresh;
pub(crate) mod run;
pub(crate) mod show;
pub(crate) mod steady;

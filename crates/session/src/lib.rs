//! The application as a library: compares two versions of a project and reports what became slower.
//!
//! 1. a request ([`CompareRequest`], [`levels::RunRequest`]) names what to measure, and the settings that
//!    differ from the repository's;
//! 2. [`compare::plan`] builds both versions and makes a plan, which does not change afterwards;
//! 3. [`compare::PlannedComparison::run`] measures, and writes the results into the repository's store;
//! 4. [`compare::FinishedComparison`] has the verdicts.
//!
//! ```
//! # use std::{fs, path::Path};
//! use benchwright_session::{CompareRequest, Problem, Silent, compare};
//!
//! /// Compares the last two commits of a repository and prints a verdict for each benchmark.
//! fn print_verdicts(repository: &Path) -> Result<(), Problem> {
//!     let mut request = CompareRequest::new(repository, "HEAD~1");
//!     request.head = Some("HEAD".to_owned());
//!     request.set("threshold", "5%")?;
//! #   request.workspace.cache = Some(repository.with_extension("cache"));
//!
//!     let planned = compare::plan(&request, None, &mut Silent)?;
//!     println!("{} benchmarks", planned.preview().plan.subjects.len());
//!     let finished = planned.run(&mut Silent)?;
//!     for finding in &finished.comparison.findings {
//!         let change = finding.effect.map_or(0.0, |effect| effect.change() * 100.0);
//!         println!("{}: {} ({change:+.1} %)", finding.benchmark, finding.verdict.word());
//!     }
//! #   let verdicts: Vec<&str> =
//! #       finished.comparison.findings.iter().map(|finding| finding.verdict.word()).collect();
//! #   assert_eq!(verdicts, ["same", "slower"]);
//!     finished.problems.into_iter().next().map_or(Ok(()), Err)
//! }
//! #
//! # // A repository whose benchmarks are a shell script: each process prints some times it did not need to measure.
//! # let script = |slow: u32| format!(r####"
//! # say() {{ echo "##benchwright $1"; }}
//! # if [ "$1" = list ]; then say '{{"benchmark": "find"}}'; say '{{"benchmark": "sort"}}'; exit; fi
//! # case $2 in find) time=500;; sort) time={slow};; esac
//! # for _ in 1 2 3; do time=$((time + $$ % 7)); say '{{"sample": {{"benchmark": "'$2'", "seconds": 0.'$time'}}}}'; done
//! # "####);
//! # let dir = tempfile::tempdir().expect("a directory");
//! # let repository = dir.path().join("shop");
//! # fs::create_dir(&repository).expect("a directory");
//! # let git = |arguments: &[&str]| benchwright_session::outside::git(&repository, arguments).expect("git");
//! # git(&["init", "--quiet"]);
//! # fs::write(repository.join("benchwright.toml"), "[[shim]]\nname = 'shop'\nrun = 'sh bench.sh'\n").expect("a file");
//! # for (message, slow) in [("One", 300), ("Two", 600)] {
//! #     fs::write(repository.join("bench.sh"), script(slow)).expect("a file");
//! #     git(&["add", "--all"]);
//! #     git(&["commit", "--quiet", "--message", message]);
//! # }
//! # // Other tests may measure at the same time.
//! # unsafe { std::env::set_var("BENCHWRIGHT_LOCK", dir.path().join("lock")) };
//! # print_verdicts(&repository).expect("a comparison");
//! ```
//!
//! A [`Listener`] receives progress and messages during the run. [`recorded`] reads earlier results, and
//! [`apart`] compares them. The program `benchwright` adds arguments, printing and exit codes to this crate.
//!
//! This crate prints nothing, never exits, and installs no signal handlers. It has no command line, but hints
//! of a [`Problem`] name flags of the program.

/// Compiles and runs the example of the guide, which is the one above.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/library.md")]
pub struct Guide;

pub mod accepted;
pub mod agreement;
pub mod apart;
pub mod compare;
mod decide;
pub mod follow;
mod forecast;
pub mod foretell;
pub mod grade;
pub mod import;
pub mod keep;
#[cfg(feature = "lambda")]
pub mod lambda;
pub mod leveled;
pub mod levels;
mod listener;
pub mod outside;
pub mod place;
pub mod prepare;
mod problem;
pub mod project;
pub mod recompute;
pub mod recorded;
pub mod reduce;
mod request;
pub mod run_id;
pub mod slurm;
pub mod stale;
pub mod steady;
pub mod stopping;
mod unlisted;
pub mod words;

pub use benchwright_worker::driver::take_over;
pub use compare::{CompareRequest, FinishedComparison, PlannedComparison};
pub use listener::{Listener, Silent};
pub use problem::{Because, Problem, ProblemKind, because, misconfigured};
pub use request::{PlaceChoice, PlanChoice, Selection, Workspace};

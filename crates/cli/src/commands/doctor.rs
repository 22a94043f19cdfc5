//! `benchwright doctor`: finds what disturbs measurements on this machine.

use std::io::Write;

use benchwright_model::Environment;
use benchwright_process::Interrupt;
use benchwright_runner::Repository;
use benchwright_store::{Store, StoreError};
use benchwright_worker::machine::{self, Check, NoiseFloor, State};

use crate::args::{DoctorArgs, Global};
use crate::exit::Outcome;
use crate::terminal::{Terminal, print};
use benchwright_session::project;
use benchwright_session::{Problem, misconfigured};

/// Checks the machine and measures its noise floor.
pub(crate) fn run(global: &Global, args: &DoctorArgs) -> Result<Outcome, Problem> {
    let time = benchwright_config::parse_duration(&args.time)
        .map_err(|error| misconfigured(std::io::Error::other(error.to_string())))?;
    let terminal = Terminal::new(global);
    let interrupt = Interrupt::new();
    interrupt.listen_for_signals();
    let environment = machine::environment();
    let mut checks = machine::checks();
    checks.extend(store_check(global));
    terminal.say(&format!("measuring the noise floor for {}", args.time));
    let noise = machine::noise_floor(time, || interrupt.is_set());
    print(|out| match args.format.as_str() {
        "json" => writeln!(out, "{:#}", json(&environment, &checks, noise.as_ref())),
        _ => text(&environment, &checks, noise.as_ref(), out),
    })?;
    Ok(Outcome::default())
}

/// Checks whether the results stored here can be read. `None` if there are no results.
fn store_check(global: &Global) -> Option<Check> {
    let here = global.workspace().directory().ok()?;
    let dir = project::results(Repository::discover(&here).ok()?.root()?);
    let found = match Store::open_read_only(&dir) {
        Err(StoreError::Missing { .. }) => return None,
        opened => opened.and_then(|store| store.damage()),
    };
    let (state, found, advice) = match found {
        Ok(lines) if lines.is_empty() => (State::Good, "whole".to_owned(), String::new()),
        Ok(lines) => {
            (State::Bad, lines.join("; "), "export what can still be read, and move the file away".into())
        }
        Err(error) => (State::Bad, error.to_string(), error.hint()),
    };
    let meaning = "Results that cannot be read are lost, and new results cannot be stored.".into();
    Some(Check { name: "store".into(), state, found, meaning, advice })
}

fn text(
    environment: &Environment,
    checks: &[Check],
    noise: Option<&NoiseFloor>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    writeln!(out, "{}\n", environment.fingerprint())?;
    for state in [State::Bad, State::Doubtful, State::Good, State::Unknown] {
        for check in checks.iter().filter(|check| check.state == state) {
            writeln!(out, "{:9} {}: {}", check.state.word(), check.name, check.found)?;
            if !matches!(state, State::Good) {
                writeln!(out, "{:9} {}", "", check.meaning)?;
                if !check.advice.is_empty() {
                    writeln!(out, "{:9} → {}", "", check.advice)?;
                }
            }
        }
    }
    match noise {
        Some(noise) => writeln!(out, "\nnoise floor: {}", noise.describe()),
        None => writeln!(out, "\nnoise floor: not measured"),
    }
}

fn json(environment: &Environment, checks: &[Check], noise: Option<&NoiseFloor>) -> serde_json::Value {
    let check = |check: &Check| {
        serde_json::json!({
            "name": check.name, "state": check.state.word(), "found": check.found,
            "meaning": check.meaning, "advice": check.advice,
        })
    };
    serde_json::json!({
        "schema": "benchwright.doctor/1",
        "environment": environment.facts,
        "checks": checks.iter().map(check).collect::<Vec<_>>(),
        "noise": noise.map(|noise| serde_json::json!({
            "samples": noise.samples, "median_ns": noise.median_ns, "spread": noise.spread,
            "worst": noise.worst, "interrupted": noise.interrupted, "floor": noise.floor,
        })),
    })
}

//! The program `benchwright-function`: the worker inside a function instance.
//!
//! 1. The platform's runtime crate passes in a request: the calls, and the addresses of their packages;
//! 2. [`packages`] unpacks the packages that are not there yet;
//! 3. the worker carries out the calls, exactly as on any other machine;
//! 4. [`serve`] returns the response, or uploads it to the address in the request if it is too large to be returned.
//!
//! For trials of commands, the worker starts this program again as the driver ([`driver`]).
//!
//! The function is deployed once and serves every project. It contains nothing of a project. It has no
//! credentials and passes none to benchmarks: the sender of a request presigns the addresses in it.

mod download;
mod packages;
mod serve;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use benchwright_worker::driver;
use benchwright_worker::envelope::{Request, Response};
use lambda_runtime::{Error, LambdaEvent, service_fn};

use serve::Instance;

fn main() -> ExitCode {
    if let Some(code) = driver::take_over() {
        return code;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.map_err(Error::from).and_then(|runtime| runtime.block_on(listen())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "cannot serve: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves one request after the other.
async fn listen() -> Result<(), Error> {
    let instance = Arc::new(Instance::new());
    let handle = |event: LambdaEvent<Request>| {
        let instance = Arc::clone(&instance);
        async move {
            let deadline = event.context.deadline;
            // The runtime must keep responding while benchmarks run.
            let task = tokio::task::spawn_blocking(move || instance.serve(&event.payload, deadline));
            Ok::<Response, Error>(task.await?)
        }
    };
    lambda_runtime::run(service_fn(handle)).await
}

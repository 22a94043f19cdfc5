//! Makes a response from a request.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs};

use benchwright_process::Interrupt;
use benchwright_worker::envelope::{Failed, Request, Response, VERSION};
use benchwright_worker::wire::{Host, Parcel, SystemClock, deliver};
use benchwright_worker::{CommonEnvironment, Worker};
use serde_json::value::RawValue;

use crate::{download, packages};

/// The largest response that the platform returns, minus the size of its envelope.
const LARGEST_ANSWER: usize = 6 * 1024 * 1024 - 64 * 1024;

/// The time that must be left when the time of a request is over, for writing and sending the response.
const MARGIN: Duration = Duration::from_secs(2);

/// This process.
pub(crate) struct Instance {
    host: Host,
    served: AtomicU32,
}

impl Instance {
    /// A fresh one, with a name of its own.
    pub(crate) fn new() -> Self {
        let mut host = Host::here(name(), "lambda");
        // The machine has more memory than the function may use.
        let megabytes: Option<u64> =
            env::var("AWS_LAMBDA_FUNCTION_MEMORY_SIZE").ok().and_then(|text| text.parse().ok());
        if let Some(megabytes) = megabytes {
            host.instance.memory_bytes = megabytes << 20;
        }
        Instance { host, served: AtomicU32::new(0) }
    }

    /// Answers one request. `deadline` is the time at which the platform ends this process, in milliseconds
    /// since 1970.
    pub(crate) fn serve(&self, request: &Request, deadline: u64) -> Response {
        match self.try_serve(request, deadline) {
            Ok(response) => response,
            Err(failed) => Response::Failed(failed),
        }
    }

    fn try_serve(&self, request: &Request, deadline: u64) -> Result<Response, Failed> {
        if request.version != VERSION {
            return Err(Failed {
                message: format!(
                    "understand version {} of the request; this function has {VERSION}",
                    request.version
                ),
                hint: "`benchwright deploy` with the benchwright that sends it".into(),
                may_pass: false,
            });
        }
        let missing = packages::unpack_all(&request.packages)?;
        if !missing.is_empty() {
            return Ok(Response::Missing(missing));
        }
        let mut parcel = Parcel::from_bytes(request.parcel.get().as_bytes())
            .map_err(|error| lasting(&error, "`benchwright deploy` with the benchwright that sends it"))?;
        if let Some(left) = time_left(deadline) {
            parcel.wall = parcel.wall.min(left);
        }
        let worker = worker()?;
        let host = Host { served_before: self.served.fetch_add(1, Ordering::SeqCst), ..self.host.clone() };
        let delivery = deliver(&parcel, &worker, &host, &Interrupt::new(), &SystemClock::new());
        let bytes = delivery.to_bytes().map_err(|error| lasting(&error, ""))?;
        answer(bytes, request.answer_to.as_deref())
    }
}

fn answer(bytes: Vec<u8>, answer_to: Option<&str>) -> Result<Response, Failed> {
    if bytes.len() > LARGEST_ANSWER {
        let Some(url) = answer_to else {
            return Err(Failed {
                message: format!(
                    "return an answer of {} bytes; the platform allows {LARGEST_ANSWER}",
                    bytes.len()
                ),
                hint: "a bucket (`lambda.bucket`) or fewer repeats per call".into(),
                may_pass: false,
            });
        };
        download::put(url, &bytes)?;
        return Ok(Response::Stored(bytes.len() as u64));
    }
    let text = String::from_utf8(bytes).map_err(|error| lasting(&error, ""))?;
    Ok(Response::Delivery(RawValue::from_string(text).map_err(|error| lasting(&error, ""))?))
}

/// A worker whose trials get the same small environment, whatever the platform sets. In particular, they get
/// none of its credentials.
fn worker() -> Result<Worker, Failed> {
    let scratch = env::temp_dir().join("benchwright-trials");
    fs::create_dir_all(&scratch).map_err(|error| lasting(&error, "is /tmp full? see `lambda.tmp-size`"))?;
    let home = env::temp_dir();
    let variables = [
        ("HOME", home.as_os_str()),
        ("LANG", "C.UTF-8".as_ref()),
        ("PATH", "/usr/local/bin:/usr/bin:/bin".as_ref()),
        ("TMPDIR", home.as_os_str()),
    ];
    let variables = variables.map(|(name, value)| (name.into(), value.to_owned()));
    Ok(Worker::new(CommonEnvironment::exactly(variables), scratch))
}

/// The time left until the platform ends this process. A deadline in the past counts as `None`, because
/// emulators set other values.
fn time_left(deadline: u64) -> Option<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let left = Duration::from_millis(deadline).checked_sub(now)?;
    Some(left.saturating_sub(MARGIN))
}

fn lasting(error: &dyn std::fmt::Display, hint: &str) -> Failed {
    Failed { message: error.to_string(), hint: hint.into(), may_pass: false }
}

/// A name that is unique among the instances of all runs. The platform's own name is long, and emulators give
/// all instances the same one.
fn name() -> String {
    let mut bytes = [0u8; 6];
    let drawn =
        fs::File::open("/dev/urandom").and_then(|mut file| std::io::Read::read_exact(&mut file, &mut bytes));
    if drawn.is_err() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
        bytes.copy_from_slice(&(now ^ u64::from(std::process::id()) << 20).to_le_bytes()[..6]);
    }
    hex::encode(bytes)
}

#[cfg(test)]
mod tests {
    use benchwright_worker::envelope::PackageSource;

    use super::*;

    fn request(version: u32, parcel: &str, packages: Vec<PackageSource>) -> Request {
        let parcel = RawValue::from_string(parcel.into()).unwrap();
        Request { version, parcel, packages, answer_to: None }
    }

    fn failure(request: &Request) -> Failed {
        match Instance::new().serve(request, 0) {
            Response::Failed(failed) => failed,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn other_versions_and_nonsense_are_refused_with_a_remedy() {
        let failed = failure(&request(VERSION + 1, "{}", Vec::new()));
        assert!(failed.message.contains("version 2") && failed.hint.contains("deploy"), "{failed:?}");
        assert!(!failed.may_pass);
        assert!(!failure(&request(VERSION, "{}", Vec::new())).message.is_empty());
    }

    #[test]
    fn an_answer_that_is_too_large_is_refused_where_nobody_takes_it() {
        let large = vec![b' '; LARGEST_ANSWER + 1];
        assert!(answer(large, None).unwrap_err().message.contains("6225920"));
        assert!(matches!(answer(b"{}".to_vec(), None), Ok(Response::Delivery(_))));
    }

    #[test]
    fn the_parcel_ends_before_the_platform_ends_the_process() {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
        assert_eq!(time_left(0), None);
        let left = time_left(now + 10_000).unwrap();
        assert!(left <= Duration::from_secs(8) && left > Duration::from_secs(7), "{left:?}");
        assert_eq!(time_left(600_000), None);
        assert_eq!(time_left(now + 1_000), Some(Duration::ZERO));
    }

    #[test]
    fn every_instance_has_a_name_of_its_own() {
        assert_ne!(Instance::new().host.instance.id, Instance::new().host.instance.id);
        assert_eq!(Instance::new().host.instance.place, "lambda");
    }
}

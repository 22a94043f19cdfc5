//! Sends one request to a function and receives its response.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use aws_sdk_lambda::operation::invoke::InvokeOutput;
use aws_sdk_lambda::primitives::Blob;
use aws_sdk_lambda::types::LogType;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use benchwright_worker::envelope::{Archive, Failed, PackageSource, Request, Response, VERSION};
use benchwright_worker::wire::{Delivery, Parcel};
use serde_json::value::RawValue;

use super::error::reason;
use super::settings::AROUND;
use super::{packages, prices};
use crate::dispatch::{Carrier, FailedSending, Money, SendFailure, Sent};
use crate::lambda::LambdaSettings;
use crate::package::Architecture;

/// A request, its packages, and its calls.
pub(crate) struct Packed {
    pub(crate) parcel: Parcel,
    /// By address.
    pub(crate) packages: Vec<String>,
    /// The indices of its calls among those that were passed in.
    pub(crate) numbers: Vec<usize>,
    /// The memory of the function that carries it out, in megabytes.
    pub(crate) memory: u32,
    /// The minimum time that its processes measure.
    pub(crate) least: Duration,
}

/// A response that arrived.
#[derive(Debug)]
pub(crate) struct Arrived {
    pub(crate) delivery: Delivery,
    /// From sending to receiving.
    pub(crate) observed: Duration,
    /// The time that the platform bills.
    pub(crate) billed: Duration,
}

/// Calls a function.
pub(crate) struct Invoker {
    pub(crate) calls: aws_sdk_lambda::Client,
    pub(crate) s3: aws_sdk_s3::Client,
    /// Functions by their memory, in megabytes.
    pub(crate) functions: BTreeMap<u32, String>,
    pub(crate) bucket: Option<String>,
    pub(crate) settings: LambdaSettings,
    pub(crate) architecture: Architecture,
    /// Packages by address, and their archives.
    pub(crate) sources: HashMap<String, (PackageSource, PathBuf)>,
}

impl Carrier for Invoker {
    type Parcel = Packed;
    type Delivery = Arrived;

    fn worst(&self, packed: &Packed) -> Money {
        self.price(packed.memory, self.settings.billed_at_most()).times(self.requests().into())
    }

    fn least(&self, packed: &Packed) -> Duration {
        AROUND + packed.least
    }

    async fn send(
        &self,
        packed: &Packed,
        attempt: u32,
        time_left: Option<Duration>,
    ) -> Result<Sent<Arrived>, SendFailure> {
        let mut spent = Money::ZERO;
        let answer_to = self.address_of_answer(packed, attempt).await?;
        let mut request = self.request(packed, answer_to, time_left)?;
        for _ in 0..self.requests() {
            let (response, observed, billed) = self
                .call(&request, packed.memory)
                .await
                .map_err(|failure| SendFailure { cost: failure.cost.map(|cost| cost + spent), ..failure })?;
            spent += self.price(packed.memory, billed);
            let delivery = match response {
                Response::Missing(ids) => {
                    self.attach(&mut request, &ids, spent)?;
                    continue;
                }
                Response::Failed(failed) => return Err(refused(failed, spent)),
                Response::Stored(_) => self.stored(packed, attempt, spent).await?,
                Response::Delivery(text) => text.get().as_bytes().to_vec(),
            };
            let delivery = understood(packed, &delivery, spent)?;
            return Ok(Sent { delivery: Arrived { delivery, observed, billed }, cost: spent });
        }
        Err(failed(FailedSending::Crashed, "the function asks for packages it was sent", Some(spent)))
    }
}

impl Invoker {
    /// Maximum number of requests in one sending. Without a bucket a function may have to ask for packages,
    /// and gets them one by one.
    fn requests(&self) -> u32 {
        if self.bucket.is_some() { 1 } else { 4 }
    }

    fn price(&self, memory: u32, time: Duration) -> Money {
        prices::of_call(&self.settings, memory, self.architecture, time)
    }

    async fn call(
        &self,
        request: &Request,
        memory: u32,
    ) -> Result<(Response, Duration, Duration), SendFailure> {
        let body = serde_json::to_vec(request)
            .map_err(|error| failed(FailedSending::Impossible, &error.to_string(), Some(Money::ZERO)))?;
        let started = Instant::now();
        let output = self
            .calls
            .invoke()
            .function_name(self.functions.get(&memory).map(String::as_str).unwrap_or_default())
            .log_type(LogType::Tail)
            .payload(Blob::new(body))
            .send()
            .await;
        let observed = started.elapsed();
        let output = output.map_err(|error| {
            let reason = reason(&error);
            let kind = reason.sending();
            let hint = reason.hint();
            let message =
                if hint.is_empty() { reason.message } else { format!("{}; {hint}", reason.message) };
            // A refused request was not carried out. A request that got lost or crashed may have been.
            let is_free = !matches!(kind, FailedSending::Lost | FailedSending::Crashed);
            failed(kind, &message, is_free.then_some(Money::ZERO))
        })?;
        let billed = billed(&output).unwrap_or(observed).min(self.settings.billed_at_most());
        let cost = Some(self.price(memory, billed));
        let payload = output.payload().map(Blob::as_ref).unwrap_or_default();
        if output.function_error().is_some() {
            return Err(crash(payload, &self.settings, cost));
        }
        let response = serde_json::from_slice(payload).map_err(|error| {
            failed(FailedSending::Crashed, &format!("cannot read the function's answer: {error}"), cost)
        })?;
        Ok((response, observed, billed))
    }

    /// Adds the missing archives to a request, as many as fit.
    fn attach(&self, request: &mut Request, ids: &[String], spent: Money) -> Result<(), SendFailure> {
        let mut room = packages::MOST_INLINE;
        for source in &mut request.packages {
            source.archive = Archive::Withheld;
            if !ids.contains(&source.id) {
                continue;
            }
            let bytes = self.sources.get(&source.id).map(|(_, path)| std::fs::read(path));
            let Some(Ok(bytes)) = bytes else {
                let message = format!("the package {} is no longer here", source.id);
                return Err(failed(FailedSending::Impossible, &message, Some(spent)));
            };
            if bytes.len() as u64 <= room {
                room -= bytes.len() as u64;
                source.archive = Archive::Inline(STANDARD.encode(bytes));
            }
        }
        Ok(())
    }

    /// The request to send. If little time is left, the function gets a shorter time limit.
    fn request(
        &self,
        packed: &Packed,
        answer_to: Option<String>,
        time_left: Option<Duration>,
    ) -> Result<Request, SendFailure> {
        let impossible = |message: String| failed(FailedSending::Impossible, &message, Some(Money::ZERO));
        let wall = time_left.map_or(Duration::MAX, |left| left.saturating_sub(AROUND));
        let bytes = match wall < packed.parcel.wall {
            true => Parcel { wall, ..packed.parcel.clone() }.to_bytes(),
            false => packed.parcel.to_bytes(),
        };
        let bytes = bytes.map_err(|error| impossible(error.to_string()))?;
        let text = String::from_utf8(bytes).map_err(|error| impossible(error.to_string()))?;
        let parcel = RawValue::from_string(text).map_err(|error| impossible(error.to_string()))?;
        let source = |id: &String| self.sources.get(id).map(|(source, _)| source.clone());
        let packages = packed.packages.iter().filter_map(source).collect();
        Ok(Request { version: VERSION, parcel, packages, answer_to })
    }

    fn answer_key(&self, packed: &Packed, attempt: u32) -> String {
        format!("answers/{}-{attempt}.json", packed.parcel.id)
    }

    async fn address_of_answer(&self, packed: &Packed, attempt: u32) -> Result<Option<String>, SendFailure> {
        let Some(bucket) = &self.bucket else { return Ok(None) };
        let refused = |message: String| failed(FailedSending::Refused, &message, Some(Money::ZERO));
        let valid = packages::valid("sign an address").map_err(|error| refused(error.to_string()))?;
        let request = self.s3.put_object().bucket(bucket).key(self.answer_key(packed, attempt));
        let signed = request.presigned(valid).await.map_err(|error| refused(reason(&error).message))?;
        Ok(Some(signed.uri().to_owned()))
    }

    async fn stored(&self, packed: &Packed, attempt: u32, spent: Money) -> Result<Vec<u8>, SendFailure> {
        let bucket = self.bucket.as_deref().unwrap_or_default();
        let key = self.answer_key(packed, attempt);
        let lost = |message: String| failed(FailedSending::Lost, &message, Some(spent));
        let output = self.s3.get_object().bucket(bucket).key(&key).send().await;
        let output = output.map_err(|error| lost(reason(&error).message))?;
        let bytes = output.body.collect().await.map_err(|error| lost(error.to_string()))?.to_vec();
        // If this fails, the bucket removes it later.
        let _ = self.s3.delete_object().bucket(bucket).key(&key).send().await;
        Ok(bytes)
    }
}

fn understood(packed: &Packed, bytes: &[u8], spent: Money) -> Result<Delivery, SendFailure> {
    let crashed = |message: &str| failed(FailedSending::Crashed, message, Some(spent));
    let delivery = Delivery::from_bytes(bytes).map_err(|error| crashed(&error.to_string()))?;
    if delivery.parcel != packed.parcel.id {
        return Err(crashed("the function answered another request"));
    }
    Ok(delivery)
}

fn refused(why: Failed, spent: Money) -> SendFailure {
    let message = match why.hint.is_empty() {
        true => format!("cannot {}", why.message),
        false => format!("cannot {}; {}", why.message, why.hint),
    };
    let kind = if why.may_pass { FailedSending::Crashed } else { FailedSending::Impossible };
    failed(kind, &message, Some(spent))
}

/// The failure of a function that crashed: its response is an error object with a type and a message.
fn crash(payload: &[u8], settings: &LambdaSettings, cost: Option<Money>) -> SendFailure {
    #[derive(serde::Deserialize)]
    struct ErrorObject {
        #[serde(rename = "errorType", default)]
        kind: String,
        #[serde(rename = "errorMessage", default)]
        message: String,
    }
    let object = serde_json::from_slice(payload)
        .unwrap_or(ErrorObject { kind: String::new(), message: String::from_utf8_lossy(payload).into() });
    let message = match object.kind.as_str() {
        "Sandbox.Timedout" => format!("the function was ended after {:?}", settings.time_limit),
        _ if object.message.contains("Task timed out") => object.message,
        "Runtime.ExitError" | "Runtime.OutOfMemory" => {
            format!("the function's process ended ({}); `lambda.memory` may be too small", object.message)
        }
        kind => format!("the function crashed: {} ({kind})", object.message),
    };
    failed(FailedSending::Crashed, &message, cost)
}

/// The billed time at the end of the log.
fn billed(output: &InvokeOutput) -> Option<Duration> {
    let log = STANDARD.decode(output.log_result()?).ok()?;
    billed_in(&String::from_utf8_lossy(&log))
}

fn billed_in(log: &str) -> Option<Duration> {
    let (_, rest) = log.rsplit_once("Billed Duration: ")?;
    let millis = rest.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_millis(millis))
}

fn failed(kind: FailedSending, message: &str, cost: Option<Money>) -> SendFailure {
    SendFailure { kind, message: message.to_owned(), cost }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn billed_time_is_read_from_the_end_of_the_log() {
        let report = "END RequestId: 1\nREPORT RequestId: 1\tDuration: 812.04 ms\tBilled Duration: 813 ms\tMemory Size: 2048 MB\tMax \
                      Memory Used: 61 MB\tInit Duration: 40.11 ms\t\n";
        assert_eq!(billed_in(report), Some(Duration::from_millis(813)));
        assert_eq!(billed_in(""), None);
        assert_eq!(billed_in("Billed Duration: many"), None);
    }

    #[test]
    fn breakdowns_are_told_apart() {
        let check = |payload: &str, word: &str| {
            let failure = crash(payload.as_bytes(), &LambdaSettings::default(), None);
            assert_eq!(failure.kind, FailedSending::Crashed);
            assert!(failure.message.contains(word), "{}", failure.message);
        };
        check(
            r#"{"errorType":"Sandbox.Timedout","errorMessage":"RequestId: 1 Error: Task timed out after 3.00 seconds"}"#,
            "150s",
        );
        check(r#"{"errorMessage":"2026 1 Task timed out after 3.00 seconds"}"#, "timed out after 3.00");
        check(r#"{"errorType":"Runtime.ExitError","errorMessage":"signal: killed"}"#, "lambda.memory");
        check(r#"{"errorType":"X","errorMessage":"boom"}"#, "boom (X)");
        check("garbage", "garbage");
    }

    #[test]
    fn a_function_that_refuses_is_believed_whether_it_may_pass() {
        let check = |may_pass, kind| {
            let why = Failed { message: "unpack".into(), hint: "more /tmp".into(), may_pass };
            let failure = refused(why, Money::ZERO);
            assert_eq!((failure.kind, failure.message.as_str()), (kind, "cannot unpack; more /tmp"));
        };
        check(true, FailedSending::Crashed);
        check(false, FailedSending::Impossible);
    }
}

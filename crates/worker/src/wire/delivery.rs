//! Responses: results from another machine.

use std::time::Duration;

use benchwright_model::wire::nanoseconds;
use benchwright_model::{Diagnostic, Instance, Timestamp, Trial};
use serde::{Deserialize, Serialize};

use super::form::{self, VERSION};
use super::{ParcelId, WireError};

/// The clocks of two machines may differ by this much in any case: scheduling, rounding to microseconds.
const SLACK: Duration = Duration::from_millis(50);

/// In addition, they may differ by this share of the elapsed time. Clocks are slewed by at most 0.05 %; a
/// hundredth leaves room for virtual clocks.
const DRIFT: f64 = 0.01;

/// The response of an instance to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// The request.
    pub parcel: ParcelId,
    /// One answer per call, in the order of the calls.
    pub answers: Vec<Answer>,
    /// The instance that carried it out.
    pub instance: Instance,
    /// When and how it was carried out.
    pub service: Service,
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Answer {
    /// Its trials, including failed ones, in the order in which they were started.
    pub trials: Vec<Trial>,
    /// Diagnostics about values that count nevertheless.
    pub diagnostics: Vec<Diagnostic>,
    /// Why it was not carried out completely. The benchmark is not the cause.
    pub refusal: Option<Refusal>,
}

/// Why a call was not carried out completely.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// A fragment that reads after "cannot".
    pub message: String,
    /// Advice for the user. Empty if there is none.
    pub hint: String,
}

/// How an instance served a request, by its own clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Service {
    /// Number of requests that it had served before. 0 means that it was cold.
    pub served_before: u32,
    /// When it began, by its wall clock.
    pub started_at: Timestamp,
    /// When it finished, by its wall clock.
    pub ended_at: Timestamp,
    /// The time between, by its steady clock.
    pub took: Duration,
    /// The time that the platform bills, if it reports it.
    pub billed: Option<Duration>,
}

#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    parcel: String,
    instance: Instance,
    served_before: u32,
    started_at: Timestamp,
    ended_at: Timestamp,
    #[serde(rename = "took_ns", with = "nanoseconds")]
    took: Duration,
    billed_ns: Option<u64>,
    answers: Vec<Answer>,
}

impl Delivery {
    /// The response as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WireError> {
        let service = &self.service;
        let form = Form {
            version: VERSION,
            parcel: self.parcel.0.clone(),
            instance: self.instance.clone(),
            served_before: service.served_before,
            started_at: service.started_at,
            ended_at: service.ended_at,
            took: service.took,
            billed_ns: service.billed.map(|billed| u64::try_from(billed.as_nanos()).unwrap_or(u64::MAX)),
            answers: self.answers.clone(),
        };
        form::write("response", &form)
    }

    /// The response in this JSON.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WireError> {
        let form: Form = form::read("response", bytes)?;
        Ok(Delivery {
            parcel: ParcelId(form.parcel),
            answers: form.answers,
            instance: form.instance,
            service: Service {
                served_before: form.served_before,
                started_at: form.started_at,
                ended_at: form.ended_at,
                took: form.took,
                billed: form.billed_ns.map(Duration::from_nanos),
            },
        })
    }

    /// Why its times cannot be trusted, given that `observed` passed between sending the request and
    /// receiving this. Times are unreliable if the instance claims to have taken longer, if its wall clock
    /// moved differently from its steady one, or if trials are not within its service time.
    pub fn doubt(&self, observed: Duration) -> Option<String> {
        let service = &self.service;
        if service.took > with_slack(observed) {
            return Some(format!(
                "it says that it took {:.3?}, but {observed:.3?} passed here",
                service.took
            ));
        }
        let by_wall = micros_between(service.started_at, service.ended_at);
        let jump = by_wall.abs_diff(i64::try_from(service.took.as_micros()).unwrap_or(i64::MAX));
        let jump = Duration::from_micros(jump);
        if jump > with_slack(service.took).saturating_sub(service.took) {
            return Some(format!("its clock jumped by {jump:.3?}"));
        }
        self.answers.iter().flat_map(|answer| &answer.trials).find_map(|trial| self.doubt_of(trial))
    }

    fn doubt_of(&self, trial: &Trial) -> Option<String> {
        let (service, wall) = (&self.service, trial.usage.wall);
        if wall > with_slack(service.took) {
            return Some(format!("a trial took {wall:.3?} by its clock, all of them {:.3?}", service.took));
        }
        let slack = micros(with_slack(service.took).saturating_sub(service.took));
        let early = micros_between(trial.started_at, service.started_at);
        let ended_at = Timestamp(trial.started_at.0.saturating_add(micros(wall)));
        let late = micros_between(service.ended_at, ended_at);
        (early > slack || late > slack).then(|| "its clock jumped between two trials".to_owned())
    }
}

fn with_slack(duration: Duration) -> Duration {
    duration.saturating_add(SLACK).saturating_add(duration.mul_f64(DRIFT))
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

fn micros_between(earlier: Timestamp, later: Timestamp) -> i64 {
    later.0.saturating_sub(earlier.0)
}

//! AWS Lambda as a place.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use benchwright_harness::Harness;
use benchwright_model::{BenchmarkId, Diagnostic, Instance, InstanceId, RunId, Trial};
use benchwright_process::Interrupt;
use benchwright_worker::wire::Parcel;
use benchwright_worker::{Call, Subject, Task};

use super::deploy::{bucket_name, is_active};
use super::invoke::{Arrived, Invoker, Packed};
use super::packages::Packages;
use super::settings::AROUND;
use super::{names, prices};
use crate::dispatch::{Ended, FailedSending, Ledger, Money, Patience, Report, Sending, Stragglers, dispatch};
use crate::lambda::{Account, EquipmentOf, FunctionImage, LambdaError, LambdaSettings};
use crate::package::{Architecture, Runtime};
use crate::spread::per_parcel;
use crate::{Place, PlaceError, Unfit, take_in};

/// Placeholder for the memory in the name of a function given in the settings.
const SIZE: &str = "{memory}";

/// AWS Lambda: hundreds of instances, each of which gets calls of one benchmark at a time.
pub struct Lambda {
    account: Account,
    settings: LambdaSettings,
    architecture: Architecture,
    /// Functions by their memory, in megabytes.
    functions: BTreeMap<u32, String>,
    bucket: Option<String>,
    packages: Packages,
    run: RunId,
    interrupt: Interrupt,
    ledger: Ledger,
    deadline: Option<Instant>,
    instances: BTreeMap<InstanceId, Instance>,
    /// Benchmarks that the function cannot measure, now or later. Calling it again would only cost money.
    hopeless: HashSet<BenchmarkId>,
    spending: Spending,
    /// Number of waves sent so far, as part of the seed of the pauses.
    waves: u64,
}

/// The cost of a run on the platform.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Spending {
    /// Calls sent, repeated ones included.
    pub calls: u64,
    /// Answers that counted.
    pub answers: u64,
    /// Memory times billed time, of answers.
    pub gb_seconds: f64,
    /// The cost in money. Unknown costs count as the worst case.
    pub cost: Money,
    /// Time spent waiting for calls.
    pub time: Duration,
    /// Instances that answered.
    pub instances: u64,
    /// Number of responses from instances that had served no request before.
    pub cold: u64,
    /// Calls that were throttled.
    pub throttled: u64,
    /// Calls that did not reach the platform.
    pub unreachable: u64,
    /// Calls that got lost or broke down.
    pub lost: u64,
    /// Number of requests that were sent a second time because they took so long.
    pub reissued: u64,
    /// Number of responses that arrived twice. They are paid for but not counted.
    pub duplicates: u64,
}

impl fmt::Display for Spending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Spending { calls, gb_seconds, cost, instances, cold, .. } = self;
        let seconds = self.time.as_secs_f64();
        write!(
            f,
            "{calls} calls to {instances} instances ({cold} cold) in {seconds:.0} s: {gb_seconds:.0} GB-seconds, {cost}"
        )?;
        let others = [
            (self.throttled, "throttled"),
            (self.unreachable, "did not get there"),
            (self.lost, "lost"),
            (self.reissued, "sent twice"),
            (self.duplicates, "answered twice"),
        ];
        others
            .iter()
            .filter(|(count, _)| *count > 0)
            .try_for_each(|(count, word)| write!(f, ", {count} {word}"))
    }
}

impl Lambda {
    /// Connects to the place, and checks that the function exists. `image` determines its name if the
    /// settings do not.
    pub fn connect(
        account: Account,
        settings: LambdaSettings,
        architecture: Architecture,
        image: Option<&FunctionImage>,
        run: RunId,
        interrupt: Interrupt,
    ) -> Result<Self, LambdaError> {
        let (functions, bucket) = account.runtime.block_on(async {
            let functions = functions(&account, &settings, architecture, image).await?;
            Ok::<_, LambdaError>((functions, bucket_name(&account, &settings).await?))
        })?;
        let runtime = Runtime::provided_al2023(architecture);
        Ok(Lambda {
            packages: Packages::new(&settings, runtime, bucket.clone())?,
            account,
            settings,
            architecture,
            functions,
            bucket,
            run,
            interrupt,
            ledger: Ledger::default(),
            deadline: None,
            instances: BTreeMap::new(),
            hopeless: HashSet::new(),
            spending: Spending::default(),
            waves: 0,
        })
    }

    /// Sets a ceiling of cost. `None` means no limit.
    pub fn within(self, cost: Option<Money>) -> Self {
        Lambda { ledger: Ledger::new(cost), ..self }
    }

    /// Packs and stores the programs of these benchmarks. Returns the benchmarks that cannot run there.
    pub fn prepare(
        &mut self,
        subjects: &[Subject],
        harnesses: &[Box<dyn Harness>],
        equipment: EquipmentOf<'_>,
    ) -> Result<Vec<Unfit>, LambdaError> {
        let Lambda { account, packages, .. } = self;
        account.runtime.block_on(packages.prepare(account, subjects, harnesses, equipment))
    }

    /// Number of packages, their bytes, and the bytes of their contents.
    pub fn package_sizes(&self) -> (usize, u64, u64) {
        self.packages.sizes()
    }

    /// The money spent so far.
    pub fn spending(&self) -> Spending {
        let instances = self.instances.len() as u64;
        Spending { cost: self.ledger.spent(), instances, ..self.spending.clone() }
    }

    /// Makes requests from calls of one benchmark, as many calls as fit into one request, in order.
    fn parcels(&self, calls: &[Call]) -> Result<Vec<Packed>, PlaceError> {
        let mut there = calls
            .iter()
            .map(|call| self.packages.there(call, &self.settings).map(Some).ok_or_else(|| unpacked(call)))
            .collect::<Result<Vec<Option<Call>>, PlaceError>>()?;
        let most = per_parcel(calls.len(), self.settings.parallel, self.settings.repeats);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        // The group of each benchmark that has room for more calls.
        let mut open: HashMap<&BenchmarkId, usize> = HashMap::new();
        let is_hopeful = |call: &Call| !self.hopeless.contains(&call.subject.benchmark);
        for (number, call) in calls.iter().enumerate().filter(|(_, call)| is_hopeful(call)) {
            let group = open.entry(&call.subject.benchmark).or_insert(usize::MAX);
            match groups.get_mut(*group).filter(|group| group.len() < most) {
                Some(group) => group.push(number),
                None => {
                    *group = groups.len();
                    groups.push(vec![number]);
                }
            }
        }
        let packed = |numbers: Vec<usize>| {
            let here: Vec<&Call> = numbers.iter().map(|&number| &calls[number]).collect();
            let there: Vec<Call> = numbers.iter().filter_map(|&number| there[number].take()).collect();
            Packed {
                least: there.iter().map(least).sum(),
                parcel: Parcel::new(&self.run, there, self.settings.wall()),
                packages: self.packages.addresses(&here),
                memory: here
                    .first()
                    .map_or(self.settings.memory, |call| self.settings.memory_for(&call.subject.benchmark)),
                numbers,
            }
        };
        Ok(groups.into_iter().map(packed).collect())
    }

    fn invoker(&self) -> Invoker {
        Invoker {
            calls: self.account.calls.clone(),
            s3: self.account.s3.clone(),
            functions: self.functions.clone(),
            bucket: self.bucket.clone(),
            settings: self.settings.clone(),
            architecture: self.architecture,
            sources: self.packages.sources(),
        }
    }

    fn sending(&mut self) -> Sending {
        self.waves += 1;
        Sending {
            parallel: self.settings.parallel,
            patience: Patience::default(),
            stragglers: Some(Stragglers::default()),
            time_left: self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            seed: self.waves,
        }
    }

    /// Sends requests and passes on their responses.
    fn send(
        &mut self,
        calls: &[Call],
        packed: Vec<Packed>,
        on_trial: &mut dyn FnMut(usize, Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        let started = Instant::now();
        let sending = self.sending();
        let invoker = Arc::new(self.invoker());
        let contents: Vec<Vec<usize>> = packed.iter().map(|packed| packed.numbers.clone()).collect();
        let sizes: Vec<u32> = packed.iter().map(|packed| packed.memory).collect();
        let has_sizes = self.functions.len() > 1;
        let mut diagnostics = Vec::new();
        let (instances, spending) = (&mut self.instances, &mut self.spending);
        let mut on_delivery = |index: usize, arrived: Arrived| {
            let numbers: &[usize] = &contents[index];
            let of_parcel: Vec<Call> = numbers.iter().map(|number| calls[*number].clone()).collect();
            spending.gb_seconds += prices::gb_seconds(sizes[index], arrived.billed);
            spending.cold += u64::from(arrived.delivery.service.served_before == 0);
            let instance = &arrived.delivery.instance;
            let megabytes = instance.memory_bytes >> 20;
            // If the size of a function was changed by hand, sizes must not be mixed within a benchmark.
            if has_sizes && megabytes != u64::from(sizes[index]) {
                let asked = sizes[index];
                let why =
                    format!("its duets are dropped: it has {megabytes} MB, the benchmark needs {asked} MB");
                diagnostics.push(Diagnostic::warning(instance.id.to_string(), why));
                return;
            }
            let intake = take_in(&of_parcel, arrived.delivery, arrived.observed);
            instances.insert(intake.instance.id.clone(), intake.instance);
            diagnostics.extend(intake.diagnostics);
            intake.trials.into_iter().for_each(|(number, trial)| on_trial(numbers[number], trial));
        };
        let report = self.account.runtime.block_on(dispatch(
            invoker,
            packed,
            &sending,
            &mut self.ledger,
            &self.interrupt,
            &mut on_delivery,
        ));
        self.count(&report, started.elapsed());
        for (index, failure) in &report.given_up {
            let Some(call) = contents[*index].first().map(|number| &calls[*number]) else { continue };
            if failure.kind == FailedSending::Impossible {
                self.hopeless.insert(call.subject.benchmark.clone());
            }
            let message = format!("{} calls got no answer: {}", contents[*index].len(), failure.message);
            diagnostics.push(Diagnostic::warning(call.subject.benchmark.to_string(), message));
        }
        match report.ended {
            None | Some(Ended::Interrupted) => Ok(diagnostics),
            Some(ended) => Err(self.ended(ended, diagnostics)),
        }
    }

    fn count(&mut self, report: &Report, took: Duration) {
        let spending = &mut self.spending;
        spending.calls += report.sent;
        spending.answers += report.delivered;
        spending.throttled += report.throttled;
        spending.unreachable += report.unreachable;
        spending.lost += report.lost + report.crashed;
        spending.reissued += report.reissued;
        spending.duplicates += report.duplicates;
        spending.time += took;
    }

    fn ended(&self, ended: Ended, mut noticed: Vec<Diagnostic>) -> PlaceError {
        let what = match ended {
            Ended::CostCeiling { next } => {
                let what = format!(
                    "stay below {}: {} are spent and the next call could cost {next}",
                    self.ledger.ceiling().unwrap_or_default(),
                    self.ledger.spent()
                );
                return PlaceError::OutOfMoney { what, noticed };
            }
            Ended::TimeCeiling => {
                let message = format!(
                    "the budget leaves no time for more calls, each of which may take {AROUND:?} in addition to its trials"
                );
                let hint = "continue with `--resume` and a longer `--budget`";
                noticed.push(Diagnostic::warning("AWS Lambda", message).hint(hint));
                return PlaceError::OutOfTime { noticed };
            }
            Ended::Refused(failure) => {
                let names: Vec<&str> = self.functions.values().map(String::as_str).collect();
                format!("call the function `{}`: {}", names.join("` or `"), failure.message)
            }
            Ended::Interrupted => "continue after the interrupt".to_owned(),
        };
        let hint = "the results so far are kept; `--resume` continues";
        PlaceError::Elsewhere { what, hint: hint.into(), source: None }
    }
}

impl Place for Lambda {
    fn describe(&self) -> String {
        let sizes: Vec<String> = self.functions.keys().map(u32::to_string).collect();
        format!("AWS Lambda, {} ({}, {} MB)", self.account.region(), self.architecture, sizes.join(", "))
    }

    fn carry_out(
        &mut self,
        call: &Call,
        on_trial: &mut dyn FnMut(Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        self.carry_out_all(std::slice::from_ref(call), &mut |_, trial| on_trial(trial))
    }

    fn end_by(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    fn capacity(&self) -> usize {
        // Duets of one request are measured one after the other. Even a single instance gets whole waves.
        self.settings.parallel.max(2) as usize
    }

    fn carry_out_all(
        &mut self,
        calls: &[Call],
        on_trial: &mut dyn FnMut(usize, Trial),
    ) -> Result<Vec<Diagnostic>, PlaceError> {
        self.account.runtime.block_on(self.packages.refresh(&self.account))?;
        let packed = self.parcels(calls)?;
        self.send(calls, packed, on_trial)
    }

    fn instances(&self) -> Vec<Instance> {
        self.instances.values().cloned().collect()
    }

    fn spent(&self) -> Option<String> {
        Some(format!("AWS Lambda: {}", self.spending()))
    }
}

/// The minimum time that the processes of a call measure.
fn least(call: &Call) -> Duration {
    let shape = &call.shape;
    let trial = shape.warmup_time.saturating_add(shape.iteration_time.saturating_mul(shape.iterations));
    let trials = if matches!(call.task, Task::Duet { .. }) { 2 } else { 1 };
    trial.min(call.limits.wall) * trials
}

/// The caller has prepared the benchmark and sends only calls that can run there.
fn unpacked(call: &Call) -> PlaceError {
    let what = format!("send `{}` to AWS Lambda: its program was not packed", call.subject.benchmark);
    PlaceError::Elsewhere { what, hint: "`--fallback local` runs it on this machine".into(), source: None }
}

/// The functions to call, one per memory size. Functions named in the settings are not checked first, because
/// emulators cannot list functions.
async fn functions(
    account: &Account,
    settings: &LambdaSettings,
    architecture: Architecture,
    image: Option<&FunctionImage>,
) -> Result<BTreeMap<u32, String>, LambdaError> {
    let sizes = settings.sizes();
    if let Some(name) = &settings.function {
        if sizes.len() > 1 && !name.contains(SIZE) {
            return Err(LambdaError::OneFunction { name: name.clone(), sizes: sizes.into_iter().collect() });
        }
        let of = |memory: u32| (memory, name.replace(SIZE, &memory.to_string()));
        return Ok(sizes.into_iter().map(of).collect());
    }
    let Some(image) = image else { return Err(LambdaError::NoImage { places: Vec::new() }) };
    let mut functions = BTreeMap::new();
    for memory in sizes {
        let name = names::function(settings, memory, architecture, &image.zip);
        if is_active(account, &name).await?.is_none() {
            return Err(LambdaError::NoFunction { name, region: account.region().into() });
        }
        functions.insert(memory, name);
    }
    Ok(functions)
}

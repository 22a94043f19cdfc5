//! A stand-in for the platform's function calls, whose answers are as fast, slow, wrong or missing as a test wants them.
//!
//! It speaks the platform's protocol over plain connections, takes requests apart with the product's own reader, and answers
//! with responses of made-up values. What really runs programs is tested against an emulator.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use benchwright_model::{
    Instance, InstanceId, Measurement, Metric, Outcome, Phase, Position, Series, Side, Timestamp, Trial,
    Usage,
};
use benchwright_worker::envelope::{Archive, Request, Response};
use benchwright_worker::wire::{Answer, Delivery, Parcel, Service};
use benchwright_worker::{Call, Task};
use serde_json::value::RawValue;

/// What becomes of one request.
#[derive(Debug, Clone)]
pub(crate) enum Fate {
    /// A response.
    Answer,
    /// A response after so long.
    After(Duration),
    /// An error of the platform: status, code and message.
    Refuse(u16, &'static str, &'static str),
    /// The form of a function that broke down: status 200, a header, and an error object.
    Crash(&'static str),
    /// The connection ends without a word.
    Drop,
    /// A response by an instance that claims to have taken this long.
    Claim(Duration),
    /// A response by an instance whose wall clock was set forward by this much meanwhile.
    Jump(Duration),
    /// No answer for as long as the test lasts.
    Hold,
    /// A body that is no answer.
    Garbage,
    /// The function asks for packages.
    Missing,
    /// The function has no packages: it asks for those that were not sent along, and answers when it has them.
    Unpack,
}

/// One request as it came.
#[derive(Debug)]
pub(crate) struct Seen {
    /// How many requests came before it.
    pub(crate) number: usize,
    /// How often the same request came before.
    pub(crate) before: usize,
    /// Requests that are being answered, this one included.
    pub(crate) open: usize,
    /// The benchmark of its first call.
    pub(crate) benchmark: String,
}

/// A server that ends with its process; nothing of it outlives a test.
pub(crate) struct Stub {
    pub(crate) address: SocketAddr,
    counts: Arc<Mutex<Counts>>,
}

#[derive(Default)]
struct Counts {
    all: usize,
    open: usize,
    of_parcel: HashMap<String, usize>,
    /// Function and benchmark of every call.
    calls: Vec<(String, String)>,
    /// Packages by address, as they were sent along.
    archives: BTreeMap<String, Vec<u8>>,
    /// Duets that were measured, as far as the sender can know.
    duets: usize,
    /// The longest time that a request was given.
    wall: Duration,
}

impl Stub {
    /// Answers whatever `fate` says.
    pub(crate) fn start(fate: impl Fn(&Seen) -> Fate + Send + Sync + 'static) -> Stub {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let counts = Arc::new(Mutex::new(Counts::default()));
        let (fate, shared) = (Arc::new(fate), Arc::clone(&counts));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (fate, counts) = (Arc::clone(&fate), Arc::clone(&shared));
                std::thread::spawn(move || serve(stream, fate.as_ref(), &counts));
            }
        });
        Stub { address, counts }
    }

    /// Requests so far.
    pub(crate) fn requests(&self) -> usize {
        self.counts.lock().expect("no panic while it is held").all
    }

    /// Function and benchmark of every call so far.
    pub(crate) fn calls(&self) -> Vec<(String, String)> {
        self.counts.lock().expect("no panic while it is held").calls.clone()
    }

    /// The packages that were sent along so far.
    pub(crate) fn archives(&self) -> BTreeMap<String, Vec<u8>> {
        self.counts.lock().expect("no panic while it is held").archives.clone()
    }

    /// Duets in good answers so far.
    pub(crate) fn duets(&self) -> usize {
        self.counts.lock().expect("no panic while it is held").duets
    }

    /// The longest time that a request was given for its trials.
    pub(crate) fn longest_wall(&self) -> Duration {
        self.counts.lock().expect("no panic while it is held").wall
    }

    /// Different requests so far.
    pub(crate) fn parcels(&self) -> usize {
        self.counts.lock().expect("no panic while it is held").of_parcel.len()
    }
}

fn serve(stream: TcpStream, fate: &dyn Fn(&Seen) -> Fate, counts: &Mutex<Counts>) {
    let _ = stream.set_nodelay(true);
    let Ok(mut writer) = stream.try_clone() else { return };
    let mut reader = BufReader::new(stream);
    while let Some((function, body)) = request(&mut reader) {
        let Ok(request) = serde_json::from_slice::<Request>(&body) else { return };
        let Ok(parcel) = Parcel::from_bytes(request.parcel.get().as_bytes()) else { return };
        let (seen, missing) = {
            let mut counts = counts.lock().expect("no panic while it is held");
            counts.all += 1;
            counts.open += 1;
            counts.wall = counts.wall.max(parcel.wall);
            let before = counts.of_parcel.entry(parcel.id.0.clone()).or_default();
            *before += 1;
            let before = *before - 1;
            let benchmark = parcel.calls.first().map(|call| call.subject.benchmark.name.clone());
            let names = parcel.calls.iter().map(|call| call.subject.benchmark.name.clone());
            counts.calls.extend(names.map(|name| (function.clone(), name)));
            counts.archives.extend(sent_along(&request));
            let lacks = |id: &String| !counts.archives.contains_key(id);
            let missing: Vec<String> = withheld(&request).into_iter().filter(lacks).collect();
            let seen = Seen {
                number: counts.all - 1,
                before,
                open: counts.open,
                benchmark: benchmark.unwrap_or_default(),
            };
            (seen, missing)
        };
        let fate = match fate(&seen) {
            Fate::Unpack if missing.is_empty() => Fate::Answer,
            fate => fate,
        };
        let is_good = matches!(fate, Fate::Answer | Fate::After(_));
        let is_open = answer(&mut writer, &parcel, &function, missing, fate);
        let mut counts = counts.lock().expect("no panic while it is held");
        counts.open -= 1;
        if is_good {
            counts.duets += parcel.calls.len();
        }
        if !is_open {
            return;
        }
    }
}

/// The archives that came with a request.
fn sent_along(request: &Request) -> BTreeMap<String, Vec<u8>> {
    let inline = request.packages.iter().filter_map(|package| match &package.archive {
        Archive::Inline(text) => Some((package.id.clone(), STANDARD.decode(text).expect("base 64"))),
        _ => None,
    });
    inline.collect()
}

/// The addresses of packages that did not come with a request.
fn withheld(request: &Request) -> Vec<String> {
    let withheld = request.packages.iter().filter(|package| package.archive == Archive::Withheld);
    withheld.map(|package| package.id.clone()).collect()
}

/// The function of the next request, and its body.
fn request(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let mut length = 0;
    let mut function = String::new();
    let mut line = String::new();
    let mut is_first = true;
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let text = line.trim().to_ascii_lowercase();
        if text.is_empty() && !is_first {
            break;
        }
        // POST /2015-03-31/functions/NAME/invocations HTTP/1.1
        if is_first && let Some((_, rest)) = text.split_once("/functions/") {
            function = rest.split('/').next().unwrap_or_default().to_owned();
        }
        is_first = false;
        if let Some(value) = text.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((function, body))
}

/// Writes what the fate says; false where the connection ends.
fn answer(writer: &mut TcpStream, parcel: &Parcel, function: &str, missing: Vec<String>, fate: Fate) -> bool {
    let delivered = |took, by_wall| delivered(parcel, memory_of(function), took, by_wall);
    let (status, header, body) = match fate {
        Fate::Drop => return false,
        Fate::Hold => loop {
            std::thread::park();
        },
        Fate::Answer => (200, String::new(), delivered(SHORT, SHORT)),
        Fate::After(time) => {
            std::thread::sleep(time);
            (200, String::new(), delivered(time, time))
        }
        Fate::Claim(time) => (200, String::new(), delivered(time, time)),
        Fate::Jump(time) => (200, String::new(), delivered(SHORT, SHORT + time)),
        Fate::Refuse(status, code, message) => {
            (status, format!("x-amzn-errortype: {code}\r\n"), format!(r#"{{"message":"{message}"}}"#))
        }
        Fate::Crash(object) => (200, "x-amz-function-error: Unhandled\r\n".to_owned(), object.to_owned()),
        Fate::Garbage => (200, String::new(), "[1, 2".to_owned()),
        Fate::Unpack => {
            let missing = Response::Missing(missing);
            (200, String::new(), serde_json::to_string(&missing).expect("an answer can be written"))
        }
        Fate::Missing => (200, String::new(), r#"{"missing":[]}"#.to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{header}content-length: {}\r\n\r\n",
        body.len()
    );
    writer.write_all(format!("{head}{body}").as_bytes()).is_ok()
}

/// The megabytes of a function whose name ends with them, such as `f-4096`; 2048 for others.
fn memory_of(function: &str) -> u64 {
    function.rsplit('-').next().and_then(|end| end.parse().ok()).unwrap_or(2048)
}

/// What an instance needs that only makes up its values.
const SHORT: Duration = Duration::from_micros(50);

/// Every call of the request answered with values that make head twice as slow, by an instance whose steady clock and whose wall clock
/// say that it took so long.
fn delivered(parcel: &Parcel, memory: u64, took: Duration, by_wall: Duration) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let ended_at = Timestamp(now.as_micros() as i64);
    let started_at = Timestamp(ended_at.0 - by_wall.as_micros() as i64);
    let instance = Instance {
        id: InstanceId(format!("stub-{}", &parcel.id.0[..4])),
        place: "lambda".into(),
        cpu: "stub".into(),
        arch: "x86_64".into(),
        cores: 1,
        memory_bytes: memory << 20,
    };
    let delivery = Delivery {
        parcel: parcel.id.clone(),
        answers: parcel.calls.iter().map(|call| answered(call, started_at)).collect(),
        instance,
        service: Service { served_before: 1, started_at, ended_at, took, billed: None },
    };
    let bytes = delivery.to_bytes().expect("a delivery can be written");
    let text = RawValue::from_string(String::from_utf8(bytes).expect("text")).expect("JSON");
    serde_json::to_string(&Response::Delivery(text)).expect("an answer can be written")
}

fn answered(call: &Call, started_at: Timestamp) -> Answer {
    let trial = |side, position, phase: Phase| {
        let jitter = 1.0 + f64::from(seed(call) % 100) / 1e5;
        let secs = jitter * if side == Side::Base { 1e-6 } else { 2e-6 };
        let series = Series { metric: Metric::time(), values: vec![secs; 3], resolution: 0.0 };
        Trial {
            benchmark: call.subject.benchmark.clone(),
            side,
            position,
            phase,
            layout: None,
            instance: None,
            started_at,
            usage: Usage::default(),
            stopped: None,
            outcome: Outcome::Measured(Measurement {
                warmup: 0,
                operations: Vec::new(),
                series: vec![series],
                ..Measurement::default()
            }),
        }
    };
    let trials = match call.task {
        Task::Duet { index, attempt, phase, first, .. } => [first, first.other()]
            .map(|side| trial(side, Position::Duet { index, attempt, first: side == first }, phase))
            .to_vec(),
        Task::Single { side, position, phase } => vec![trial(side, position, phase)],
    };
    Answer { trials, ..Answer::default() }
}

/// Something that differs from duet to duet.
fn seed(call: &Call) -> u32 {
    match call.task {
        Task::Duet { index, .. } => index.wrapping_mul(2_654_435_761) >> 8,
        Task::Single { .. } => 0,
    }
}

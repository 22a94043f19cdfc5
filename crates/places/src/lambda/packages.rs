//! Prepares programs for the platform: checks, packs and stores them once.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use aws_sdk_s3::presigning::PresigningConfig;
use aws_sdk_s3::primitives::ByteStream;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use benchwright_harness::{Equipper, Executable, Harness, Payload, PayloadRequest};
use benchwright_model::{BenchmarkId, Side};
use benchwright_worker::envelope::{Archive, PackageSource};
use benchwright_worker::{BuildPlace, Call, Program, Subject};
use globset::{Glob, GlobSet, GlobSetBuilder};
use tokio::time::Instant;

use super::error::Explained;
use crate::Unfit;
use crate::lambda::{Account, LambdaError, LambdaSettings};
use crate::package::elf::{Facts, remedy};
use crate::package::{
    Architecture, EQUIPMENT, OUT, Package, PackageError, ROOT, Runtime, Wanted, contents, equipment_contents,
    pack,
};

/// How long an address is valid, and the share of this time after which a new one is made.
const SIGNED_FOR: Duration = Duration::from_secs(3600);
const FRESH_AFTER: Duration = Duration::from_secs(2400);

/// The largest archive that is sent with every call if there is a bucket. Downloading a small one would take
/// longer.
const SMALL: u64 = 32 * 1024;

/// Maximum size of the archives that are sent with a request: the platform accepts 6 MB, and base 64 adds a
/// third.
pub(crate) const MOST_INLINE: u64 = 4 * 1024 * 1024 + 256 * 1024;

/// Why there is no package, and what to do about it.
type Refused = (String, String);

/// The runtime image of a program: its directory, or why it could not be made. `None` if the program needs
/// none.
pub type EquipmentOf<'a> = &'a dyn Fn(&Program) -> Option<Result<PathBuf, (String, String)>>;

/// The location of a program: one version's executable.
type Key = (PathBuf, PathBuf);

/// The packages of a program, by address.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Fit {
    program: String,
    /// The executable in its runtime image, and the address of the image. `None` if it needs none.
    equipment: Option<(Executable, String)>,
}

fn key(program: &Program) -> Key {
    (program.place.out.clone(), program.executable.path.clone())
}

/// The programs of a benchmark in both versions.
fn programs(subject: &Subject) -> impl Iterator<Item = &Program> {
    [Side::Base, Side::Head].into_iter().filter_map(|side| subject.program(side))
}

/// The benchmarks that cannot run there, as far as their programs show it. Nothing is packed, and the
/// platform is not contacted.
pub fn unfit(
    subjects: &[Subject],
    harnesses: &[Box<dyn Harness>],
    architecture: Architecture,
) -> Result<Vec<Unfit>, LambdaError> {
    let runtime = Runtime::provided_al2023(architecture);
    let mut refused: HashMap<Key, Option<Refused>> = HashMap::new();
    for program in subjects.iter().flat_map(programs) {
        if let Entry::Vacant(entry) = refused.entry(key(program)) {
            entry.insert(checked(program, harnesses, &runtime)?.err());
        }
    }
    Ok(by_reason(subjects, |program| refused.get(&key(program))?.as_ref()))
}

/// The benchmarks that cannot run there, grouped by reason.
fn by_reason<'a>(subjects: &[Subject], refused: impl Fn(&Program) -> Option<&'a Refused>) -> Vec<Unfit> {
    let mut unfit: BTreeMap<&Refused, Vec<BenchmarkId>> = BTreeMap::new();
    for subject in subjects {
        for reason in programs(subject).filter_map(&refused) {
            unfit.entry(reason).or_default().push(subject.benchmark.clone());
        }
    }
    let named = unfit.into_iter().map(|((why, hint), mut benchmarks)| {
        benchmarks.dedup();
        Unfit { benchmarks, why: why.clone(), hint: hint.clone() }
    });
    named.collect()
}

/// The program's harness and the files sent with it, or why it cannot be sent.
fn checked<'a>(
    program: &Program,
    harnesses: &'a [Box<dyn Harness>],
    runtime: &Runtime,
) -> Result<Result<(&'a dyn Harness, Payload), Refused>, LambdaError> {
    let Program { executable, place } = program;
    let name = &executable.harness;
    let harness = harnesses.iter().find(|harness| harness.name() == name);
    let stays = |why| Ok(Err((why, "`--fallback local` runs them on this machine".to_owned())));
    let Some(harness) = harness else {
        return stays(format!("{name} programs need other files at run time"));
    };
    let request = PayloadRequest { root: &place.root, out: &place.out, executable };
    let payload = match harness.payload(&request) {
        Ok(payload) => payload,
        Err(why) => return stays(why),
    };
    for path in &payload.programs {
        let what = match *path == program.path() {
            true => format!("the program of {}", executable.package),
            false => format!("`{}`", path.file_name().unwrap_or_default().to_string_lossy()),
        };
        if let Some(refused) = misfit(runtime, name, &what, path, &HashSet::new())? {
            return Ok(Err(refused));
        }
    }
    Ok(Ok((harness.as_ref(), payload)))
}

/// What the platform lacks for a native file, and what to do about it.
fn misfit(
    runtime: &Runtime,
    harness: &str,
    what: &str,
    path: &Path,
    beside: &HashSet<String>,
) -> Result<Option<Refused>, LambdaError> {
    let bytes = fs::read(path).map_err(|source| PackageError::Read { path: path.to_owned(), source })?;
    Ok(match Facts::of(&bytes) {
        Err(error) => Some((format!("cannot {error} in {what}"), String::new())),
        Ok(facts) => {
            let misfits = facts.misfits_beside(runtime, beside);
            let words: Vec<String> = misfits.iter().map(ToString::to_string).collect();
            let hint = remedy(harness, &misfits, runtime);
            let why = format!("{what} does not fit {}: {}", runtime.name, words.join("; "));
            (!misfits.is_empty()).then_some((why, hint))
        }
    })
}

/// Packages of a run, by program.
pub(crate) struct Packages {
    runtime: Runtime,
    include: GlobSet,
    directory: String,
    bucket: Option<String>,
    /// Archives are stored here until the run is over.
    scratch: tempfile::TempDir,
    programs: HashMap<Key, Result<Fit, Refused>>,
    equipment: HashMap<PathBuf, Result<String, Refused>>,
    shipped: BTreeMap<String, Shipped>,
}

/// A package, and how a function gets it.
struct Shipped {
    package: Package,
    source: PackageSource,
    signed: Instant,
}

impl Packages {
    pub(crate) fn new(
        settings: &LambdaSettings,
        runtime: Runtime,
        bucket: Option<String>,
    ) -> Result<Self, LambdaError> {
        let mut include = GlobSetBuilder::new();
        for pattern in &settings.include {
            let wrong = |source| LambdaError::Pattern { pattern: pattern.clone(), source };
            include.add(Glob::new(pattern).map_err(wrong)?);
        }
        let all = settings.include.join(" ");
        let include = include.build().map_err(|source| LambdaError::Pattern { pattern: all, source })?;
        let scratch = tempfile::tempdir().map_err(LambdaError::Runtime)?;
        let directory = settings.directory.clone();
        Ok(Packages {
            runtime,
            include,
            directory,
            bucket,
            scratch,
            programs: HashMap::new(),
            equipment: HashMap::new(),
            shipped: BTreeMap::new(),
        })
    }

    /// Checks and packs the programs of these benchmarks, and stores those that are not stored yet. Returns
    /// the benchmarks that cannot run there.
    pub(crate) async fn prepare(
        &mut self,
        account: &Account,
        subjects: &[Subject],
        harnesses: &[Box<dyn Harness>],
        equipment: EquipmentOf<'_>,
    ) -> Result<Vec<Unfit>, LambdaError> {
        for program in subjects.iter().flat_map(programs) {
            let key = key(program);
            if !self.programs.contains_key(&key) {
                let packed = self.pack(account, program, harnesses, equipment).await?;
                self.programs.insert(key, packed);
            }
        }
        Ok(by_reason(subjects, |program| self.programs.get(&key(program))?.as_ref().err()))
    }

    /// The addresses of the program's packages, or why there are none.
    async fn pack(
        &mut self,
        account: &Account,
        program: &Program,
        harnesses: &[Box<dyn Harness>],
        equipment: EquipmentOf<'_>,
    ) -> Result<Result<Fit, Refused>, LambdaError> {
        let (harness, payload) = match checked(program, harnesses, &self.runtime)? {
            Ok(fit) => fit,
            Err(refused) => return Ok(Err(refused)),
        };
        let equipped = match (harness.equipper(), equipment(program)) {
            (Some(equipper), Some(dir)) => {
                let id = match dir {
                    Ok(dir) => self.pack_equipment(account, harness.name(), equipper, &dir).await?,
                    Err(refused) => Err(refused),
                };
                match id {
                    Ok(id) => {
                        let dir = format!("{}/{id}/{EQUIPMENT}", self.directory);
                        Some((equipper.equipped(&program.executable, &dir), id))
                    }
                    Err(refused) => return Ok(Err(refused)),
                }
            }
            (Some(_), None) => {
                let why = format!("no runtime image was made for {} programs", harness.name());
                return Ok(Err((why, String::new())));
            }
            (None, _) => None,
        };
        let read = |source| PackageError::Read { path: program.dir(), source };
        let wanted = Wanted { harness, payload: &payload, include: &self.include };
        let files = contents(program, &wanted).map_err(read)?;
        let packed = self.pack_files(account, &files).await?;
        Ok(packed.map(|program| Fit { program, equipment: equipped }))
    }

    /// The address of the package of this runtime image, or why there is none. It is packed once, however
    /// many programs need it.
    async fn pack_equipment(
        &mut self,
        account: &Account,
        harness: &str,
        equipper: &dyn Equipper,
        dir: &Path,
    ) -> Result<Result<String, Refused>, LambdaError> {
        if let Some(known) = self.equipment.get(dir) {
            return Ok(known.clone());
        }
        let read = |source| PackageError::Read { path: dir.to_owned(), source };
        let files = equipment_contents(dir).map_err(read)?;
        let packed = match self.misfit_of_equipment(harness, equipper, dir, &files)? {
            Some(refused) => Err(refused),
            None => self.pack_files(account, &files).await?,
        };
        self.equipment.insert(dir.to_owned(), packed.clone());
        Ok(packed)
    }

    /// The address of the package of these files, or why there is none. The package is stored if it is not
    /// stored yet.
    async fn pack_files(
        &mut self,
        account: &Account,
        files: &BTreeMap<PathBuf, PathBuf>,
    ) -> Result<Result<String, Refused>, LambdaError> {
        let package = pack(files, self.scratch.path())?;
        let id = package.id.clone();
        if self.bucket.is_none() && package.bytes > MOST_INLINE {
            let why = format!("a package of {} bytes is too large to send with each call", package.bytes);
            return Ok(Err((why, "use a bucket: leave `lambda.bucket` out".into())));
        }
        if !self.shipped.contains_key(&id) {
            let shipped = self.ship(account, package).await?;
            self.shipped.insert(id.clone(), shipped);
        }
        Ok(Ok(id))
    }

    /// What the platform lacks for a runtime image: the first misfit of the files that all programs load.
    fn misfit_of_equipment(
        &self,
        harness: &str,
        equipper: &dyn Equipper,
        dir: &Path,
        files: &BTreeMap<PathBuf, PathBuf>,
    ) -> Result<Option<Refused>, LambdaError> {
        let names = files.keys().filter_map(|path| path.file_name());
        let beside: HashSet<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        for file in equipper.loaded().iter().filter(|file| dir.join(file).exists()) {
            let what = format!("`{file}` of the runtime image for {harness}");
            if let Some(refused) = misfit(&self.runtime, harness, &what, &dir.join(file), &beside)? {
                return Ok(Some(refused));
            }
        }
        Ok(None)
    }

    async fn ship(&self, account: &Account, package: Package) -> Result<Shipped, LambdaError> {
        let dir = format!("{}/{}", self.directory, package.id);
        let archive = match &self.bucket {
            Some(bucket) if package.bytes > SMALL => {
                store(account, bucket, &package).await?;
                Archive::Url(signed(account, bucket, &package.id).await?)
            }
            Some(_) => Archive::Inline(inline(&package)?),
            None => Archive::Withheld,
        };
        let source = PackageSource { id: package.id.clone(), dir, archive };
        Ok(Shipped { package, source, signed: Instant::now() })
    }

    /// Renews addresses that will soon be invalid.
    pub(crate) async fn refresh(&mut self, account: &Account) -> Result<(), LambdaError> {
        let Some(bucket) = self.bucket.clone() else { return Ok(()) };
        for shipped in self.shipped.values_mut() {
            if matches!(shipped.source.archive, Archive::Url(_)) && shipped.signed.elapsed() > FRESH_AFTER {
                shipped.source.archive = Archive::Url(signed(account, &bucket, &shipped.package.id).await?);
                shipped.signed = Instant::now();
            }
        }
        Ok(())
    }

    /// The same call with the locations of its programs on the platform. `None` if they cannot run there.
    pub(crate) fn there(&self, call: &Call, settings: &LambdaSettings) -> Option<Call> {
        let moved = |program: &Option<Program>| match program {
            None => Some(None),
            Some(program) => self.moved(program).map(Some),
        };
        let subject = Subject {
            benchmark: call.subject.benchmark.clone(),
            base: moved(&call.subject.base)?,
            head: moved(&call.subject.head)?,
        };
        let mut call = Call { subject, cores: None, niceness: None, ..call.clone() };
        call.limits.wall = call.limits.wall.min(settings.execution_limit);
        Some(call)
    }

    fn moved(&self, program: &Program) -> Option<Program> {
        let fit = self.programs.get(&key(program))?.as_ref().ok()?;
        let dir = Path::new(&self.shipped.get(&fit.program)?.source.dir);
        let place = BuildPlace { root: dir.join(ROOT), out: dir.join(OUT) };
        let equipped = fit.equipment.as_ref().map(|(executable, _)| executable.clone());
        Some(Program { executable: equipped.unwrap_or_else(|| program.executable.clone()), place })
    }

    /// The addresses of the packages of these calls, without duplicates.
    pub(crate) fn addresses(&self, calls: &[&Call]) -> Vec<String> {
        let programs = calls.iter().flat_map(|call| programs(&call.subject));
        let fits = programs.filter_map(|program| self.programs.get(&key(program))?.as_ref().ok());
        let ids = fits
            .flat_map(|fit| std::iter::once(&fit.program).chain(fit.equipment.as_ref().map(|(_, id)| id)));
        let ids: BTreeSet<&String> = ids.collect();
        ids.into_iter().cloned().collect()
    }

    /// For each address, where functions get the package, and the archive for functions that lack it.
    pub(crate) fn sources(&self) -> HashMap<String, (PackageSource, PathBuf)> {
        let sources = self.shipped.iter();
        let source = |shipped: &Shipped| (shipped.source.clone(), shipped.package.path.clone());
        sources.map(|(id, shipped)| (id.clone(), source(shipped))).collect()
    }

    /// Number of packages, and bytes of the archives and of their contents.
    pub(crate) fn sizes(&self) -> (usize, u64, u64) {
        let packages = self.shipped.values().map(|shipped| &shipped.package);
        let (bytes, unpacked) = packages.fold((0, 0), |(bytes, unpacked), package| {
            (bytes + package.bytes, unpacked + package.unpacked_bytes)
        });
        (self.shipped.len(), bytes, unpacked)
    }
}

fn object(id: &str) -> String {
    format!("packages/{id}.tar.gz")
}

async fn store(account: &Account, bucket: &str, package: &Package) -> Result<(), LambdaError> {
    let what = format!("store a package in the bucket `{bucket}`");
    let (s3, name) = (&account.s3, object(&package.id));
    if s3.head_object().bucket(bucket).key(&name).send().await.if_there(&what)?.is_some() {
        return Ok(());
    }
    let body = ByteStream::from_path(&package.path)
        .await
        .map_err(|error| LambdaError::Service { what: what.clone(), why: error.to_string() })?;
    s3.put_object().bucket(bucket).key(&name).body(body).send().await.explained(&what)?;
    Ok(())
}

async fn signed(account: &Account, bucket: &str, id: &str) -> Result<String, LambdaError> {
    let what = "sign an address";
    let request = account.s3.get_object().bucket(bucket).key(object(id));
    Ok(request.presigned(valid(what)?).await.explained(what)?.uri().to_owned())
}

/// How long addresses are valid.
pub(crate) fn valid(what: &str) -> Result<PresigningConfig, LambdaError> {
    PresigningConfig::expires_in(SIGNED_FOR)
        .map_err(|error| LambdaError::Service { what: what.into(), why: error.to_string() })
}

fn inline(package: &Package) -> Result<String, LambdaError> {
    let read = |source| PackageError::Read { path: package.path.clone(), source };
    Ok(STANDARD.encode(fs::read(&package.path).map_err(read)?))
}

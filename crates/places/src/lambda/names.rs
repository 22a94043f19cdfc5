//! Names of resources, from which they are found again without a record.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::lambda::LambdaSettings;
use crate::package::Architecture;

/// What every name begins with.
pub(crate) const PREFIX: &str = "benchwright-";

/// The tag on everything that can be tagged.
pub(crate) const TAG: &str = "made-by";
/// Its value.
pub(crate) const TAG_VALUE: &str = "benchwright";

/// Something that `deploy` makes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// The role of functions; it has no rights.
    Role(String),
    /// The bucket of packages and large answers.
    Bucket(String),
    /// A function.
    Function(String),
}

impl Resource {
    /// Its name on the platform.
    pub fn name(&self) -> &str {
        match self {
            Resource::Role(name) | Resource::Bucket(name) | Resource::Function(name) => name,
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Resource::Role(name) => write!(f, "role {name}"),
            Resource::Bucket(name) => write!(f, "bucket {name}"),
            Resource::Function(name) => write!(f, "function {name}"),
        }
    }
}

/// The function of this benchwright, this program, these settings and so many megabytes: `benchwright-0-1-0-x86_64-<hash>`.
pub(crate) fn function(
    settings: &LambdaSettings,
    memory: u32,
    architecture: Architecture,
    image: &[u8],
) -> String {
    let mut digest = Sha256::new();
    digest.update(image);
    let (tmp, limit) = (settings.tmp_size, settings.time_limit.as_secs());
    digest.update(format!("{memory} {tmp} {limit}"));
    let hash = hex::encode(&digest.finalize()[..6]);
    format!("{PREFIX}{}-{architecture}-{hash}", env!("CARGO_PKG_VERSION").replace('.', "-"))
}

/// The role in this region: functions of other regions have another, so that removing one harms no other.
pub(crate) fn role(region: &str) -> String {
    format!("{PREFIX}{region}")
}

/// The bucket of this account in this region; names of buckets are the whole world's.
pub(crate) fn bucket(account: &str, region: &str) -> String {
    format!("{PREFIX}{account}-{region}")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_functions_name_follows_from_all_that_makes_it() {
        let settings = LambdaSettings::default();
        let of = function;
        let name = of(&settings, 2048, Architecture::X86, b"image");
        assert!(name.starts_with("benchwright-0-1-0-x86_64-") && name.len() <= 64, "{name}");
        assert_eq!(name, of(&settings, 2048, Architecture::X86, b"image"));
        let larger = LambdaSettings { tmp_size: 1024, ..settings.clone() };
        let shorter = LambdaSettings { time_limit: Duration::from_secs(9), ..settings.clone() };
        let others = [
            of(&settings, 2048, Architecture::Arm, b"image"),
            of(&settings, 2048, Architecture::X86, b"other"),
            of(&settings, 1024, Architecture::X86, b"image"),
            of(&larger, 2048, Architecture::X86, b"image"),
            of(&shorter, 2048, Architecture::X86, b"image"),
        ];
        assert!(others.iter().all(|other| *other != name));
        // What does not make another function does not rename it.
        let parallel = LambdaSettings { parallel: 3, ..settings };
        assert_eq!(name, of(&parallel, 2048, Architecture::X86, b"image"));
    }
}

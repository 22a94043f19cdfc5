//! Names of resources, by which they are found again without a record.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::lambda::LambdaSettings;
use crate::package::Architecture;

/// The prefix of all names.
pub(crate) const PREFIX: &str = "benchwright-";

/// The tag on everything that can be tagged.
pub(crate) const TAG: &str = "made-by";
/// Its value.
pub(crate) const TAG_VALUE: &str = "benchwright";

/// Something that `deploy` makes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resource {
    /// The role of functions. It has no permissions.
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

/// The function for this version of benchwright, this program, these settings and this memory in megabytes:
/// `benchwright-0-1-0-x86_64-<hash>`.
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

/// The role in this region. Functions of other regions have another one, so that removing it does not affect
/// them.
pub(crate) fn role(region: &str) -> String {
    format!("{PREFIX}{region}")
}

/// The bucket of this account in this region. Bucket names are unique in the whole world.
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
        // A setting that does not change the function does not change its name.
        let parallel = LambdaSettings { parallel: 3, ..settings };
        assert_eq!(name, of(&parallel, 2048, Architecture::X86, b"image"));
    }
}

//! The two versions that are compared.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One of the two versions of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// The old version, A in formulas.
    Base,
    /// The new version, B in formulas. It is the only side of a run of one version.
    Head,
}

impl Side {
    /// Both sides, base first.
    pub const BOTH: [Side; 2] = [Side::Base, Side::Head];

    /// The opposite side.
    pub fn other(self) -> Side {
        match self {
            Side::Base => Side::Head,
            Side::Head => Side::Base,
        }
    }

    /// `base` or `head`.
    pub fn name(self) -> &'static str {
        match self {
            Side::Base => "base",
            Side::Head => "head",
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A state of the repository: a revision, or the working tree with its uncommitted changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Its name for the user: the revision as typed, or `working tree`.
    pub label: String,
    /// The full commit id. For the working tree, that of the commit it is based on, if there is one.
    pub commit: Option<String>,
    /// The git tree id of exactly the files that were built.
    pub tree: String,
    /// Whether the files differ from `commit`.
    pub dirty: bool,
    /// First line of the commit message. Empty for the working tree.
    pub subject: String,
}

impl Version {
    /// A short text for headings: label and abbreviated commit, `main (1f2e3d4)`.
    pub fn title(&self) -> String {
        let short = self.commit.as_deref().map(|id| &id[..id.len().min(9)]);
        match short {
            Some(id) if self.dirty => format!("{} ({id} + changes)", self.label),
            Some(id) if !self.label.starts_with(id) => format!("{} ({id})", self.label),
            _ => self.label.clone(),
        }
    }
}

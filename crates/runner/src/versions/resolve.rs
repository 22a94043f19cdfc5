//! From revisions that the user types to versions.

use benchwright_model::Version;

use super::{Cache, Repository, Snapshot, VersionError, names};

/// The two versions of a comparison.
#[derive(Debug, Clone)]
pub struct Pair {
    /// The old one.
    pub base: Version,
    /// The new one. If it is the working tree, it has diagnostics.
    pub head: Snapshot,
}

impl Repository {
    /// The version called `revision`: anything with files that `git rev-parse` takes.
    pub fn resolve(&self, revision: &str) -> Result<Version, VersionError> {
        // The object is resolved first, because an expression like `:/text` takes no suffix.
        let Some(object) = self.verify(revision)? else { return Err(self.unknown(revision)?) };
        let Some(commit) = self.verify(&format!("{object}^{{commit}}"))? else {
            return self.resolve_tree(revision, &object);
        };
        let facts = self.git().text(&["log", "-1", "--no-color", "--format=%T%x00%s", &commit])?;
        let (tree, subject) = facts.split_once('\0').unwrap_or((&facts, ""));
        Ok(Version {
            label: revision.to_owned(),
            tree: tree.to_owned(),
            commit: Some(commit),
            dirty: false,
            subject: subject.to_owned(),
        })
    }

    /// The versions to compare. `base` may be a range: `A..B` compares A with B, and `A...B` compares the
    /// merge base of A and B with B. If a side of a range is left out, it is the current commit as base or
    /// the working tree as head. Without a range and without `head`, head is the working tree.
    pub fn resolve_pair(&self, cache: &Cache, base: &str, head: Option<&str>) -> Result<Pair, VersionError> {
        let Some(range) = Range::parse(base) else {
            return Ok(Pair { base: self.resolve(base)?, head: self.resolve_head(cache, head)? });
        };
        if let Some(head) = head {
            return Err(VersionError::RangeAndHead { range: base.to_owned(), head: head.to_owned() });
        }
        let left = range.left.unwrap_or("HEAD");
        let base_version = match range.is_symmetric {
            true => self.merge_base(left, range.right.unwrap_or("HEAD"))?,
            false => self.resolve(left)?,
        };
        Ok(Pair { base: base_version, head: self.resolve_head(cache, range.right)? })
    }

    fn resolve_head(&self, cache: &Cache, head: Option<&str>) -> Result<Snapshot, VersionError> {
        match head {
            Some(head) => Ok(Snapshot { version: self.resolve(head)?, diagnostics: Vec::new() }),
            None => self.snapshot(cache),
        }
    }

    fn merge_base(&self, left: &str, right: &str) -> Result<Version, VersionError> {
        let commits = (self.resolve(left)?.commit, self.resolve(right)?.commit);
        let (Some(left_id), Some(right_id)) = commits else { return Err(self.no_merge_base(left, right)) };
        match self.git().try_text(&["merge-base", &left_id, &right_id])? {
            Some(id) => {
                let base = self.resolve(&id)?;
                Ok(Version { label: format!("merge base of {left} and {right}"), ..base })
            }
            None => Err(self.no_merge_base(left, right)),
        }
    }

    fn no_merge_base(&self, left: &str, right: &str) -> VersionError {
        VersionError::NoMergeBase {
            left: left.to_owned(),
            right: right.to_owned(),
            is_shallow: self.is_shallow,
        }
    }

    fn resolve_tree(&self, revision: &str, object: &str) -> Result<Version, VersionError> {
        let label = revision.to_owned();
        match self.verify(&format!("{object}^{{tree}}"))? {
            Some(tree) => Ok(Version { label, commit: None, tree, dirty: false, subject: String::new() }),
            None => Err(VersionError::NotATree { revision: label }),
        }
    }

    fn unknown(&self, revision: &str) -> Result<VersionError, VersionError> {
        let label = revision.to_owned();
        if self.is_empty()? {
            return Ok(VersionError::NoCommits { revision: label });
        }
        Ok(VersionError::UnknownRevision { revision: label, hint: names::hint(self, revision)? })
    }

    /// The object id of an expression. `None` if there is no such object.
    fn verify(&self, expression: &str) -> Result<Option<String>, VersionError> {
        // Older versions of git take an argument with a leading `-` for an option, and `^x` means "not x".
        if expression.starts_with(['-', '^']) || expression.contains('\0') {
            return Ok(None);
        }
        Ok(self.git().try_text(&["rev-parse", "--verify", "--quiet", expression])?)
    }
}

/// `A..B` or `A...B`.
#[derive(Debug, PartialEq, Eq)]
struct Range<'a> {
    left: Option<&'a str>,
    right: Option<&'a str>,
    is_symmetric: bool,
}

impl<'a> Range<'a> {
    fn parse(text: &'a str) -> Option<Range<'a>> {
        // Names cannot contain two dots, but a search for a message can: `:/text`, `main^{/text}`.
        let searchable = text.find(":/").or(text.find("{/")).unwrap_or(text.len());
        let at = text[..searchable].find("..")?;
        let is_symmetric = text[at..].starts_with("...");
        let right = &text[at + if is_symmetric { 3 } else { 2 }..];
        let given = |side: &'a str| (!side.is_empty()).then_some(side);
        Some(Range { left: given(&text[..at]), right: given(right), is_symmetric })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_cut_at_their_dots() {
        let check = |text: &str, expected: Option<(&str, &str, bool)>| {
            let found = Range::parse(text);
            let found =
                found.map(|range| (range.left.unwrap_or(""), range.right.unwrap_or(""), range.is_symmetric));
            assert_eq!(found, expected, "{text}");
        };
        check("a..b", Some(("a", "b", false)));
        check("a...b", Some(("a", "b", true)));
        check("v1.0...v1.1", Some(("v1.0", "v1.1", true)));
        check("main...", Some(("main", "", true)));
        check("..topic", Some(("", "topic", false)));
        check("main", None);
        check("v1.0", None);
        check(":/fix a..b", None);
        check("main^{/fix...}", None);
    }
}

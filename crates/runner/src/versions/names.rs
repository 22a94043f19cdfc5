//! Advice for unknown revisions.

use strsim::osa_distance;

use super::{Repository, VersionError};

/// Advice for an unknown revision: similar names, or a command that would fetch it.
pub(super) fn hint(repository: &Repository, revision: &str) -> Result<String, VersionError> {
    let name =
        revision.split(['~', '^', ':']).next().unwrap_or(revision).split("@{").next().unwrap_or(revision);
    let refs = repository.git().text(&[
        "for-each-ref",
        "--format=%(refname:short)",
        "refs/heads",
        "refs/tags",
        "refs/remotes",
    ])?;
    let known: Vec<&str> = refs.lines().collect();
    let mut advice = Vec::new();
    if !known.contains(&name) {
        let near = nearest(name, &known);
        if !near.is_empty() {
            advice.push(format!("did you mean {}?", near.join(" or ")));
        }
    }
    if repository.is_shallow {
        advice.push("this clone is shallow: `git fetch --unshallow` gets the whole history".into());
    }
    let remotes = repository.git().text(&["remote"])?;
    if let Some(remote) = remotes.lines().next()
        && !known.contains(&name)
    {
        let branch = name.strip_prefix(remote).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
        advice.push(match repository.is_shallow {
            // A shallow clone usually follows one branch only, so a plain fetch would not get another one.
            true => format!("`git fetch {remote} {branch}:refs/remotes/{remote}/{branch}` gets a branch"),
            false => "`git fetch` gets new branches".to_owned(),
        });
    }
    if advice.is_empty() {
        advice.push("`git log --all --oneline` shows what there is".into());
    }
    Ok(advice.join("; "))
}

/// At most three of `known` that are similar to `name`, the most similar first.
fn nearest(name: &str, known: &[&str]) -> Vec<String> {
    let allowed = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = known
        .iter()
        .filter_map(|candidate| {
            let last = candidate.rsplit('/').next().unwrap_or(candidate);
            let distance = osa_distance(name, candidate).min(osa_distance(name, last));
            (distance <= allowed).then_some((distance, *candidate))
        })
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, candidate)| format!("`{candidate}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_best_first() {
        let check = |name: &str, expected: &[&str]| {
            let known = ["main", "feature/parser", "origin/main", "v1.0.0", "release"];
            assert_eq!(nearest(name, &known), expected);
        };
        check("mian", &["`main`", "`origin/main`"]);
        check("parser", &["`feature/parser`"]);
        check("v1.0.1", &["`v1.0.0`"]);
        check("nothing-like-it", &[]);
    }
}

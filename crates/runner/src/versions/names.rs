//! Advice for unknown revisions.

use super::{Repository, VersionError};

/// Advice for an unknown revision: near names, or what would fetch it.
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
            // A shallow clone usually follows one branch only, so that a plain fetch would not get another one.
            true => format!("`git fetch {remote} {branch}:refs/remotes/{remote}/{branch}` gets a branch"),
            false => "`git fetch` gets new branches".to_owned(),
        });
    }
    if advice.is_empty() {
        advice.push("`git log --all --oneline` shows what there is".into());
    }
    Ok(advice.join("; "))
}

/// At most three of `known` that are similar to `name`, best first.
fn nearest(name: &str, known: &[&str]) -> Vec<String> {
    let allowed = (name.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = known
        .iter()
        .filter_map(|candidate| {
            let last = candidate.rsplit('/').next().unwrap_or(candidate);
            let distance = edit_distance(name, candidate).min(edit_distance(name, last));
            (distance <= allowed).then_some((distance, *candidate))
        })
        .collect();
    near.sort();
    near.into_iter().take(3).map(|(_, candidate)| format!("`{candidate}`")).collect()
}

/// Characters to insert, remove, replace or swap with their neighbour to turn one text into the other (optimal string
/// alignment).
fn edit_distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=right.len()).collect()];
    for i in 1..=left.len() {
        let mut row = vec![i];
        for j in 1..=right.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        let check =
            |left: &str, right: &str, expected: usize| assert_eq!(edit_distance(left, right), expected);
        check("main", "main", 0);
        check("mian", "main", 1);
        check("", "main", 4);
        check("kitten", "sitting", 3);
    }

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

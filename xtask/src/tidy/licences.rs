//! Checks the licences of dependencies against the list in deny.toml, without using the network.

use super::Fault;
use super::files::File;
use crate::metadata::Licensed;

const LIST: &str = "deny.toml";

/// Dependencies whose licence is not allowed.
pub(crate) fn faults(files: &[File], packages: &[Licensed]) -> Vec<Fault> {
    let text = files.iter().find(|file| file.path == LIST).map_or("", |file| &file.text);
    let allowed = allowed(text);
    let is_fault = |package: &&Licensed| !is_allowed(&package.licence, &allowed);
    let message = |package: &Licensed| {
        format!("`{}` has the licence `{}`, which is not allowed", package.name, package.licence)
    };
    packages.iter().filter(is_fault).map(|package| Fault::new(LIST, 0, message(package))).collect()
}

/// The strings of the list `allow` of `[licenses]`.
fn allowed(text: &str) -> Vec<&str> {
    let section = text.split("[licenses]").nth(1).unwrap_or_default();
    let list = section.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
    list.split('"').skip(1).step_by(2).collect()
}

/// Whether each part of an AND has at least one allowed alternative. Older manifests write `/` for OR.
fn is_allowed(licence: &str, allowed: &[&str]) -> bool {
    let plain = licence.replace(['(', ')'], "").replace('/', " OR ");
    plain.split(" AND ").all(|part| part.split(" OR ").any(|one| allowed.contains(&one.trim())))
}

#[cfg(test)]
mod tests {
    use super::super::files::file;
    use super::*;

    #[test]
    fn what_is_not_in_the_list_is_named() {
        let files = [file(LIST, "[licenses]\nallow = [\n  \"MIT\",\n  \"Unicode-3.0\",\n]\n\n[bans]\n")];
        let check = |licence: &str, is_fine: bool| {
            let package = Licensed { name: "x".into(), licence: licence.into() };
            assert_eq!(faults(&files, &[package]).is_empty(), is_fine, "{licence}");
        };
        check("MIT", true);
        check("Apache-2.0 OR MIT", true);
        check("Apache-2.0/MIT", true);
        check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
        check("GPL-3.0", false);
        check("MIT AND GPL-3.0", false);
        check("", false);
    }
}

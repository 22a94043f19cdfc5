//! Every captured file is read, and the result is compared with one that was checked by hand.

use std::fs;
use std::path::{Path, PathBuf};

use benchwright_testkit::repository;

use crate::test_reading::{account, details};
use crate::{read, read_path};

/// All captured files, by path.
pub(crate) fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in fs::read_dir(repository().join("fixtures/exchange")).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            found.extend(fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()));
        }
    }
    found.retain(|file| file.file_name().is_some_and(|name| name != "README.md"));
    found.sort();
    found
}

/// A short path: `jmh/1.37-avgt.json`.
pub(crate) fn short(path: &Path) -> String {
    let parts: Vec<String> =
        path.iter().rev().take(2).map(|part| part.to_string_lossy().into_owned()).collect();
    format!("{}/{}", parts[1], parts[0])
}

#[test]
fn captured_files_are_read_as_expected() {
    let files = files();
    assert!(files.len() >= 30, "{} files", files.len());
    for file in files {
        let name = short(&file);
        let list = read(&name, &fs::read(&file).unwrap()).unwrap();
        insta::assert_snapshot!(name.replace('/', "-"), format!("{}\n\n{}", account(&list), details(&list)));
    }
}

#[test]
fn a_path_gives_the_same_as_its_bytes() {
    for file in files() {
        let from_path = read_path(&file).unwrap();
        let from_bytes = read(&file.display().to_string(), &fs::read(&file).unwrap()).unwrap();
        assert_eq!(from_path, from_bytes, "{}", file.display());
    }
}

#[test]
fn folders_of_criterion_are_read_in_all_versions() {
    for version in ["0.3.6", "0.5.1", "0.8.2"] {
        let folder = repository().join(format!("fixtures/cargo/criterion-{version}"));
        let list = read_path(&folder).unwrap();
        insta::assert_snapshot!(format!("criterion-{version}"), account(&list));
    }
}

#[test]
fn what_is_none_of_the_formats_is_said() {
    let check = |path: &str, expected: &str| {
        let error = read_path(&repository().join(path)).unwrap_err();
        let said = format!("{error}\n{}", error.hint());
        assert!(
            said.contains(expected) && (said.contains("looked for jmh-json, ") || path == "fixtures/noise"),
            "{said}"
        );
    };
    check("fixtures/go/foreign.txt", "it begins with `");
    check("fixtures/go/garbage.bin", "none of the known formats");
    check("Cargo.toml", "it begins with `[workspace]`");
    check("docs/schema/comparison.schema.json", "it is a JSON object with ");
    check("fixtures/noise", "no `sample.json`");
}

#[test]
fn nothing_is_not_a_result() {
    let check = |bytes: &[u8]| assert!(read("file", bytes).unwrap_err().to_string().ends_with("it is empty"));
    check(b"");
    check(b" \r\n\n");
    check(b"\xef\xbb\xbf");
    assert!(read_path(Path::new("no/such/file")).unwrap_err().to_string().starts_with("read `no/such/file`"));
}

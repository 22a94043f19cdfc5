//! Built programs: the paths of the build directory in them, and where they are stored.

use std::fs;
use std::path::{Path, PathBuf};

use super::steps::file_error;
use super::{loaded, source};
use crate::HarnessError;

/// Longer generated files contain tables, not settings.
const LONGEST: u64 = 1 << 20;

/// Whether generated code in a build directory contains the name of the directory (a header with paths made
/// by `configure_file`). It would be hard to find in a program, because compilers split short texts.
pub(super) fn has_code_that_names(directory: &Path, name: &[u8]) -> bool {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let (path, file) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let Ok(kind) = entry.file_type() else { return false };
        if kind.is_dir() {
            // CMake's own files contain it often, and fetched sources do not contain it.
            return file != "CMakeFiles" && !file.ends_with("-src") && has_code_that_names(&path, name);
        }
        let is_settings = kind.is_file() && source::is_code(&file) && !file.ends_with(".cmake");
        is_settings
            && entry.metadata().is_ok_and(|metadata| metadata.len() < LONGEST)
            && fs::read(&path).is_ok_and(|bytes| occurrences(&bytes, name).next().is_some())
    })
}

/// Whether a program contains the path of `directory` in a way that matters: as a place to read or load
/// something from at run time. The path of a source file (`__FILE__` of a fetched or generated one) is only
/// printed.
pub(super) fn knows_directory(program: &Path, directory: &Path) -> Result<bool, HarnessError> {
    let bytes = fs::read(program).map_err(file_error(program))?;
    let resolved = directory.canonicalize().ok();
    let names = [Some(directory.to_owned()), resolved];
    Ok(names.iter().flatten().any(|name| is_place_in(&bytes, name.as_os_str().as_encoded_bytes())))
}

fn is_place_in(bytes: &[u8], directory: &[u8]) -> bool {
    let matters = |text: &[u8]| {
        let end = text.iter().position(|byte| *byte == 0).unwrap_or(text.len());
        let file = text[..end].rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        !source::is_code(&String::from_utf8_lossy(file))
    };
    loaded::ranges(bytes).into_iter().any(|range| {
        let part = &bytes[range];
        occurrences(part, directory).any(|at| matters(&part[at..]))
    })
}

/// The positions of `text` in `bytes`. There are none if `text` is empty.
fn occurrences<'a>(bytes: &'a [u8], text: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let first = text.first().copied();
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = first?;
        loop {
            let start = at + bytes.get(at..)?.iter().position(|byte| *byte == first)?;
            at = start + 1;
            if bytes[start..].starts_with(text) {
                return Some(start);
            }
        }
    })
}

/// A variable for programs that load or read other files of their build. It makes the programs of two builds
/// differ, whatever their bytes, so that they never count as identical. Its value has the same length for all
/// builds.
pub(super) fn belonging(out: &Path) -> Vec<(String, String)> {
    vec![("BENCHWRIGHT_BUILD".into(), out.display().to_string())]
}

/// Copies a program below `out`. Its name depends only on its label, so that the programs of both versions
/// have paths of the same length.
pub(super) fn copy(program: &Path, out: &Path, label: &str) -> Result<PathBuf, HarnessError> {
    let safe = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '+' };
    let path = Path::new("bin").join(label.chars().map(safe).collect::<String>());
    let bin = out.join("bin");
    fs::create_dir_all(&bin).map_err(file_error(&bin))?;
    fs::copy(program, out.join(&path)).map_err(file_error(program))?;
    Ok(path)
}

/// Removes files from a version's own build directory that no program reads, because a build is kept for a
/// long time.
pub(super) fn drop_intermediate_files(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let Ok(kind) = entry.file_type() else { continue };
        // Files that cannot be removed only take space.
        if kind.is_dir() && matches!(name.as_str(), "CMakeFiles" | ".cmake") {
            let _ = fs::remove_dir_all(path);
        } else if kind.is_dir() {
            drop_intermediate_files(&path);
        } else if kind.is_file() && (name.ends_with(".o") || name.ends_with(".a")) {
            let _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::loaded::tests::elf;
    use super::*;
    use crate::test_files;

    #[test]
    fn a_directory_matters_where_something_may_be_read_from_it() {
        let check = |text: &str, expected: bool| {
            assert_eq!(is_place_in(&elf(text.as_bytes(), b"/b/build\0"), b"/b/build"), expected, "{text}");
        };
        check("x\0/b/build/lib:/opt/lib\0", true);
        check("data in /b/build\0", true);
        check("/b/build/data/table.bin\0", true);
        check("/b/build/_deps/x-src/src/check.cc\0/usr/lib", false);
        check("/b/build/gen/a.h", false);
        check("/b/build/gen/a.h\0/b/build/data\0", true);
        check("/b/buil", false);
        check("", false);
    }

    #[test]
    fn generated_headers_with_the_directorys_name_are_found() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let write = |name: &str, text: &str| test_files::write(dir.path(), &[(name, text)]);
        write("CMakeFiles/a.cc", "/b/build");
        write("cmake_install.cmake", "/b/build");
        write("_deps/x-src/a.h", "/b/build");
        write("notes.txt", "/b/build");
        assert!(!has_code_that_names(dir.path(), b"/b/build"));
        write("generated/config.h", "#define DATA \"/b/build/data\"");
        assert!(has_code_that_names(dir.path(), b"/b/build"));
    }

    #[test]
    fn a_copy_has_a_plain_name_and_can_be_run() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let program = std::env::current_exe().expect("this test");
        let path = copy(&program, dir.path(), "cpp/a b:c").expect("a copy");
        assert_eq!(path, Path::new("bin/cpp+a+b+c"));
        let mode = |path: &Path| fs::metadata(path).expect("a file").permissions();
        assert_eq!(mode(&program), mode(&dir.path().join(path)));
    }

    #[test]
    fn objects_and_notes_of_the_build_are_dropped_and_data_stays() {
        let names =
            ["a.o", "sub/CMakeFiles/x.dir/b.o", "sub/liba.a", "sub/libb.so", "data/table.bin", "bench"];
        let dir = test_files::tree(&names.map(|name| (name, "x")));
        drop_intermediate_files(dir.path());
        let is_there = |name: &str| dir.path().join(name).exists();
        assert!(is_there("sub/libb.so") && is_there("data/table.bin") && is_there("bench"));
        assert!(!is_there("a.o") && !is_there("sub/CMakeFiles") && !is_there("sub/liba.a"));
    }
}

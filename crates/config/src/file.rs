//! The configuration file: finding and reading it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use crate::problem::{Remark, Remarks};
use crate::setting::apply_all;
use crate::value::entries;
use crate::{Layer, Problem};

/// The name of the configuration file.
pub const FILE_NAME: &str = "benchwright.toml";

/// Why a settings file gives no settings.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("read the settings file `{path}`")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It has errors. All of them are included.
    #[error("use the settings file `{file}`\n{}", Listed(.problems))]
    Invalid {
        /// The file as it should be shown.
        file: String,
        /// The errors in the order of the text, never empty.
        problems: Vec<Problem>,
    },
}

/// Problems one after the other.
pub(crate) struct Listed<'a>(pub(crate) &'a [Problem]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            let separator = if i > 0 { "\n" } else { "" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

/// The configuration file that applies to `directory`: the nearest one in it or above it, up to and including
/// `root`. If `directory` is not below `root`, only `directory` is searched.
pub fn find_file(directory: &Path, root: &Path) -> Option<PathBuf> {
    let levels = if directory.starts_with(root) {
        directory.ancestors().take_while(|level| level.starts_with(root)).count()
    } else {
        1
    };
    directory.ancestors().take(levels).map(|level| level.join(FILE_NAME)).find(|file| file.is_file())
}

/// Reads the settings of a file.
pub fn read_file(path: &Path) -> Result<Layer, FileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| FileError::Unreadable { path: path.into(), source })?;
    read_text(&path.display().to_string(), &text)
}

/// The same for a text. `file` is the name in messages.
pub fn read_text(file: &str, text: &str) -> Result<Layer, FileError> {
    /// Larger than anybody writes.
    const LARGEST: usize = 1 << 20;
    let mut layer = Layer::default();
    let mut remarks = Remarks::default();
    let parsed = if text.len() <= LARGEST { Some(DeTable::parse(text)) } else { None };
    match parsed {
        None => remarks.errors.push(Remark::new(0..0, "the file is larger than 1 MiB")),
        Some(Ok(table)) => apply_all(&mut layer, &entries(table.get_ref()), &mut remarks),
        Some(Err(error)) => {
            let span = error.span().unwrap_or(text.len()..text.len());
            remarks.errors.push(Remark::new(span, error.message().replace('\n', ", ")));
        }
    }
    if remarks.errors.is_empty() {
        layer.thresholds.locate(file, text);
        return Ok(layer);
    }
    remarks.errors.sort_by_key(|remark| remark.span.start);
    let problems = remarks.errors.iter().map(|remark| Problem::new(file, text, remark)).collect();
    Err(FileError::Invalid { file: file.into(), problems })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The text of the error, without its first line.
    fn check_errors(text: &str, expected: &str) {
        let error = read_text("b.toml", text).expect_err("the text is wrong").to_string();
        let (title, rest) = error.split_once('\n').expect("problems follow the title");
        assert_eq!(title, "use the settings file `b.toml`");
        assert_eq!(rest, expected);
    }

    #[test]
    fn a_flood_of_unknown_keys_is_refused_at_once() {
        let started = std::time::Instant::now();
        let flood: String = (0..50_000).map(|n| format!("tresh{n} = 1\n")).collect();
        let told = read_text("b.toml", &flood).expect_err("nothing in it is known").to_string();
        assert_eq!(told.matches("unknown setting").count(), 20);
        let told = read_text("b.toml", &flood.repeat(3)).expect_err("it is large").to_string();
        assert!(told.contains("larger than 1 MiB"), "{told}");
        // This checks that the time does not grow with the square of the file's size.
        assert!(started.elapsed().as_secs() < 20);
    }

    #[test]
    fn wrong_types_and_ranges_are_shown_in_their_lines_all_at_once() {
        check_errors(
            "# duets\nmin-duets = \"five\"\nniceness = 30\nbudget = 5\n",
            "b.toml:2:13: expected a whole number from 2 to 100000, got `\"five\"`\n\
             \x20 2 | min-duets = \"five\"\n\
             \x20   |             ^^^^^^\n\
             b.toml:3:12: expected a whole number from -20 to 19, got `30`\n\
             \x20 3 | niceness = 30\n\
             \x20   |            ^^\n\
             b.toml:4:10: expected a duration of at least a second, got `5`\n\
             \x20 4 | budget = 5\n\
             \x20   |          ^\n\
             \x20 hint: write it with a unit and in quotes: \"90s\", \"5m\"",
        );
    }

    #[test]
    fn errors_inside_lists_and_tables_point_at_the_part() {
        check_errors(
            "fail-on = [\"slower\", \"faster\"]\n",
            "b.toml:1:22: expected one of `slower`, `undecided`, `never`, got `\"faster\"`\n\
             \x20 1 | fail-on = [\"slower\", \"faster\"]\n\
             \x20   |                      ^^^^^^^^",
        );
        check_errors(
            "[go]\nargs = [\"-v\", 3]\n",
            "b.toml:2:15: expected a text in quotes, got `3`\n\
             \x20 2 | args = [\"-v\", 3]\n\
             \x20   |               ^",
        );
        check_errors(
            "[[thresholds]]\nbenchmark = \"*\"\nsoft = 0.1\nhard = 0.05\n",
            "b.toml:4:8: expected a hard threshold of at least the soft one, got `0.05`\n\
             \x20 4 | hard = 0.05\n\
             \x20   |        ^^^^",
        );
        check_errors(
            "[[thresholds]]\nsoft = 0.1\n",
            "b.toml:2:1: missing `benchmark`\n\
             \x20 2 | soft = 0.1\n\
             \x20   | ^^^^\n\
             \x20 hint: `benchmark = \"*\"` stands for all",
        );
    }

    #[test]
    fn text_that_is_no_toml_is_shown_where_it_stops_making_sense() {
        let error = read_text("b.toml", "seed = = 3\n").expect_err("no TOML").to_string();
        assert!(error.contains("b.toml:1:8: "), "{error}");
        assert!(error.contains("  1 | seed = = 3\n    |        ^"), "{error}");
    }

    #[test]
    fn an_unknown_key_is_an_error_with_its_place_and_the_nearest_name() {
        let check = |text: &str, place: &str, hint: &str| {
            let error = read_text("b.toml", text).expect_err("an unknown key").to_string();
            assert!(error.contains(&format!("b.toml:{place}\n")), "{error}");
            let expected =
                if hint.is_empty() { String::new() } else { format!("\n  hint: did you mean `{hint}`?") };
            assert!(error.ends_with(&expected) && error.contains("hint") != hint.is_empty(), "{error}");
        };
        check("treshold = \"10%\"\n", "1:1: unknown setting `treshold`", "threshold");
        check("seed = 1\nmin_duets = 5\n", "2:1: unknown setting `min_duets`", "min-duets");
        check("[levels]\nrun = 1\n  iterations = 5\n", "3:3: unknown setting `iterations`", "iteration");
        check("[cargo]\nbuild_args = []\n", "2:1: unknown setting `cargo.build_args`", "cargo.build-args");
        check(
            "[[thresholds]]\nbenchmark = \"*\"\nsotf = 0.1\nhard = 0.2\n",
            "3:1: unknown setting `sotf`",
            "soft",
        );
        check("weather = \"fine\"\n", "1:1: unknown setting `weather`", "");
    }

    #[test]
    fn no_text_makes_the_reader_panic() {
        for text in
            ["", "\u{feff}", "a", "=", "[", "[[thresholds]]", "go = 3", "seed = 99999999999999999999", "\0"]
        {
            let _ = read_text("b.toml", text);
        }
    }

    #[test]
    fn the_nearest_file_up_to_the_root_is_found() {
        let root = tempfile::tempdir().expect("a temporary directory");
        let repository = root.path().join("repository");
        let inner = repository.join("a/b");
        fs::create_dir_all(&inner).expect("directories");
        fs::write(root.path().join(FILE_NAME), "").expect("a file above the root");
        assert_eq!(find_file(&inner, &repository), None);
        fs::write(repository.join(FILE_NAME), "").expect("a file in the root");
        assert_eq!(find_file(&inner, &repository), Some(repository.join(FILE_NAME)));
        fs::write(repository.join("a").join(FILE_NAME), "").expect("a nearer file");
        assert_eq!(find_file(&inner, &repository), Some(repository.join("a").join(FILE_NAME)));
        assert_eq!(find_file(root.path(), &repository), Some(root.path().join(FILE_NAME)));
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = read_file(Path::new("no/such/file.toml")).expect_err("missing").to_string();
        assert_eq!(error, "read the settings file `no/such/file.toml`");
    }
}

//! The files that describe a system.

use std::fs;
use std::path::{Path, PathBuf};

/// `/proc` and `/sys` of a machine.
#[derive(Debug, Clone)]
pub struct SystemFiles {
    root: PathBuf,
}

impl SystemFiles {
    /// The files of this machine.
    pub fn here() -> Self {
        SystemFiles::below("/")
    }

    /// The files below another root that contains `proc` and `sys`.
    pub fn below(root: impl Into<PathBuf>) -> Self {
        SystemFiles { root: root.into() }
    }

    /// The trimmed text of a file. `None` if it cannot be read or is empty.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.path(path)).ok()?;
        let text = String::from_utf8_lossy(&bytes).trim().trim_end_matches('\0').to_string();
        (!text.is_empty()).then_some(text)
    }

    /// The number that is the whole content of a file.
    pub(super) fn number(&self, path: &str) -> Option<f64> {
        self.text(path)?.parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// Whether there is such a file or directory.
    pub(super) fn exists(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// The sorted names in a directory. `None` if there is no such directory.
    pub(super) fn names(&self, directory: &str) -> Option<Vec<String>> {
        let entries = fs::read_dir(self.path(directory)).ok()?;
        let mut names: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        Some(names)
    }

    /// The value after `key` and a colon in a file of such lines.
    pub(super) fn field(&self, path: &str, key: &str) -> Option<String> {
        field(&self.text(path)?, key)
    }

    /// The text of `file` in the directory of every logical processor that has the file.
    pub(super) fn of_every_processor(&self, file: &str) -> Vec<String> {
        const DIRECTORY: &str = "/sys/devices/system/cpu";
        let names = self.names(DIRECTORY).unwrap_or_default();
        let is_processor = |name: &&String| {
            name.strip_prefix("cpu").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        let read = |name: &String| self.text(&format!("{DIRECTORY}/{name}/{file}"));
        names.iter().filter(is_processor).filter_map(read).collect()
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.join(Path::new(path).strip_prefix("/").unwrap_or(Path::new(path)))
    }
}

/// The first value after `key` and a colon in lines of such pairs.
pub(super) fn field(text: &str, key: &str) -> Option<String> {
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.filter(|(name, _)| name.trim() == key).map(|(_, value)| value.trim().to_string()).next()
}

/// The numbers in a list of numbers and ranges in the format of the kernel, `0-3,8`.
pub(super) fn parse_list(text: &str) -> Vec<u32> {
    let mut numbers = Vec::new();
    for part in text.trim().split(',') {
        match part.split_once('-') {
            Some((first, last)) => {
                if let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
                    // Kernels support at most some thousand processors. A longer range is damaged.
                    numbers.extend(first..=last.min(first.saturating_add(65_535)));
                }
            }
            None => numbers.extend(part.trim().parse::<u32>().ok()),
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_numbers_and_ranges() {
        let check = |text: &str, expected: &[u32]| assert_eq!(parse_list(text), expected, "{text}");
        check("0-3,8", &[0, 1, 2, 3, 8]);
        check("5\n", &[5]);
        check("", &[]);
        check("3-1,x,2", &[2]);
    }

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "model\t\t: 85\nmodel name\t: Fast CPU @ 3: turbo\n";
        assert_eq!(field(text, "model name").as_deref(), Some("Fast CPU @ 3: turbo"));
        assert_eq!(field(text, "name"), None);
    }
}

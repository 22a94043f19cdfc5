//! The modules that are preloaded into node, and their settings.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;

/// Their directory in the build's directory.
const DIRECTORY: &str = "shim";

/// The module that is preloaded. It imports the others.
const ENTRY: &str = "shim.mjs";

/// The variable with the settings.
pub(super) const VARIABLE: &str = "BENCHWRIGHT_SHIM";

const MODULES: [(&str, &str); 5] = [
    (ENTRY, include_str!("../../../../shims/javascript/shim.mjs")),
    ("hooks.mjs", include_str!("../../../../shims/javascript/hooks.mjs")),
    ("benchmark.mjs", include_str!("../../../../shims/javascript/benchmark.mjs")),
    ("tinybench.mjs", include_str!("../../../../shims/javascript/tinybench.mjs")),
    ("vitest.mjs", include_str!("../../../../shims/javascript/vitest.mjs")),
];

/// Writes them into the build's directory.
pub(super) fn write(out: &Path) -> io::Result<()> {
    let dir = out.join(DIRECTORY);
    fs::create_dir_all(&dir)?;
    MODULES.iter().try_for_each(|(name, text)| fs::write(dir.join(name), text))
}

/// The one to preload.
pub(super) fn entry(out: &Path) -> PathBuf {
    out.join(DIRECTORY).join(ENTRY)
}

/// The path as a URL, as `--import` takes it.
pub(super) fn url(path: &Path) -> String {
    let mut url = "file://".to_owned();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'~' => url.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => url.push(char::from(byte)),
            byte => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url
}

/// The task of the shim, in the format it reads.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Settings<'a> {
    /// `list` or `run`.
    pub(super) mode: &'static str,
    pub(super) benchmark: &'a str,
    pub(super) script: &'a str,
    pub(super) iterations: u32,
    pub(super) iteration_seconds: f64,
    pub(super) warmups: u32,
}

impl Settings<'_> {
    /// The variable's value.
    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("plain texts and numbers are JSON")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_urls() {
        let check = |path: &str, expected: &str| assert_eq!(url(Path::new(path)), expected);
        check("/cache/a-b_c.d/shim.mjs", "file:///cache/a-b_c.d/shim.mjs");
        check("/my cache/100%/ä#?", "file:///my%20cache/100%25/%C3%A4%23%3F");
    }

    #[test]
    fn settings_are_written_as_the_shim_reads_them() {
        let settings = Settings {
            mode: "run",
            benchmark: "a \"b\"",
            script: "/x.js",
            iterations: 3,
            iteration_seconds: 0.1,
            warmups: 1,
        };
        let expected = r#"{"mode":"run","benchmark":"a \"b\"","script":"/x.js","iterations":3,"iterationSeconds":0.1,"warmups":1}"#;
        assert_eq!(settings.text(), expected);
        let shim = MODULES[0].1;
        for field in ["mode", "benchmark", "script", "iterations", "iterationSeconds", "warmups"] {
            assert!(shim.contains(field), "the shim says what `{field}` is");
        }
    }
}

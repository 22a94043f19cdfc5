//! Measures the peak memory of a process.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::command::shown;

/// How often the kernel's counter is read.
const PERIOD: Duration = Duration::from_millis(20);

/// Runs a command and returns the largest resident set of its own process in bytes, without its children. The
/// counters at the end of a process include children, so the kernel's counter is read while the process runs.
pub(crate) fn peak_bytes(command: &mut Command) -> Result<u64> {
    let text = shown(command);
    let mut child = command.spawn().with_context(|| format!("start `{text}`"))?;
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let status = loop {
        if let Some(bytes) = fs::read_to_string(&status_file).ok().as_deref().and_then(high_water_mark) {
            peak = peak.max(bytes);
        }
        match child.try_wait().with_context(|| format!("wait for `{text}`"))? {
            Some(status) => break status,
            None => std::thread::sleep(PERIOD),
        }
    };
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    if peak == 0 {
        bail!("this system does not say how much memory a process uses");
    }
    Ok(peak)
}

/// The largest resident set, from a status file of the kernel.
fn high_water_mark(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_read_from_the_status() {
        assert_eq!(high_water_mark("Name:\tx\nVmHWM:\t   12345 kB\nVmRSS:\t 1 kB\n"), Some(12345 * 1024));
        assert_eq!(high_water_mark("Name:\tzombie\n"), None);
    }
}

//! Other processes that are ready to run on this machine.

use std::time::Duration;

/// How often it is looked, and how long that is apart.
const LOOKS: u32 = 10;
const APART: Duration = Duration::from_millis(10);

/// Processes per processor that want to run beside this one, averaged over a tenth of a second: 0 on an idle machine, 1 where every
/// processor has something else to do. `None` if the system does not show it.
pub fn rivals() -> Option<f64> {
    let processors = processors(&std::fs::read_to_string("/proc/stat").ok()?)?;
    let mut running = 0;
    for _ in 0..LOOKS {
        running += others(&std::fs::read_to_string("/proc/loadavg").ok()?)?;
        std::thread::sleep(APART);
    }
    Some(f64::from(running) / f64::from(LOOKS) / f64::from(processors))
}

/// From `/proc/loadavg`: `0.20 0.18 0.12 3/80 11206` has three processes running, of which one is the reader.
fn others(text: &str) -> Option<u32> {
    let (running, _) = text.split_whitespace().nth(3)?.split_once('/')?;
    Some(running.parse::<u32>().ok()?.saturating_sub(1))
}

/// From `/proc/stat`: one line `cpu0 ...` per processor, after one for all.
fn processors(text: &str) -> Option<u32> {
    let is_one = |line: &&str| {
        line.strip_prefix("cpu").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    Some(text.lines().filter(is_one).count() as u32).filter(|count| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_those_that_run_less_the_reader() {
        assert_eq!(others("0.20 0.18 0.12 3/80 11206\n"), Some(2));
        assert_eq!(others("0.20 0.18 0.12 0/80 11206\n"), Some(0));
        assert_eq!(others("garbage"), None);
        assert_eq!(processors("cpu  1 2\ncpu0 1 2\ncpu1 1 2\nintr 5\n"), Some(2));
        assert_eq!(processors(""), None);
    }
}

//! Puts load on the machine.

use std::hint::black_box;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The load on the machine during a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Load {
    /// No load.
    Idle,
    /// One process per core that works and sleeps at random.
    Loaded,
}

impl Load {
    /// Its name in options and records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Load::Idle => "idle",
            Load::Loaded => "loaded",
        }
    }

    /// The load with this name.
    pub(crate) fn named(name: &str) -> Result<Load> {
        let found = [Load::Idle, Load::Loaded].into_iter().find(|load| load.name() == name);
        found.with_context(|| format!("understand --load {name}: idle or loaded is expected"))
    }
}

/// The processes that cause the load. They end when this is dropped.
#[derive(Debug)]
pub(crate) struct Workers(Vec<Child>);

impl Workers {
    /// Starts one process per core. Each one ends when its standard input is closed, so that none keeps
    /// running after us.
    pub(crate) fn start(load: Load) -> Result<Workers> {
        let mut workers = Workers(Vec::new());
        if load == Load::Idle {
            return Ok(workers);
        }
        let ourselves = std::env::current_exe().context("find our own program")?;
        for number in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            let mut command = Command::new(&ourselves);
            command.args(["verdicts", "work", "--seed", &number.to_string()]).stdin(Stdio::piped());
            workers.0.push(command.spawn().context("start a process that keeps the machine busy")?);
        }
        Ok(workers)
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        for worker in &mut self.0 {
            // Killing a process that has already ended fails, which makes no difference.
            let _ = worker.kill();
            let _ = worker.wait();
        }
    }
}

/// Works and sleeps until standard input ends.
pub(crate) fn work(seed: u64) -> Result<()> {
    std::thread::spawn(move || work_for_ever(seed));
    // The input is ignored. Only its end matters.
    std::io::stdin().read_to_end(&mut Vec::new()).context("wait for the end of standard input")?;
    Ok(())
}

/// Larger than the caches of one core, so that memory is used too.
const WORDS: usize = 4 << 20;

fn work_for_ever(seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut memory = vec![1_u64; WORDS];
    loop {
        let end = Instant::now() + span(&mut random);
        let touches_memory = random.next_u32() % 2 == 0;
        while Instant::now() < end {
            if touches_memory {
                walk(&mut memory, random.next_u64())
            } else {
                spin(random.next_u64())
            };
        }
        std::thread::sleep(span(&mut random));
    }
}

/// Between 10 and 500 ms, uniformly distributed.
fn span(random: &mut impl Rng) -> Duration {
    Duration::from_millis(10 + random.next_u64() % 491)
}

fn walk(memory: &mut [u64], start: u64) {
    let mut at = start as usize;
    for _ in 0..20_000 {
        at = at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let index = (at >> 20) % memory.len();
        memory[index] = memory[index].wrapping_add(at as u64);
    }
    black_box(&memory);
}

fn spin(start: u64) {
    let mut value = start;
    for i in 0..100_000_u64 {
        value ^= value.wrapping_add(i).rotate_left(7);
    }
    black_box(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_work_and_sleep_lie_within_their_limits() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let spans: Vec<u128> = (0..5000).map(|_| span(&mut random).as_millis()).collect();
        assert!(spans.iter().all(|span| (10..=500).contains(span)));
        assert!(spans.iter().any(|span| *span < 20) && spans.iter().any(|span| *span > 490));
    }

    #[test]
    fn loads_have_names() {
        assert_eq!(Load::named("loaded").unwrap(), Load::Loaded);
        assert!(Load::named("busy").is_err());
        assert!(Workers::start(Load::Idle).unwrap().0.is_empty());
    }
}

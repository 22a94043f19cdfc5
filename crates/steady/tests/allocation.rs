//! Rules are asked between two timed iterations, so what a decision allocates would disturb what is measured next.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Duration;

use benchwright_steady::rules::Configuration;
use benchwright_steady::rules::catalogue::{Given, RULES};
use benchwright_steady::{Cut, Decision, EndedProcess, StopRule, WhyCut};
use benchwright_testkit::fixture;

/// The system's allocator, with a count per thread: tests run side by side.
struct Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counter any more, and nothing to count.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of this very function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of this very function.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of all decisions about one process.
fn allocations(rule: &mut dyn StopRule, values: &[f64]) -> u64 {
    let before = COUNT.get();
    for (place, value) in (1_u32..).zip(values) {
        if let Decision::Stop(_) = rule.sample(*value, Duration::from_millis(100) * place) {
            break;
        }
    }
    COUNT.get() - before
}

/// They keep everything that was measured.
const EXEMPT: [&str; 3] = ["cv", "rciw", "kld"];

#[test]
fn no_decision_allocates_but_those_of_rules_that_keep_everything() {
    let text = fixture("jmh-steady/processes.csv");
    let values = text.lines().step_by(25).map(|line| line.rsplit(',').next().expect("values"));
    let processes: Vec<Vec<f64>> = values
        .map(|values| values.split(' ').map(|value| value.parse().expect("a number")).collect())
        .collect();
    let mut found = Vec::new();
    for rule in RULES.iter().filter(|rule| !EXEMPT.contains(&rule.name)) {
        let given = Given {
            configuration: Some(Configuration::JMH),
            iteration_time: Duration::from_millis(100),
            longest_warmup: Some(Duration::from_secs(20)),
            measured: None,
            seed: 1,
        };
        let mut plan = rule.plan(&given).expect("a rule");
        for number in 0..8 {
            // From the seventh process on the learned rule compares; those between are like the first.
            for values in processes.iter().filter(|_| number == 0 || number == 7) {
                let count = allocations(plan.rule().as_mut(), values);
                if count > 0 {
                    found.push(format!("{} in process {number}: {count}", rule.name));
                }
            }
            let cut = Cut { warmup: 20, why: WhyCut::Steady };
            plan.ended(EndedProcess { values: &processes[0], cut });
        }
    }
    assert!(found.is_empty(), "{found:?}");
}

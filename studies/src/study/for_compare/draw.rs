//! Draws two sides from the processes of one version.

pub(super) use crate::study::random::{Generator, shuffle};

/// The values of one process, in order.
pub(super) type Process = Vec<f64>;

/// How two sides are drawn from one pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// Each process belongs to one of the sides.
    Divided,
    /// Both sides draw from all processes with replacement, and use a random part of each. For benchmarks
    /// with too few processes to divide.
    Redrawn,
}

/// The processes that can be measured of one benchmark.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    /// Processes by place. A place is an instance.
    pub(super) places: Vec<Vec<Process>>,
    /// How sides are drawn.
    pub(super) sides: Sides,
}

/// How much of a side a contender measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Shape {
    /// Number of processes, distributed evenly over places.
    pub(super) processes: u32,
    /// Number of values per process.
    pub(super) values: u32,
}

/// One side, in the order of measuring.
pub(super) struct Side {
    places: Vec<Vec<Drawn>>,
}

/// A process on a side. `moment` is the start of the measured part, as a share of all possible starts.
struct Drawn {
    values: Process,
    moment: f64,
}

impl Pool {
    /// Draws two sides.
    pub(super) fn draw(&self, generator: &mut Generator) -> [Side; 2] {
        let mut sides = [Side { places: Vec::new() }, Side { places: Vec::new() }];
        for processes in &self.places {
            match self.sides {
                Sides::Divided => {
                    let mut shuffled = processes.clone();
                    shuffle(&mut shuffled, generator);
                    let half = shuffled.len() / 2;
                    shuffled.truncate(2 * half);
                    let second = shuffled.split_off(half);
                    for (side, half) in sides.iter_mut().zip([shuffled, second]) {
                        let drawn = half.into_iter().map(|values| Drawn { values, moment: 0.0 });
                        side.places.push(drawn.collect());
                    }
                }
                Sides::Redrawn => {
                    for side in &mut sides {
                        let mut one = || {
                            let values = processes[generator.below(processes.len())].clone();
                            Drawn { values, moment: generator.share() }
                        };
                        side.places.push((0..MOST_REDRAWN).map(|_| one()).collect());
                    }
                }
            }
        }
        sides
    }
}

/// More processes than any contender needs.
const MOST_REDRAWN: usize = 16;

impl Side {
    /// The measured processes, with all places in turn. Fewer than the shape says if the side has fewer.
    pub(super) fn take(&self, shape: Shape) -> Vec<Process> {
        self.take_with_places(shape).into_iter().map(|(_, process)| process).collect()
    }

    /// The same processes, by place.
    pub(super) fn take_by_place(&self, shape: Shape) -> Vec<Vec<Process>> {
        let mut taken = vec![Vec::new(); self.places.len()];
        for (place, process) in self.take_with_places(shape) {
            taken[place].push(process);
        }
        taken
    }

    fn take_with_places(&self, shape: Shape) -> Vec<(usize, Process)> {
        let places = self.places.len().max(1);
        let mut taken = Vec::new();
        for number in 0..shape.processes as usize {
            let place = number % places;
            let Some(drawn) = self.places.get(place).and_then(|drawn| drawn.get(number / places)) else {
                continue;
            };
            let count = (shape.values as usize).min(drawn.values.len());
            let room = drawn.values.len() - count;
            let from = ((room + 1) as f64 * drawn.moment) as usize;
            taken.push((place, drawn.values[from..from + count].to_vec()));
        }
        taken
    }
}

//! Two sides of one version: which processes each gets.

pub(super) use crate::study::random::{Generator, shuffle};

/// The values of one process, in order.
pub(super) type Process = Vec<f64>;

/// How two sides come from one pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// Every process goes to one side or the other.
    Divided,
    /// Both sides draw from all processes, again and again, each time from another moment of it: where there are too few to
    /// divide.
    Redrawn,
}

/// What can be measured of one benchmark.
#[derive(Debug, Clone)]
pub(super) struct Pool {
    /// Processes by place; a place is an instance.
    pub(super) places: Vec<Vec<Process>>,
    /// How sides come from them.
    pub(super) sides: Sides,
}

/// How much of a side a contender measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Shape {
    /// Processes, spread evenly over places.
    pub(super) processes: u32,
    /// Values of each.
    pub(super) values: u32,
}

/// One side in the order in which it would be measured.
pub(super) struct Side {
    places: Vec<Vec<Drawn>>,
}

/// A process on a side, and from which moment on it is measured, as a share of what leaves room for the values.
struct Drawn {
    values: Process,
    moment: f64,
}

impl Pool {
    /// Two sides.
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

/// More processes than any contender asks for.
const MOST_REDRAWN: usize = 16;

impl Side {
    /// As it would be measured, processes of all places in turn; fewer where there are fewer.
    pub(super) fn take(&self, shape: Shape) -> Vec<Process> {
        self.take_with_places(shape).into_iter().map(|(_, process)| process).collect()
    }

    /// The same by place.
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

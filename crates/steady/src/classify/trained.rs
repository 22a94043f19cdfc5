//! The models of the learned rule.

use std::sync::{Arc, OnceLock};

use super::features::{CUT, CUT_AFTER, GAIN, GAIN_FIRST, LEVEL, LEVEL_FIRST};
use super::prefix::GRID;
use super::trees::Trees;
use crate::bytes::{Bytes, WeightsError};

/// The models of [`Learned`](super::Learned) and their settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    pub(crate) settings: Settings,
    /// Models of processes that are not compared with another one.
    pub(crate) first: Models,
    /// Models of those that are compared with a long one.
    pub(crate) later: Models,
}

/// Three sums of trees.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Models {
    /// Estimates how much closer to the steady mean the recent iterations come by continuing.
    pub(crate) gain: Trees,
    /// Estimates how far they are from it.
    pub(crate) level: Trees,
    /// The probability that warm-up ended before a given iteration.
    pub(crate) over: Trees,
}

/// When [`Learned`](super::Learned) stops. This was chosen by cross-validation together with the models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Processes before the long one.
    pub early: u32,
    /// Iterations of the long one.
    pub long: u32,
    /// How the early processes stop.
    pub first: Policy,
    /// How the processes after the long one stop.
    pub later: Policy,
}

/// How a process stops that is not the long one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Policy {
    /// Maximum number of iterations.
    pub most: u32,
    /// The cost of one more iteration of 0.1 s, in the unit of the models' errors.
    pub price: f64,
    /// An error below this is small enough.
    pub small: f64,
    /// The penalty on an end of warm-up per unit of difference between the mean of the iterations after it
    /// and that of the last quarter.
    pub agreement: f64,
}

/// Trained by `studies/warmup`. `docs/models/learned.md` describes the training data and the quality.
const EMBEDDED: &[u8] = include_bytes!("../../weights/rule.bin");

/// Models that users trained on their own processes.
static CHOSEN: OnceLock<Arc<Trained>> = OnceLock::new();

/// The first bytes of the file.
const MAGIC: &[u8; 4] = b"BWT2";

impl Trained {
    /// The models of the rule `learned` in this program: the [chosen](Trained::choose) ones, or else the
    /// embedded ones.
    pub fn in_use() -> Arc<Trained> {
        CHOSEN.get().map_or_else(Trained::embedded, Arc::clone)
    }

    /// Uses these models for the rule `learned` from now on. Only the first choice in a program has an
    /// effect; for others it returns false.
    pub fn choose(self) -> bool {
        CHOSEN.set(Arc::new(self)).is_ok()
    }

    /// The embedded models. They are read when first needed, and shared.
    pub fn embedded() -> Arc<Trained> {
        static TRAINED: OnceLock<Arc<Trained>> = OnceLock::new();
        let read = || {
            Arc::new(Trained::read(EMBEDDED).expect("the embedded models are whole: a test reads them all"))
        };
        Arc::clone(TRAINED.get_or_init(read))
    }

    /// Models as `studies/warmup/trees.py` writes them.
    pub fn read(bytes: &[u8]) -> Result<Trained, WeightsError> {
        let mut bytes = Bytes::after(MAGIC, bytes)?;
        let settings = Settings::read(&mut bytes)?;
        let first = Models::read(&mut bytes, [GAIN_FIRST, LEVEL_FIRST, CUT])?;
        let later = Models::read(&mut bytes, [GAIN, LEVEL, CUT_AFTER])?;
        bytes.end()?;
        Ok(Trained { settings, first, later })
    }

    /// The models in the format of [`Trained::read`].
    pub fn write(&self) -> Vec<u8> {
        let Settings { early, long, first, later } = self.settings;
        let policy = |policy: Policy| [f64::from(policy.most), policy.price, policy.small, policy.agreement];
        let numbers =
            [[f64::from(early), f64::from(long)].as_slice(), &policy(first), &policy(later)].concat();
        let mut out = MAGIC.to_vec();
        out.extend(numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()));
        for models in [&self.first, &self.later] {
            [&models.gain, &models.level, &models.over].iter().for_each(|model| model.write(&mut out));
        }
        out
    }

    /// When it stops.
    pub fn settings(&self) -> Settings {
        self.settings
    }
}

impl Models {
    fn read(bytes: &mut Bytes<'_>, [gain, level, over]: [usize; 3]) -> Result<Models, WeightsError> {
        Ok(Models {
            gain: Trees::read(bytes, gain)?,
            level: Trees::read(bytes, level)?,
            over: Trees::read(bytes, over)?,
        })
    }
}

impl Settings {
    fn read(bytes: &mut Bytes<'_>) -> Result<Settings, WeightsError> {
        let (early, long) = (bytes.f32()? as u32, bytes.f32()? as u32);
        let settings = Settings { early, long, first: Policy::read(bytes)?, later: Policy::read(bytes)? };
        let is_place = |iterations: u32| GRID.contains(&(iterations as usize));
        if [long, settings.first.most, settings.later.most].into_iter().all(is_place) {
            Ok(settings)
        } else {
            Err(WeightsError::Content("the settings are not those of a rule"))
        }
    }
}

impl Policy {
    fn read(bytes: &mut Bytes<'_>) -> Result<Policy, WeightsError> {
        let mut next = || bytes.f32().map(f64::from);
        Ok(Policy { most: next()? as u32, price: next()?, small: next()?, agreement: next()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_models_are_whole_and_parts_of_them_are_refused() {
        let trained = Trained::read(EMBEDDED).expect("models");
        assert_eq!((trained.settings.early, trained.settings.first.most), (5, 800));
        assert!(trained.write() == EMBEDDED);
        for n in [0, 4, 20, 40, 1000, EMBEDDED.len() - 1] {
            assert!(Trained::read(&EMBEDDED[..n]).is_err(), "{n}");
        }
        let mut longer = EMBEDDED.to_vec();
        longer.push(0);
        assert!(Trained::read(&longer).is_err());
    }
}

//! What the learned rule has learnt.

use std::sync::{Arc, OnceLock};

use super::features::{CUT, CUT_AFTER, GAIN, LEVEL};
use super::prefix::GRID;
use super::trees::Trees;
use crate::bytes::{Bytes, WeightsError};

/// The models of [`Learned`](super::Learned) and how they are used.
#[derive(Debug, Clone, PartialEq)]
pub struct Trained {
    pub(crate) settings: Settings,
    /// How much nearer to the steady mean the second half of what was seen comes by going on.
    pub(crate) gain: Trees,
    /// How far it is from it.
    pub(crate) level: Trees,
    /// The probability that warm-up ended before a given iteration, for the first process of a benchmark.
    pub(crate) over_first: Trees,
    /// The same for later ones.
    pub(crate) over: Trees,
}

/// When [`Learned`](super::Learned) stops; chosen in folds together with the models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Iterations of the first process.
    pub first: u32,
    /// Most iterations of the others.
    pub most: u32,
    /// What one more iteration of 0.1 s costs, in the unit of the models' errors.
    pub price: f64,
    /// An error below this is small enough.
    pub small: f64,
    /// As many looks in a row must agree that it is time to stop.
    pub patience: u32,
    /// How much a probably right end of warm-up counts less per unit by which the mean of what follows differs from that of the last quarter.
    pub agreement: f64,
}

/// What `studies/warmup` trained; `docs/models/learned.md` says on what and how good it is.
const EMBEDDED: &[u8] = include_bytes!("../../weights/rule.bin");

impl Trained {
    /// The embedded models. They are read when asked for the first time, and shared.
    pub fn embedded() -> Arc<Trained> {
        static TRAINED: OnceLock<Arc<Trained>> = OnceLock::new();
        let read = || {
            Arc::new(Trained::read(EMBEDDED).expect("the embedded models are whole: a test reads them all"))
        };
        Arc::clone(TRAINED.get_or_init(read))
    }

    /// Models as `studies/warmup/trees.py` writes them.
    pub fn read(bytes: &[u8]) -> Result<Trained, WeightsError> {
        let mut bytes = Bytes::after(b"BWT1", bytes)?;
        let settings = Settings::read(&mut bytes)?;
        let gain = Trees::read(&mut bytes, GAIN)?;
        let level = Trees::read(&mut bytes, LEVEL)?;
        let over_first = Trees::read(&mut bytes, CUT)?;
        let over = Trees::read(&mut bytes, CUT_AFTER)?;
        bytes.end()?;
        Ok(Trained { settings, gain, level, over_first, over })
    }

    /// The models as [`Trained::read`] reads them.
    pub fn write(&self) -> Vec<u8> {
        let Settings { first, most, price, small, patience, agreement } = self.settings;
        let numbers = [f64::from(first), f64::from(most), price, small, f64::from(patience), agreement];
        let mut out = b"BWT1".to_vec();
        out.extend(numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()));
        [&self.gain, &self.level, &self.over_first, &self.over]
            .iter()
            .for_each(|model| model.write(&mut out));
        out
    }

    /// When it stops.
    pub fn settings(&self) -> Settings {
        self.settings
    }
}

impl Settings {
    fn read(bytes: &mut Bytes<'_>) -> Result<Settings, WeightsError> {
        let mut next = || bytes.f32().map(f64::from);
        let (first, most, price, small) = (next()?, next()?, next()?, next()?);
        let (patience, agreement) = (next()?, next()?);
        let settings = Settings {
            first: first as u32,
            most: most as u32,
            price,
            small,
            patience: patience as u32,
            agreement,
        };
        let is_place = |iterations: u32| GRID.contains(&(iterations as usize));
        let is_usable = is_place(settings.first) && is_place(settings.most) && settings.patience > 0;
        if is_usable {
            Ok(settings)
        } else {
            Err(WeightsError::Content("the settings are not those of a rule"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_models_are_whole_and_parts_of_them_are_refused() {
        let trained = Trained::read(EMBEDDED).expect("models");
        assert_eq!((trained.settings.first, trained.settings.most), (800, 1000));
        assert!(trained.write() == EMBEDDED);
        for n in [0, 4, 20, 40, 1000, EMBEDDED.len() - 1] {
            assert!(Trained::read(&EMBEDDED[..n]).is_err(), "{n}");
        }
        let mut longer = EMBEDDED.to_vec();
        longer.push(0);
        assert!(Trained::read(&longer).is_err());
    }
}

//! A trained model that judges windows.

use std::sync::{Arc, OnceLock};

use super::network::{Network, Scratch};
use super::rocket::Rocket;
use super::scaling::scaled;
use crate::bytes::WeightsError;

/// The available models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Model {
    /// Omni-Scale convolutions (Tang et al. 2022).
    Oscnn,
    /// A fully convolutional network (Wang et al. 2017).
    Fcn,
    /// Random convolutional kernels (Dempster et al. 2020).
    Rocket,
}

/// Judges windows of [`WINDOW`](super::WINDOW) values, for one process.
#[derive(Debug, Clone)]
pub struct Classifier {
    trained: Trained,
}

#[derive(Debug, Clone)]
enum Trained {
    Network(Arc<Network>, Scratch),
    Rocket(Arc<Rocket>),
}

/// Trained by `studies/warmup`. `docs/models/` describes the training data and the quality.
const OSCNN: &[u8] = include_bytes!("../../weights/oscnn.bin");
const FCN: &[u8] = include_bytes!("../../weights/fcn.bin");
const ROCKET: &[u8] = include_bytes!("../../weights/rocket.bin");

impl Classifier {
    /// The embedded model. Its weights are read when first needed, and shared.
    pub fn new(model: Model) -> Classifier {
        static NETWORKS: [OnceLock<Arc<Network>>; 2] = [const { OnceLock::new() }; 2];
        static ROCKETS: OnceLock<Arc<Rocket>> = OnceLock::new();
        let trained = match model {
            Model::Oscnn => Trained::network(NETWORKS[0].get_or_init(|| embedded(Network::oscnn(OSCNN)))),
            Model::Fcn => Trained::network(NETWORKS[1].get_or_init(|| embedded(Network::fcn(FCN)))),
            Model::Rocket => {
                Trained::Rocket(Arc::clone(ROCKETS.get_or_init(|| embedded(Rocket::read(ROCKET)))))
            }
        };
        Classifier { trained }
    }

    /// How steady the window looks. It is steady if the score is at least [`Classifier::threshold`]. `None`
    /// unless the window has [`WINDOW`](super::WINDOW) finite numbers.
    pub fn score(&mut self, window: &[f64]) -> Option<f64> {
        let scaled = scaled(window)?;
        Some(match &mut self.trained {
            Trained::Network(network, scratch) => f64::from(network.score(&scaled, scratch)),
            Trained::Rocket(rocket) => rocket.score(&scaled),
        })
    }

    /// The smallest score of a steady window.
    pub fn threshold(&self) -> f64 {
        match &self.trained {
            Trained::Network(network, _) => f64::from(network.threshold),
            Trained::Rocket(_) => 0.0,
        }
    }
}

impl Trained {
    fn network(network: &Arc<Network>) -> Trained {
        Trained::Network(Arc::clone(network), network.scratch())
    }
}

fn embedded<T>(read: Result<T, WeightsError>) -> Arc<T> {
    Arc::new(read.expect("the embedded weights are whole: a test reads them all"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first number of each line is PyTorch's score of the others (`studies/warmup/export.py`, torch
    /// 2.11.0, one line per window of real series).
    fn check(model: Model, vectors: &str, tolerance: f64) {
        let mut classifier = Classifier::new(model);
        let mut n = 0;
        for line in vectors.lines() {
            let mut numbers = line.split(',');
            let expected: f64 = numbers.next().and_then(|number| number.parse().ok()).expect("a score");
            // The values were in single precision.
            let window: Vec<f64> =
                numbers.map(|number| f64::from(number.parse::<f32>().expect("a value"))).collect();
            let score = classifier.score(&window).expect("a window");
            assert!((score - expected).abs() < tolerance, "{model:?}: {score} {expected}");
            n += 1;
        }
        assert_eq!(n, 24);
    }

    #[test]
    fn scores_are_those_of_the_program_that_trained() {
        check(Model::Oscnn, include_str!("../../../../fixtures/steady/oscnn-vectors.csv"), 1e-5);
        check(Model::Fcn, include_str!("../../../../fixtures/steady/fcn-vectors.csv"), 1e-5);
        check(Model::Rocket, include_str!("../../../../fixtures/steady/rocket-vectors.csv"), 1e-5);
    }

    #[test]
    fn what_is_no_window_has_no_score() {
        for model in [Model::Oscnn, Model::Fcn, Model::Rocket] {
            let mut classifier = Classifier::new(model);
            assert_eq!(classifier.score(&[1.0; 99]), None);
            assert_eq!(classifier.score(&[f64::NAN; 100]), None);
            // A constant window is not an error, and the unit does not matter.
            assert!(classifier.score(&[1.0; 100]).is_some_and(f64::is_finite));
            let ramp = |unit: f64| (0..100).map(|i| unit * (1.0 + f64::from(i))).collect::<Vec<f64>>();
            let (a, b) = (classifier.score(&ramp(1e-9)), classifier.score(&ramp(1e3)));
            assert!(a.zip(b).is_some_and(|(a, b)| (a - b).abs() < 1e-4), "{a:?} {b:?}");
        }
    }

    #[test]
    fn damaged_weights_are_refused() {
        assert!(Network::oscnn(FCN).is_err() && Network::fcn(OSCNN).is_err() && Rocket::read(FCN).is_err());
        for bytes in [OSCNN, FCN, ROCKET] {
            for n in [0, 3, 4, 11, 15, 40, 1000, bytes.len() - 1] {
                let cut = &bytes[..n];
                assert!(
                    Network::oscnn(cut).is_err() && Network::fcn(cut).is_err() && Rocket::read(cut).is_err()
                );
            }
        }
    }
}

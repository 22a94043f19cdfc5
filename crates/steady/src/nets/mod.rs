//! The classifiers of Traini et al. 2024 (ASE): is a window of 100 iterations steady?
//!
//! 1. `scaling` makes the window's mean 0 and its deviation 1, so that a classifier sees shape alone;
//! 2. [`Classifier`] asks one of three models: OSCNN and FCN are `network`s of `convolution`s, `rocket` compares with random kernels;
//! 3. `weights` reads what `studies/warmup` trained and this crate embeds.
//!
//! Everything is plain loops over `f32`, compiled once for each kind of vector unit and chosen at run time (`vectors`, the crate's only
//! unsafe code). How good the models are stands in `docs/models/`.

mod classifier;
mod convolution;
mod network;
mod rocket;
mod scaling;
mod vectors;
mod weights;

pub use classifier::{Classifier, Model};
pub use scaling::WINDOW;

//! The classifiers of Traini et al. 2024 (ASE), which decide whether a window of 100 iterations is steady.
//!
//! 1. `scaling` makes the window's mean 0 and its deviation 1, so that classifiers use only its shape;
//! 2. [`Classifier`] uses one of three models: OSCNN and FCN are `network`s of `convolution`s, and `rocket`
//!    uses random kernels;
//! 3. `weights` reads the weights that `studies/warmup` trained and this crate embeds.
//!
//! The code is plain loops over `f32`, compiled for each kind of vector unit and selected at run time
//! (`vectors`, the crate's only unsafe code). `docs/models/` describes the quality of the models.

mod classifier;
mod convolution;
mod network;
mod rocket;
mod scaling;
mod vectors;
mod weights;

pub use classifier::{Classifier, Model};
pub use scaling::WINDOW;

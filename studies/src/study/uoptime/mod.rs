//! The study of µOpTime (Japke et al. 2025, ACM TOSEM) on its own data.
//!
//! 1. `data_sets` finds projects and versions;
//! 2. `savings` chooses configurations for the newest version of each (figures 3 and 4);
//! 3. `forward` uses those of the oldest version on all later ones (tables 2 and 3);
//! 4. `agreement` holds our choices against the prototype's own;
//! 5. `document` and `pictures` set ours beside what was `published`.

mod agreement;
mod command;
mod data_sets;
mod document;
mod forward;
mod pictures;
mod prose;
mod published;
mod repeat;
mod savings;
#[cfg(test)]
mod tests;

pub(super) use command::study;

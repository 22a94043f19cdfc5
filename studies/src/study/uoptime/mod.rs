//! Repeats the study of µOpTime (Japke et al. 2025, ACM TOSEM) on its own data.
//!
//! 1. `data_sets` finds projects and versions;
//! 2. `savings` chooses configurations for the newest version of each project (figures 3 and 4);
//! 3. `forward` uses the configurations of the oldest version for all later ones (tables 2 and 3);
//! 4. `agreement` compares our choices with the prototype's;
//! 5. `document` and `pictures` show our numbers next to those in `published`.

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

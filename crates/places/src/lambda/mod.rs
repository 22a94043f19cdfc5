//! AWS Lambda.
//!
//! 1. [`Account`] reaches the platform, with credentials from the SDK's own chain and from nowhere else;
//! 2. [`deploy()`], [`list`] and [`teardown()`] make, show and remove what a region of an account needs: one generic function per
//!    architecture and benchwright version, a role without rights, a bucket. All have names that can be found again without a
//!    record, so that a crash in between leaves nothing unknown; [`policy()`] prints the rights all of it takes;
//! 3. [`Lambda`] is the place: it packs and checks programs, sends packages once, calls as requests, many at a time, and
//!    keeps within the money it was given ([`Prices`]).
//!
//! Functions get no credentials: what they fetch and store they reach through presigned addresses.

mod account;
mod deploy;
mod error;
mod image;
mod invoke;
mod names;
mod packages;
mod place;
mod policy;
mod prices;
mod settings;
mod teardown;

pub use account::Account;
pub use deploy::{Deployment, deploy};
pub use error::LambdaError;
pub use image::{FunctionImage, find_image};
pub use names::Resource;
pub use packages::{EquipmentOf, unfit};
pub use place::{Lambda, Spending};
pub use policy::policy;
pub use prices::{Prediction, Prices};
pub use settings::LambdaSettings;
pub use teardown::{Found, list, teardown};

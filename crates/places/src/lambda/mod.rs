//! AWS Lambda.
//!
//! 1. [`Account`] gives access to the platform, with credentials from the SDK's own chain only;
//! 2. [`deploy()`], [`list`] and [`teardown()`] create, show and remove what a region of an account needs:
//!    one generic function per architecture and benchwright version, a role without permissions, and a
//!    bucket. All of them can be found again by their names without a record, so that a crash leaves nothing
//!    unknown. [`policy()`] prints the permissions that this needs;
//! 3. [`Lambda`] is the place: it packs and checks programs, sends packages once and calls as requests, many
//!    at a time, and stays within the given amount of money ([`Prices`]).
//!
//! Functions get no credentials: they download and upload through presigned addresses.

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

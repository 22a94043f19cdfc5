//! Runs for other programs: raw samples in three formats, and the summaries that dashboards take.
//!
//! Summaries are one number per benchmark and metric, so they lose what decides; samples keep every value with its place
//! in the run.

mod bencher_metric;
mod format;
mod github_action;
mod parquet;
mod row;
mod samples_csv;
mod samples_json;
mod summary;

pub use bencher_metric::write as write_bencher_metric;
pub use format::{ExportFormat, ExportOptions};
pub use github_action::write as write_github_action;
pub use parquet::write as write_parquet;
pub use samples_csv::{COLUMNS as SAMPLE_COLUMNS, write as write_samples_csv};
pub use samples_json::{
    SCHEMA as SAMPLES_SCHEMA, SCHEMA_NAME as SAMPLES_SCHEMA_NAME, write as write_samples_json,
};

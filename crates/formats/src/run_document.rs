//! A run in JSON documents for programs. The schemas in `docs/schema` describe the fields.

use std::collections::BTreeMap;

use benchwright_model::{Run, Version};
use serde::Serialize;

use crate::moment::moment;

/// A run without its trials.
#[derive(Debug, Serialize)]
pub struct RunDocument<'a> {
    id: &'a str,
    kind: &'static str,
    command: &'a [String],
    started_at: String,
    ended_at: Option<String>,
    /// A string, because seeds use all 64 bits, and many JSON readers support only 53.
    seed: String,
    base: Option<VersionWire<'a>>,
    head: VersionWire<'a>,
    environment: &'a BTreeMap<String, String>,
    settings: &'a BTreeMap<String, String>,
    tool_version: &'a str,
}

impl<'a> From<&'a Run> for RunDocument<'a> {
    fn from(run: &'a Run) -> Self {
        RunDocument {
            id: &run.id.0,
            kind: run.kind.word(),
            command: &run.command,
            started_at: moment(run.started_at),
            ended_at: run.ended_at.map(moment),
            seed: run.seed.to_string(),
            base: run.base.as_ref().map(VersionWire::from),
            head: VersionWire::from(&run.head),
            environment: &run.environment.facts,
            settings: &run.settings,
            tool_version: &run.tool_version,
        }
    }
}

#[derive(Debug, Serialize)]
struct VersionWire<'a> {
    label: &'a str,
    commit: Option<&'a str>,
    tree: &'a str,
    dirty: bool,
    subject: &'a str,
}

impl<'a> From<&'a Version> for VersionWire<'a> {
    fn from(version: &'a Version) -> Self {
        VersionWire {
            label: &version.label,
            commit: version.commit.as_deref(),
            tree: &version.tree,
            dirty: version.dirty,
            subject: &version.subject,
        }
    }
}

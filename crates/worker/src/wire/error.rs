//! Errors of reading and writing requests and responses.

/// Errors in received bytes or in a message to send.
#[derive(Debug, thiserror::Error)]
pub enum WireError {
    /// The bytes are not such JSON: cut off, damaged, or something else.
    #[error("understand the {what} that came")]
    Unreadable {
        /// `request` or `response`.
        what: &'static str,
        /// Where reading ended.
        source: serde_json::Error,
    },
    /// The other end is another version of benchwright.
    #[error("read a {what} of format {found}: this benchwright supports format {known}")]
    Version {
        /// `request` or `response`.
        what: &'static str,
        /// The format found.
        found: u32,
        /// The format known here.
        known: u32,
    },
    /// Some content cannot be written as JSON, such as a path that is not text.
    #[error("write a {what}")]
    Unwritable {
        /// `request` or `response`.
        what: &'static str,
        /// The part that could not be written.
        source: serde_json::Error,
    },
}

impl WireError {
    /// Advice for the user. Empty if there is none.
    pub fn hint(&self) -> &'static str {
        match self {
            WireError::Version { .. } => "use the same version of benchwright at both ends",
            WireError::Unreadable { .. } => "",
            WireError::Unwritable { .. } => "paths of builds have to be valid UTF-8",
        }
    }
}

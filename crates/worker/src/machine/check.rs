//! The check of one property.

/// How good a machine is in one respect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Nothing has to be done.
    Good,
    /// Makes measurements noisier, or cannot be judged completely.
    Doubtful,
    /// Makes measurements wrong or useless.
    Bad,
    /// The system does not show it.
    Unknown,
}

impl State {
    /// The word in tables and JSON.
    pub fn word(self) -> &'static str {
        match self {
            State::Good => "good",
            State::Doubtful => "doubtful",
            State::Bad => "bad",
            State::Unknown => "unknown",
        }
    }
}

/// The check of one property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The property, in a few lowercase words that stay the same from version to version.
    pub name: String,
    /// How good it is.
    pub state: State,
    /// The result.
    pub found: String,
    /// Its meaning for measurements, a full sentence.
    pub meaning: String,
    /// Advice, with a command if there is one. Empty if nothing has to be done.
    pub advice: String,
}

impl Check {
    /// A check without advice.
    pub(super) fn new(
        name: &str,
        state: State,
        found: impl Into<String>,
        meaning: impl Into<String>,
    ) -> Self {
        Check {
            name: name.into(),
            state,
            found: found.into(),
            meaning: meaning.into(),
            advice: String::new(),
        }
    }

    /// A property that the system does not show.
    pub(super) fn unknown(name: &str, meaning: &str) -> Self {
        Check::new(name, State::Unknown, "not visible", meaning)
    }

    /// Adds advice.
    pub(super) fn advice(self, advice: impl Into<String>) -> Self {
        Check { advice: advice.into(), ..self }
    }
}

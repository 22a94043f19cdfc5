//! The appearance of results.

use crate::setting::Setting;

/// When the terminal's output has colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Colour {
    /// On a terminal that supports them, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Colour {
    const CHOICES: [(&'static str, Colour); 3] =
        [("auto", Colour::Auto), ("always", Colour::Always), ("never", Colour::Never)];
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct OutputLayer {
    colour: Option<Colour>,
}

impl OutputLayer {
    pub(crate) fn over(self, weaker: Self) -> Self {
        OutputLayer { colour: self.colour.or(weaker.colour) }
    }

    pub(crate) fn resolve(self) -> Colour {
        self.colour.unwrap_or_default()
    }
}

pub(crate) const SETTINGS: &[Setting] = &[Setting {
    key: "colour",
    apply: |layer, value, remarks| layer.output.colour = remarks.keep(value.choice(&Colour::CHOICES)),
}];

//! Whether decisions are carried out.

use crate::name::named;

/// Whether decisions are carried out. The greater of two is the softer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Decisions are carried out.
    #[default]
    Enforce,
    /// Everything is decided and counted, and everything passes.
    Observe,
    /// Nothing is looked at.
    Off,
}

impl Mode {
    /// Every mode, in the order of the documentation.
    pub const ALL: [Self; 3] = [Self::Enforce, Self::Observe, Self::Off];

    /// The name used in rule files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enforce => "enforce",
            Self::Observe => "observe",
            Self::Off => "off",
        }
    }
}

named!(Mode, "mode");

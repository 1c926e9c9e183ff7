//! Hot cells of sqlthrottle.

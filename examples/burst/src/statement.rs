//! What the clients send: statements with their constants written into the text, as much of the world's SQL is.

use crate::database::ORDERS;

/// The kinds of statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An order by its key: microseconds.
    Select,
    /// A change to one order by its key: microseconds too.
    Write,
    /// A question that no index answers: every order is read.
    Report,
}

impl Kind {
    pub(crate) const ALL: [Self; 3] = [Self::Select, Self::Write, Self::Report];

    /// The name in the table.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Self::Select => "point selects",
            Self::Write => "small writes",
            Self::Report => "reports",
        }
    }

    /// A statement of this kind, with constants that change every time.
    pub(crate) fn statement(self, random: &mut Random) -> String {
        match self {
            Self::Select => format!("select status, total from orders where id = {}", random.order()),
            Self::Write => format!("update orders set status = 'paid' where id = {}", random.order()),
            Self::Report => format!(
                "select customer, count(*), sum(total) from orders where note like '%{}%' \
                 group by customer order by 3 desc limit 10",
                random.below(1000)
            ),
        }
    }
}

/// Numbers that look random: `SplitMix64` (Steele, Lea and Flood, 2014). Seeded, so both runs send the same.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 to `bound` - 1; of bounds as small as ours, each about as often as any other.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn order(&mut self) -> u64 {
        1 + self.below(ORDERS.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlthrottle::{Dialect, FingerprintOptions, Normalizer};
    use std::collections::HashSet;

    #[test]
    fn constants_change_and_each_kind_stays_one_shape() {
        let (mut random, mut shapes) = (Random::new(1), HashSet::new());
        let mut normalizer = Normalizer::new(FingerprintOptions::new(Dialect::Sqlite));
        for kind in Kind::ALL {
            let texts: HashSet<String> = (0..100).map(|_| kind.statement(&mut random)).collect();
            assert!(texts.len() > 50, "{kind:?}");
            shapes.extend(texts.iter().map(|sql| normalizer.normalize(sql.as_bytes()).fingerprint()));
        }
        assert_eq!(shapes.len(), Kind::ALL.len());
    }
}

//! Prints the normalised text and fingerprint of each line of standard input: `normalise DIALECT < statements.sql`.

use sqlthrottle::{Dialect, FingerprintOptions, Normalizer};
use std::io::BufRead;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dialect: Dialect = std::env::args().nth(1).as_deref().unwrap_or("generic").parse()?;
    let mut normalizer = Normalizer::new(FingerprintOptions::new(dialect));
    for line in std::io::stdin().lock().split(b'\n') {
        let line = line?;
        let normalized = normalizer.normalize(&line);
        println!("{:.12}  {}", normalized.fingerprint(), normalized.text());
    }
    Ok(())
}

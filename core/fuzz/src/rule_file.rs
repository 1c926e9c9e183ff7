//! The rule file: any bytes are rules without a fault, or faults that each have their place.

use sqlthrottle::Fault;
use sqlthrottle::rule::RuleFile;

/// Most faults that are told of one file, the one that counts the others among them.
const MOST_FAULTS: usize = 1_001;
/// Longest message of one fault, in bytes: nothing of the file is repeated at length.
const LONGEST_FAULT: usize = 4_096;

/// Panics where neither rules nor faults come out, or where they are not what they promise to be.
pub fn run(text: &[u8]) {
    match RuleFile::parse_with(text, environment) {
        Ok(rules) => {
            rules.validate().unwrap_or_else(|error| panic!("what was read is refused: {error}"));
            drop(rules.warnings());
        }
        Err(error) => {
            assert!(!error.faults().is_empty(), "refused without a fault");
            assert!(error.faults().len() <= MOST_FAULTS, "{} faults", error.faults().len());
            let columns = columns(text);
            for fault in error.faults() {
                check(fault, &columns);
            }
            let places = error.faults().iter().map(|fault| (fault.line, fault.column));
            assert!(places.is_sorted(), "faults out of order");
        }
    }
}

/// An environment that holds what a value should not be, too.
fn environment(name: &str) -> Option<String> {
    match name {
        "EMPTY" => Some(String::new()),
        "N" => Some("100".to_owned()),
        "MODE" => Some("observe".to_owned()),
        "YAML" => Some("{a: [1]}\n- ${N}".to_owned()),
        "LONG" => Some("9".repeat(5_000)),
        _ => None,
    }
}

/// The number of characters of each line, the last and perhaps empty one included. Where a text is not UTF-8, a byte is
/// taken for a character: there are no more characters than that.
fn columns(text: &[u8]) -> Vec<usize> {
    let text = String::from_utf8_lossy(text);
    let unified = text.replace("\r\n", "\n").replace('\r', "\n");
    unified.split('\n').map(|line| line.chars().count()).collect()
}

fn check(fault: &Fault, columns: &[usize]) {
    let characters = fault.line.checked_sub(1).and_then(|line| columns.get(line));
    let characters = *characters.unwrap_or_else(|| panic!("no such line: {fault}"));
    assert!((1..=characters + 1).contains(&fault.column), "no such column among {characters}: {fault}");
    assert!(!fault.code.is_empty() && !fault.found.is_empty() && !fault.expected.is_empty(), "{fault:?}");
    assert!(fault.to_string().len() <= LONGEST_FAULT, "a fault of {} bytes", fault.to_string().len());
}

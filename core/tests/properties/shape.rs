//! What a fingerprint is blind to, and what it always tells apart.

use super::{any_options, cases, normalize};
use proptest::prelude::*;
use sqlthrottle::{Dialect, FingerprintOptions};

/// Statements, a token at a time. Words in capitals are keywords, the others are names of tables, columns, functions and
/// aliases; `{}` is a constant. No word holds a byte of [`constant`].
const TEMPLATES: [&str; 7] = [
    "SELECT a , count ( * ) AS m FROM orders AS o WHERE o . a = {} AND b IN ( {} , {} , {} ) AND c <> {} ORDER BY a DESC LIMIT {}",
    "INSERT INTO orders ( a , b , c ) VALUES ( {} , {} , now ( ) ) , ( {} , {} , now ( ) ) ON CONFLICT DO NOTHING",
    "UPDATE orders SET a = {} , b = b + {} WHERE c BETWEEN {} AND {} OR d LIKE {}",
    "DELETE FROM shop . orders WHERE a < {} - {} AND NOT EXISTS ( SELECT {} FROM items WHERE items . a = orders . a )",
    "SELECT CASE WHEN a > {} THEN {} ELSE substr ( b , {} , {} ) END FROM orders JOIN items ON orders . a = items . a \
     GROUP BY c HAVING sum ( d ) >= {}",
    "WITH w AS ( SELECT a FROM orders WHERE b = {} ) SELECT coalesce ( a , {} ) || {} FROM w UNION ALL SELECT c FROM items \
     WHERE d IS NULL AND ( a , b ) = ( {} , {} )",
    "CALL f ( {} , {} , a )",
];

/// Operators, each of which makes another shape.
const OPERATORS: [&str; 9] = ["=", "<>", "<", "<=", ">", ">=", "+", "-", "||"];

/// Bytes that constants and comments are made of, and that nothing else in a statement holds.
const MARKED: &[u8] = b"zq79";

/// How a statement is written: the choices of one rendering, used up from the front and then from the start again.
#[derive(Clone, Debug)]
struct Writing {
    constants: Vec<u16>,
    gaps: Vec<u8>,
    capitals: Vec<bool>,
}

fn writing() -> impl Strategy<Value = Writing> {
    let constants = prop::collection::vec(any::<u16>(), 12);
    let gaps = prop::collection::vec(any::<u8>(), 64);
    let capitals = prop::collection::vec(any::<bool>(), 97);
    (constants, gaps, capitals).prop_map(|(constants, gaps, capitals)| Writing { constants, gaps, capitals })
}

/// A constant or placeholder of the dialect, made of marked bytes. No two with different `index` are the same constant.
fn constant(dialect: Dialect, choice: u16, index: usize) -> String {
    let code: String = (0..4).map(|bit| if index >> bit & 1 == 0 { '7' } else { '9' }).collect();
    let common = 15;
    let own: &[&str] = match dialect {
        Dialect::Generic => &["@z*", "?7"],
        Dialect::MySql => &["\"Zq*\"", "\"z\"\"*\"", r"'Z\'*'", "_utf8mb4'Q*'"],
        Dialect::PostgreSql => &["$$Zq'*$$", "$z$Q$$*$z$", r"E'Z\'*'", "U&'Q*'", "$7"],
        Dialect::Sqlite => &["@z*", "$Q*", "?7"],
        Dialect::MsSql => &["@z*"],
        Dialect::Oracle => &["q'[Z'q*]'", "Q'!z'*!'", "nq'(z*)'"],
        _ => &[],
    };
    let choice = usize::from(choice) % (common + own.len());
    let form = match choice {
        0 => "*",
        1 => "-7*",
        2 => "9.*",
        3 => ".9*",
        4 => "7e9*",
        5 => "0x7*",
        6 => "'Zq*'",
        7 => "'Q''*'",
        8 => "'z' 'Q*'",
        9 => "N'Z*'",
        10 => "X'79*'",
        11 => "{ts 'Z*'}",
        12 => "?",
        13 => ":z*",
        14 => "%s",
        own_form => own[own_form - common],
    };
    form.replace('*', &code)
}

/// Writes a statement: its constants, its gaps with their comments, and the capitals of its unquoted words.
fn render(tokens: &[&str], dialect: Dialect, writing: &Writing) -> String {
    let mut sql = String::new();
    let mut constants = 0;
    let mut letters = writing.capitals.iter().cycle();
    let is_dense = |token: &str| token.bytes().all(|byte| matches!(byte, b'(' | b')' | b',' | b'.'));
    let is_word = |token: &str| token.bytes().all(|byte| byte.is_ascii_alphabetic());
    for (i, token) in tokens.iter().enumerate() {
        let text = if *token == "{}" {
            constants += 1;
            constant(dialect, writing.constants[constants % writing.constants.len()], constants)
        } else if is_word(token) {
            let case = |letter: char| if letters.next() == Some(&true) { letter.to_ascii_uppercase() } else { letter };
            token.to_ascii_lowercase().chars().map(case).collect()
        } else {
            (*token).to_owned()
        };
        let before = if i == 0 { "(" } else { tokens[i - 1] };
        let operand = |token: &str| is_word(token) || token == "{}";
        // A point before digits and a sign behind an operator would be read together with them.
        let glued = (is_dense(before) && before != ".")
            || is_dense(token)
            || (operand(before) != operand(token) && !text.starts_with('-'));
        sql.push_str(match writing.gaps[i % writing.gaps.len()] % 8 {
            0..=2 if glued => "",
            3 => "\r\n\t",
            4 => " /* Zq 'z */ ",
            5 => " -- q7\"\n",
            6 if dialect == Dialect::MySql => " # z9'\n",
            7 if matches!(dialect, Dialect::PostgreSql | Dialect::MsSql) => " /* Z /* 9 */ q */ ",
            _ => " ",
        });
        sql.push_str(&text);
    }
    sql
}

fn tokens(template: &str) -> Vec<&str> {
    template.split_ascii_whitespace().collect()
}

proptest! {
    #![proptest_config(cases(2048))]

    #[test]
    fn constants_comments_spacing_and_case_are_no_shape(
        template in 0..TEMPLATES.len(), options in any_options(), one in writing(), other in writing()
    ) {
        let tokens = tokens(TEMPLATES[template]);
        let [one, other] = [one, other].map(|writing| render(&tokens, options.dialect, &writing));
        let [first, second] = [&one, &other].map(|sql| normalize(options, sql.as_bytes()));
        prop_assert_eq!(String::from_utf8_lossy(&first), String::from_utf8_lossy(&second), "{:?} and {:?}", one, other);
    }

    #[test]
    fn no_byte_of_a_constant_is_printed(
        template in 0..TEMPLATES.len(), options in any_options(), writing in writing()
    ) {
        let sql = render(&tokens(TEMPLATES[template]), options.dialect, &writing);
        let printed = normalize(options, sql.as_bytes());
        let shown = String::from_utf8_lossy(&printed).into_owned();
        prop_assert!(!printed.iter().any(|byte| MARKED.contains(&byte.to_ascii_lowercase())), "{} of {}", shown, sql);
    }
}

/// The statement with one token changed so that its shape is another, for each token where that can be.
fn changed<'t>(tokens: &'t [&'t str], names: &'t [String]) -> impl Iterator<Item = Vec<&'t str>> + 't {
    (0..tokens.len()).filter_map(move |i| {
        let token = tokens[i];
        let is_name = token.bytes().all(|byte| byte.is_ascii_lowercase());
        let operator = OPERATORS.iter().position(|operator| *operator == token);
        let instead = match operator {
            Some(operator) => OPERATORS[(operator + 1) % OPERATORS.len()],
            None if is_name => names[i].as_str(),
            None => return None,
        };
        Some(tokens.iter().enumerate().map(|(j, token)| if i == j { instead } else { *token }).collect())
    })
}

#[test]
fn names_operators_and_tails_are_shape() {
    let plain = Writing { constants: vec![6], gaps: vec![255], capitals: vec![false] };
    let mut compared = 0;
    for dialect in Dialect::ALL {
        let options = FingerprintOptions::new(dialect);
        for template in TEMPLATES {
            let tokens = tokens(template);
            let names: Vec<String> = tokens.iter().map(|token| format!("{token}x")).collect();
            let text = |tokens: &[&str]| normalize(options, render(tokens, dialect, &plain).as_bytes());
            let shape = text(&tokens);
            let with_tail = [&tokens[..], &["FOR", "UPDATE"]].concat();
            let without_tail = tokens[..tokens.len() - 1].to_vec();
            for other in changed(&tokens, &names).chain([with_tail, without_tail]) {
                assert_ne!(
                    String::from_utf8_lossy(&shape),
                    String::from_utf8_lossy(&text(&other)),
                    "{dialect}: {template} and {other:?}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 400, "only {compared} changes were tried");
}

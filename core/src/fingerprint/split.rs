//! A text of several statements, divided.

use super::dialect::Dialect;
use super::lexer::{Lexer, TokenKind};

/// Divides a text at each `;` outside quotes and comments. Statements are given as they are written, without surrounding
/// white space and without the `;`; those that hold no token are left out.
pub fn split(sql: &[u8], dialect: Dialect) -> impl Iterator<Item = &[u8]> {
    let mut lexer = Lexer::new(sql, dialect);
    let mut from = 0;
    std::iter::from_fn(move || {
        let mut empty = true;
        loop {
            let token = lexer.next();
            match token.kind {
                TokenKind::End if empty => return None,
                TokenKind::Semicolon if empty => from = token.end,
                TokenKind::End | TokenKind::Semicolon => {
                    let statement = sql[from..token.start].trim_ascii();
                    from = token.end;
                    return Some(statement);
                }
                _ => empty = false,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(sql: &str, dialect: Dialect) -> Vec<String> {
        split(sql.as_bytes(), dialect).map(|piece| String::from_utf8_lossy(piece).into_owned()).collect()
    }

    #[test]
    fn statements_are_divided_outside_quotes_and_comments() {
        let sql = " select ';' ; ;; -- ;\n select 2 /* ; */ ; ";
        assert_eq!(pieces(sql, Dialect::Generic), ["select ';'", "-- ;\n select 2 /* ; */"]);
        assert_eq!(pieces("select $$;$$;select 1", Dialect::PostgreSql), ["select $$;$$", "select 1"]);
        assert_eq!(pieces(r"select '\';';select 1", Dialect::MySql), [r"select '\';'", "select 1"]);
        assert_eq!(pieces(r"select '\';select 1;'", Dialect::Generic), [r"select '\'", "select 1", "'"]);
    }

    #[test]
    fn nothing_is_no_statement() {
        assert!(pieces("", Dialect::Generic).is_empty());
        assert!(pieces(" ; -- x", Dialect::Generic).is_empty());
    }
}

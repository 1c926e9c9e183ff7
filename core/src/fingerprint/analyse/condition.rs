//! Whether a condition holds for every row.

use super::constant::Constant;
use sqlparser::ast::{BinaryOperator, Expr, InTarget, UnaryOperator};
use std::cmp::Ordering;

/// What is known of a condition before any row is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// It holds for every row. A column compared with itself counts: that NULL differs from NULL saves no table.
    Always,
    /// It holds for no row.
    Never,
    /// It is NULL whatever the row, and so is its negation: it keeps no row either way.
    Unknown,
    /// It is for the row to say.
    Depends,
}

impl Truth {
    fn from_known(holds: Option<bool>) -> Self {
        match holds {
            Some(true) => Self::Always,
            Some(false) => Self::Never,
            None => Self::Depends,
        }
    }

    fn negated(self) -> Self {
        match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            other => other,
        }
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, _) | (_, Self::Never) => Self::Never,
            (Self::Depends, _) | (_, Self::Depends) => Self::Depends,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            (Self::Always, Self::Always) => Self::Always,
        }
    }

    fn or(self, other: Self) -> Self {
        self.negated().and(other.negated()).negated()
    }

    /// What a test such as IS TRUE makes of NULL.
    fn settled(self, unknown: Self) -> Self {
        if self == Self::Unknown { unknown } else { self }
    }

    fn negated_if(self, negated: bool) -> Self {
        if negated { self.negated() } else { self }
    }
}

/// Evaluates conditions and remembers whether a constant had a say.
#[derive(Debug, Default)]
pub(super) struct Evaluator {
    /// A predicate made of constants or parameters alone was met: another text of the same shape may read otherwise.
    pub(super) met_constants: bool,
}

impl Evaluator {
    /// What is known of the condition. Recurses as deep as the expression does.
    pub(super) fn truth(&mut self, expr: &Expr) -> Truth {
        match expr {
            Expr::Nested(inner) => self.truth(inner),
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => self.truth(left).and(self.truth(right)),
            Expr::BinaryOp { left, op: BinaryOperator::Or, right } => self.truth(left).or(self.truth(right)),
            Expr::BinaryOp { left, op, right } => self.comparison(left, op, right),
            Expr::UnaryOp { op: UnaryOperator::Not | UnaryOperator::BangNot, expr: inner } => {
                self.truth(inner).negated()
            }
            Expr::Between { expr: inner, negated, low, high } => {
                let above = self.comparison(inner, &BinaryOperator::GtEq, low);
                let below = self.comparison(inner, &BinaryOperator::LtEq, high);
                above.and(below).negated_if(*negated)
            }
            Expr::In { expr: inner, target: InTarget::List(list), negated, .. } => {
                let equal = |found: Truth, item| found.or(self.comparison(inner, &BinaryOperator::Eq, item));
                list.iter().fold(Truth::Never, equal).negated_if(*negated)
            }
            Expr::Like { expr: inner, pattern, negated, .. } | Expr::ILike { expr: inner, pattern, negated, .. } => {
                self.like(inner, pattern).negated_if(*negated)
            }
            Expr::IsNull(inner) => self.is_null(inner),
            Expr::IsNotNull(inner) => self.is_null(inner).negated(),
            Expr::IsTrue(inner) => self.truth(inner).settled(Truth::Never),
            Expr::IsNotTrue(inner) => self.truth(inner).settled(Truth::Never).negated(),
            Expr::IsFalse(inner) => self.truth(inner).negated().settled(Truth::Never),
            Expr::IsNotFalse(inner) => self.truth(inner).settled(Truth::Always),
            Expr::IsNotDistinctFrom(left, right) => self.comparison(left, &BinaryOperator::Spaceship, right),
            _ => match self.constants([expr]) {
                Some([Constant::Null]) => Truth::Unknown,
                Some([constant]) => Truth::from_known(constant.truth()),
                None => Truth::Depends,
            },
        }
    }

    fn comparison(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Truth {
        use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq, Spaceship};
        if let Some(same) = same_column(left, right) {
            return match op {
                Eq | GtEq | LtEq | Spaceship if same => Truth::Always,
                NotEq | Gt | Lt if same => Truth::Never,
                _ => Truth::Depends,
            };
        }
        let Some([left, right]) = self.constants([left, right]) else {
            return Truth::Depends;
        };
        if left == Constant::Null || right == Constant::Null {
            return match op {
                Spaceship if left == right => Truth::Always,
                Eq | NotEq | Gt | GtEq | Lt | LtEq => Truth::Unknown,
                _ => Truth::Depends,
            };
        }
        let Some(ordering) = left.compare(&right) else {
            return Truth::Depends;
        };
        let holds = match op {
            Eq | Spaceship => ordering == Ordering::Equal,
            NotEq => ordering != Ordering::Equal,
            Lt => ordering == Ordering::Less,
            LtEq => ordering != Ordering::Greater,
            Gt => ordering == Ordering::Greater,
            GtEq => ordering != Ordering::Less,
            // Arithmetic standing as a condition: `1 + 1`.
            _ => return Truth::Depends,
        };
        Truth::from_known(Some(holds))
    }

    fn is_null(&mut self, inner: &Expr) -> Truth {
        match self.constants([inner]) {
            Some([Constant::Unknown]) | None => Truth::Depends,
            Some([constant]) => Truth::from_known(Some(constant == Constant::Null)),
        }
    }

    /// `LIKE '%'` takes every value there is.
    fn like(&mut self, inner: &Expr, pattern: &Expr) -> Truth {
        if column(inner).is_none() && !matches!(Constant::of(inner), Some(Constant::Text(_))) {
            return Truth::Depends;
        }
        let Some([Constant::Text(pattern)]) = self.constants([pattern]) else {
            return Truth::Depends;
        };
        let any = !pattern.is_empty() && pattern.bytes().all(|byte| byte == b'%');
        if any { Truth::Always } else { Truth::Depends }
    }

    /// The values of a predicate's operands where all of them are constants.
    fn constants<const N: usize>(&mut self, operands: [&Expr; N]) -> Option<[Constant; N]> {
        let mut values = [const { Constant::Unknown }; N];
        for (value, operand) in values.iter_mut().zip(operands) {
            *value = Constant::of(operand)?;
        }
        self.met_constants |= !operands.into_iter().all(Constant::is_shape);
        Some(values)
    }
}

/// The parts of a column's name.
fn column(expr: &Expr) -> Option<&[sqlparser::ast::Ident]> {
    match expr {
        Expr::Nested(inner) => column(inner),
        Expr::Identifier(ident) => Some(std::slice::from_ref(ident)),
        Expr::CompoundIdentifier(parts) => Some(parts),
        _ => None,
    }
}

/// Whether two columns are one; `None` where one of the two is no column.
fn same_column(left: &Expr, right: &Expr) -> Option<bool> {
    let (left, right) = (column(left)?, column(right)?);
    let same = left.len() == right.len()
        && left.iter().zip(right).all(|(a, b)| {
            if a.quote_style.is_none() && b.quote_style.is_none() {
                a.value.eq_ignore_ascii_case(&b.value)
            } else {
                a.value == b.value
            }
        });
    Some(same)
}

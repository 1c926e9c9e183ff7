//! The value of an expression made of constants alone.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator, Value};
use std::cmp::Ordering;

/// What an expression without columns evaluates to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    /// NULL, or an operation on it.
    Null,
    /// TRUE, FALSE, or the outcome of a comparison.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A string.
    Text(String),
    /// Known once parameters are bound, or beyond what is worth computing here.
    Unknown,
}

impl Constant {
    /// The value, or `None` where the expression reads a column, calls a function or asks a subquery.
    pub(super) fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::Nested(inner) | Expr::Collate { expr: inner, .. } => Self::of(inner),
            Expr::Value(value) => Some(Self::of_value(&value.value)),
            // To the parser TRUE and FALSE are names in SQL Server and Oracle.
            Expr::Identifier(name) if name.quote_style.is_none() => match name.value.to_ascii_lowercase().as_str() {
                "true" => Some(Self::Bool(true)),
                "false" => Some(Self::Bool(false)),
                _ => None,
            },
            Expr::TypedString(typed) => Some(Self::of_value(&typed.value.value)),
            Expr::Prefixed { value, .. } => Self::of(value),
            // A cast may change the value: that there is one is all that is known.
            Expr::Cast { expr: inner, .. } => Self::of(inner).map(|_| Self::Unknown),
            Expr::UnaryOp { op, expr: inner } => Some(Self::of(inner)?.signed(*op)),
            Expr::BinaryOp { left, op, right } => {
                let (left, right) = (Self::of(left)?, Self::of(right)?);
                Some(left.arithmetic(op, &right))
            }
            _ => None,
        }
    }

    /// Whether a constant stays as it is in a normalised text: TRUE, FALSE and NULL.
    pub(super) fn is_shape(expr: &Expr) -> bool {
        match expr {
            Expr::Identifier(_) => true,
            Expr::Value(value) => matches!(value.value, Value::Boolean(_) | Value::Null),
            _ => false,
        }
    }

    fn of_value(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Boolean(truth) => Self::Bool(*truth),
            Value::Number(digits, _) => digits.parse().map_or(Self::Unknown, Self::Number),
            Value::Placeholder(_) | Value::HexStringLiteral(_) => Self::Unknown,
            text => text.clone().into_string().map_or(Self::Unknown, Self::Text),
        }
    }

    fn signed(self, op: UnaryOperator) -> Self {
        match (op, self) {
            (_, Self::Null) => Self::Null,
            (UnaryOperator::Plus, Self::Number(n)) => Self::Number(n),
            (UnaryOperator::Minus, Self::Number(n)) => Self::Number(-n),
            _ => Self::Unknown,
        }
    }

    fn arithmetic(&self, op: &BinaryOperator, right: &Self) -> Self {
        let (Self::Number(left), Self::Number(right)) = (self, right) else {
            return Self::Unknown;
        };
        let value = match op {
            BinaryOperator::Plus => left + right,
            BinaryOperator::Minus => left - right,
            BinaryOperator::Multiply => left * right,
            _ => return Self::Unknown,
        };
        Self::Number(value)
    }

    /// Whether the constant, standing as a condition, holds; `None` where that is not known. MySQL takes any number but
    /// zero for true, and of a string the number it starts with.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            Self::Number(n) => Some(*n != 0.0),
            Self::Text(text) => Some(text.trim().parse::<f64>().ok()? != 0.0),
            Self::Null | Self::Unknown => None,
        }
    }

    /// How two constants compare; `None` where a NULL, a type conversion or a collation decides.
    pub(super) fn compare(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Text(left), Self::Text(right)) => {
                // Whether case and trailing spaces count is for the collation to say.
                let same = left == right;
                let alike = left.trim_end().eq_ignore_ascii_case(right.trim_end());
                (same || !alike).then(|| left.cmp(right))
            }
            _ => self.number()?.partial_cmp(&other.number()?),
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Bool(truth) => Some(f64::from(u8::from(*truth))),
            Self::Number(n) => Some(*n),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Null | Self::Unknown => None,
        }
    }
}

//! Numbers that keep the digits they were written with.

use std::fmt;

use crate::json::JsonText;
use crate::lex::Kind;

/// A JSON number, kept as its token: `1`, `1.0`, `1e0` and 2^53+1 all come out as they came in.
///
/// Two numbers are equal if they name the same value, whatever their spelling (an exponent of 2^100
/// and more has one spelling only).
#[derive(Clone)]
pub struct Number(JsonText);

impl Number {
    /// The number whose token is `text`; `None` if `text` is anything but one JSON number.
    pub fn from_json(text: JsonText) -> Option<Self> {
        (text.kind() == Kind::Number).then_some(Self(text))
    }

    /// The token.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The same number, sharing nothing with the message it was read from.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self(JsonText::trusted(self.as_str().to_owned()))
    }

    /// The nearest double.
    pub fn as_f64(&self) -> f64 {
        self.as_str().parse().unwrap_or(f64::NAN)
    }

    /// The value, if it is a whole number that fits: `12`, `12.0` and `1.2e1` are all 12.
    pub fn as_i64(&self) -> Option<i64> {
        if let Some(value) = small(self.0.as_bytes()) {
            return Some(value);
        }
        let value = Decimal::new(self.as_str()).whole()?;
        i64::try_from(value).ok()
    }

    /// The value, if it is a whole number that fits and is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        if let Ok(value) = self.as_str().parse() {
            return Some(value);
        }
        let value = Decimal::new(self.as_str()).whole()?;
        u64::try_from(value).ok()
    }

    /// Whether the value is a whole number of any size.
    pub fn is_integer(&self) -> bool {
        let token = self.0.as_bytes();
        token.strip_prefix(b"-").unwrap_or(token).iter().all(u8::is_ascii_digit)
            || Decimal::new(self.as_str()).is_whole()
    }
}

/// The value of a token of a few digits alone, as most are.
fn small(token: &[u8]) -> Option<i64> {
    if token.is_empty() || token.len() > 18 {
        return None;
    }
    token.iter().try_fold(0, |value, byte| match byte {
        b'0'..=b'9' => Some(value * 10 + i64::from(byte - b'0')),
        _ => None,
    })
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(JsonText::trusted(value.to_string()))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(JsonText::trusted(value.to_string()))
    }
}

impl TryFrom<f64> for Number {
    type Error = f64;

    /// Refuses what JSON cannot write: infinities and NaN.
    fn try_from(value: f64) -> Result<Self, f64> {
        let text = serde_json::to_string(&value).unwrap_or_default();
        JsonText::new(text).ok().and_then(Self::from_json).ok_or(value)
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
            || Decimal::new(self.as_str()) == Decimal::new(other.as_str())
    }
}

impl Eq for Number {}

impl std::hash::Hash for Number {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        Decimal::new(self.as_str()).hash(state);
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A number token in a form with one spelling a value: digits without zeros at either end.
///
/// `-0` differs from `0`, since some readers tell them apart.
#[derive(Debug, Eq, Hash, PartialEq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    exponent: i128,
    /// An exponent too long to reckon with, as written; `exponent` then holds the shift alone.
    far: Option<String>,
}

impl Decimal {
    /// Reads a well-formed number token.
    pub(crate) fn new(token: &str) -> Self {
        let (negative, token) = match token.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, token),
        };
        let (mantissa, exponent) = match token.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent),
            None => (token, "0"),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = [whole, fraction].concat();
        let digits = digits.trim_start_matches('0');
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return Self { negative, digits: String::new(), exponent: 0, far: None };
        }
        let shift = (digits.len() - kept.len()) as i128 - fraction.len() as i128;
        let (exponent, far) = match exponent.parse::<i128>() {
            Ok(near) if near.unsigned_abs() < FAR => (near + shift, None),
            _ => (shift, Some(exponent.to_owned())),
        };
        Self { negative, digits: kept.to_owned(), exponent, far }
    }

    fn is_whole(&self) -> bool {
        match &self.far {
            Some(far) => !far.starts_with('-'),
            None => self.exponent >= 0,
        }
    }

    fn whole(&self) -> Option<i128> {
        if self.digits.is_empty() {
            return Some(0);
        }
        if self.far.is_some() {
            return None;
        }
        let power = 10i128.checked_pow(u32::try_from(self.exponent).ok()?)?;
        let value = self.digits.parse::<i128>().ok()?.checked_mul(power)?;
        Some(if self.negative { -value } else { value })
    }
}

/// One text a value: the digits, and the exponent after an `e` for each part of it.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        write!(f, "{sign}{}e{}", self.digits, self.exponent)?;
        self.far.iter().try_for_each(|far| write!(f, "e{far}"))
    }
}

/// From here on an exponent is compared by its token: no length of a mantissa makes up for it.
const FAR: u128 = 1 << 100;

#[cfg(test)]
mod tests {
    use super::*;

    fn number(token: &str) -> Number {
        Number::from_json(JsonText::new(token).unwrap()).unwrap()
    }

    #[test]
    fn whole_numbers_are_read_exactly_from_any_spelling() {
        for (token, value) in [("12", 12), ("12.0", 12), ("1.2e1", 12), ("120e-1", 12), ("-0.0", 0)]
        {
            assert_eq!(number(token).as_u64(), Some(value), "{token}");
        }
        assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
        assert_eq!(number("9007199254740993").as_u64(), Some(9_007_199_254_740_993));
        for token in ["-1", "1.5", "18446744073709551616", "1e999999999999999999999", "1e-5"] {
            assert_eq!(number(token).as_u64(), None, "{token}");
        }
    }

    #[test]
    fn equality_is_by_value_and_to_the_last_digit() {
        assert_eq!(number("1"), number("1.0"));
        assert_eq!(number("100"), number("1e2"));
        assert_ne!(number("9007199254740992"), number("9007199254740993"));
        assert_ne!(number("0"), number("-0"));
        assert_ne!(number("1e400"), number("1e401"));
        assert_ne!(number("1e9223372036854775808"), number("1e99999999999999999999"));
        assert_eq!(number("10e9223372036854775807"), number("1e9223372036854775808"));
    }

    #[test]
    fn exponents_too_long_to_reckon_with_are_never_taken_for_each_other() {
        let far = |last| format!("1e{}{last}", "9".repeat(60));
        assert_eq!(number(&far("1")), number(&far("1")));
        assert_ne!(number(&far("1")), number(&far("2")));
        assert_ne!(number("1e1"), number(&far("1")));
        assert!(number(&far("1")).is_integer());
        assert_eq!(number(&far("1")).as_u64(), None);
        assert!(!number(&format!("1e-{}", "9".repeat(60))).is_integer());
        assert_eq!(number(&format!("0e{}", "9".repeat(60))), number("0"));
    }
}

//! Numbers that never overflow: integers grow, divisions stay exact as ratios, floats are contagious.

use std::cmp::Ordering;
use std::fmt;

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Num, Signed, ToPrimitive, Zero};

/// Longest integer, in bits: about 78,900 digits. One operation on two of them takes milliseconds.
pub(super) const INTEGER_BITS_MAX: u64 = 1 << 18;
/// Longest numerator or denominator of a ratio, in bits. Smaller, because a ratio is reduced by its
/// greatest common divisor, which takes quadratic time.
pub(super) const RATIO_BITS_MAX: u64 = 1 << 14;
/// No integer within `INTEGER_BITS_MAX` has more decimal digits.
const DIGITS_MAX: usize = (INTEGER_BITS_MAX as usize) * 3 / 10 + 300;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Number {
    Int(i64),
    /// Never fits an `i64`.
    Big(BigInt),
    /// Never whole.
    Ratio(BigRational),
    Float(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberError {
    DivideByZero,
    TooLarge,
}

type Result<T> = std::result::Result<T, NumberError>;

/// Two numbers brought to one kind.
enum Alike {
    Ints(BigInt, BigInt),
    Ratios(BigRational, BigRational),
    Floats(f64, f64),
}

impl Number {
    /// A literal: `12`, `-3`, `0xff`, `0b101`, `1/3`, `2.5`, `1e9`, `+inf`, `-inf`, `nan`.
    pub(super) fn parse(text: &str) -> Option<Number> {
        match text {
            "+inf" => return Some(Number::Float(f64::INFINITY)),
            "-inf" => return Some(Number::Float(f64::NEG_INFINITY)),
            "nan" => return Some(Number::Float(f64::NAN)),
            _ => {}
        }
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if text.len() > DIGITS_MAX || !digits.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let signed = |magnitude: BigInt| if text.starts_with('-') { -magnitude } else { magnitude };
        if let Some((numer, denom)) = digits.split_once('/') {
            let ratio = (signed(decimal(numer)?), decimal(denom)?);
            return Self::from_ratio(ratio.0, ratio.1).ok();
        }
        if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
            return Self::from_big(signed(in_radix(hex, 16)?)).ok();
        }
        if let Some(binary) = digits.strip_prefix("0b").or_else(|| digits.strip_prefix("0B")) {
            return Self::from_big(signed(in_radix(binary, 2)?)).ok();
        }
        if let Some(whole) = decimal(digits) {
            return Self::from_big(signed(whole)).ok();
        }
        is_float(digits).then(|| text.parse().ok().map(Number::Float)).flatten()
    }

    pub(super) fn from_big(value: BigInt) -> Result<Number> {
        if let Some(small) = value.to_i64() {
            return Ok(Number::Int(small));
        }
        if value.bits() > INTEGER_BITS_MAX {
            return Err(NumberError::TooLarge);
        }
        Ok(Number::Big(value))
    }

    /// `numer / denom` in lowest terms.
    fn from_ratio(numer: BigInt, denom: BigInt) -> Result<Number> {
        if denom.is_zero() {
            return Err(NumberError::DivideByZero);
        }
        if numer.bits().max(denom.bits()) > RATIO_BITS_MAX {
            // Too long to be reduced, but an exact division needs no reduction.
            let (quotient, rest) = numer.div_rem(&denom);
            return if rest.is_zero() {
                Self::from_big(quotient)
            } else {
                Err(NumberError::TooLarge)
            };
        }
        Self::from_rational(BigRational::new(numer, denom))
    }

    fn from_rational(value: BigRational) -> Result<Number> {
        if value.is_integer() {
            return Self::from_big(value.to_integer());
        }
        if value.numer().bits().max(value.denom().bits()) > RATIO_BITS_MAX {
            return Err(NumberError::TooLarge);
        }
        Ok(Number::Ratio(value))
    }

    pub(super) fn add(self, other: Number) -> Result<Number> {
        match alike(self, other)? {
            Alike::Ints(a, b) => Self::from_big(a + b),
            Alike::Ratios(a, b) => Self::from_rational(a + b),
            Alike::Floats(a, b) => Ok(Number::Float(a + b)),
        }
    }

    pub(super) fn sub(self, other: Number) -> Result<Number> {
        match alike(self, other)? {
            Alike::Ints(a, b) => Self::from_big(a - b),
            Alike::Ratios(a, b) => Self::from_rational(a - b),
            Alike::Floats(a, b) => Ok(Number::Float(a - b)),
        }
    }

    pub(super) fn mul(self, other: Number) -> Result<Number> {
        match alike(self, other)? {
            Alike::Ints(a, b) if a.bits() + b.bits() > INTEGER_BITS_MAX + 1 => {
                Err(NumberError::TooLarge)
            }
            Alike::Ints(a, b) => Self::from_big(a * b),
            Alike::Ratios(a, b) => Self::from_rational(a * b),
            Alike::Floats(a, b) => Ok(Number::Float(a * b)),
        }
    }

    /// Exact for integers and ratios; a float divided by zero is infinite or not a number.
    pub(super) fn div(self, other: Number) -> Result<Number> {
        match alike(self, other)? {
            Alike::Ints(a, b) => Self::from_ratio(a, b),
            Alike::Ratios(_, b) if b.is_zero() => Err(NumberError::DivideByZero),
            Alike::Ratios(a, b) => Self::from_rational(a / b),
            Alike::Floats(a, b) => Ok(Number::Float(a / b)),
        }
    }

    /// The remainder that has the sign of the divisor.
    pub(super) fn modulo(self, other: Number) -> Result<Number> {
        match alike(self, other)? {
            Alike::Ints(_, b) if b.is_zero() => Err(NumberError::DivideByZero),
            Alike::Ints(a, b) => Self::from_big(a.mod_floor(&b)),
            Alike::Ratios(_, b) if b.is_zero() => Err(NumberError::DivideByZero),
            Alike::Ratios(a, b) => {
                let times = (&a / &b).floor();
                Self::from_rational(a - b * times)
            }
            Alike::Floats(a, b) => {
                let rest = a % b;
                let other_sign = (rest < 0.0 && b > 0.0) || (rest > 0.0 && b < 0.0);
                Ok(Number::Float(if other_sign { rest + b } else { rest }))
            }
        }
    }

    /// The remainder that has the sign of the dividend.
    pub(super) fn rem(self, other: Number) -> Result<Number> {
        match alike(self, other)? {
            Alike::Ints(_, b) if b.is_zero() => Err(NumberError::DivideByZero),
            Alike::Ints(a, b) => Self::from_big(a % b),
            Alike::Ratios(_, b) if b.is_zero() => Err(NumberError::DivideByZero),
            Alike::Ratios(a, b) => Self::from_rational(a % b),
            Alike::Floats(a, b) => Ok(Number::Float(a % b)),
        }
    }

    /// The quotient cut towards zero.
    pub(super) fn quot(self, other: Number) -> Result<Number> {
        match alike(self, other)? {
            Alike::Ints(_, b) if b.is_zero() => Err(NumberError::DivideByZero),
            Alike::Ints(a, b) => Self::from_big(a / b),
            Alike::Ratios(_, b) if b.is_zero() => Err(NumberError::DivideByZero),
            Alike::Ratios(a, b) => Self::from_big((a / b).to_integer()),
            Alike::Floats(a, b) => Ok(Number::Float((a / b).trunc())),
        }
    }

    /// `self` to a whole power.
    pub(super) fn pow(self, exponent: i64) -> Result<Number> {
        if let Number::Float(base) = self {
            return Ok(Number::Float(base.powf(exponent as f64)));
        }
        let times = exponent.unsigned_abs();
        // What surely gets too long is not even tried. 0, 1 and -1 stay short whatever the exponent.
        if self.bits().saturating_sub(1).saturating_mul(times) > INTEGER_BITS_MAX {
            return Err(NumberError::TooLarge);
        }
        let times = if self.bits() > 1 { times } else { times % 2 + 2 * u64::from(times > 0) };
        let times = u32::try_from(times).map_err(|_| NumberError::TooLarge)?;
        let power = match self {
            Number::Ratio(base) => {
                let (numer, denom) = (base.numer().pow(times), base.denom().pow(times));
                Self::from_ratio(numer, denom)?
            }
            whole => Self::from_big(whole.into_big().pow(times))?,
        };
        if exponent < 0 { Number::Int(1).div(power) } else { Ok(power) }
    }

    /// Exact also between a float and an integer that no float can hold. Nothing for not-a-number.
    pub(super) fn compare(&self, other: &Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
            (Number::Float(a), b) => compare_float(*a, b),
            (a, Number::Float(b)) => compare_float(*b, a).map(Ordering::reverse),
            (a, b) => Some(a.to_rational().cmp(&b.to_rational())),
        }
    }

    /// The nearest float.
    pub(super) fn to_f64(&self) -> f64 {
        match self {
            Number::Int(value) => *value as f64,
            Number::Big(value) => value.to_f64().unwrap_or(f64::NAN),
            Number::Ratio(value) => value.to_f64().unwrap_or(f64::NAN),
            Number::Float(value) => *value,
        }
    }

    pub(super) fn is_negative(&self) -> bool {
        match self {
            Number::Int(value) => *value < 0,
            Number::Big(value) => value.is_negative(),
            Number::Ratio(value) => value.is_negative(),
            Number::Float(value) => *value < 0.0,
        }
    }

    /// Length in 64-bit words, as a measure of what an operation on it costs.
    pub(super) fn words(&self) -> u64 {
        self.bits() / 64 + 1
    }

    /// `round` picks a whole number near an exact one; `float` does so for a float.
    pub(super) fn rounded(
        self,
        round: fn(&BigRational) -> BigRational,
        float: fn(f64) -> f64,
    ) -> Result<Number> {
        match self {
            Number::Ratio(value) => Self::from_rational(round(&value)),
            Number::Float(value) => Ok(Number::Float(float(value))),
            whole => Ok(whole),
        }
    }

    /// The same value as an integer or a ratio. Nothing for infinities and not-a-number.
    pub(super) fn to_exact(&self) -> Option<Result<Number>> {
        match self {
            Number::Float(value) => BigRational::from_float(*value).map(Self::from_rational),
            exact => Some(Ok(exact.clone())),
        }
    }

    fn bits(&self) -> u64 {
        match self {
            Number::Int(value) => 64 - u64::from(value.unsigned_abs().leading_zeros()),
            Number::Big(value) => value.bits(),
            Number::Ratio(value) => value.numer().bits().max(value.denom().bits()),
            Number::Float(_) => 64,
        }
    }

    /// Of an integer.
    fn into_big(self) -> BigInt {
        match self {
            Number::Big(value) => value,
            Number::Int(value) => value.into(),
            Number::Ratio(value) => value.to_integer(),
            Number::Float(value) => {
                BigRational::from_float(value).map_or_else(BigInt::zero, |r| r.to_integer())
            }
        }
    }

    fn to_rational(&self) -> BigRational {
        match self {
            Number::Ratio(value) => value.clone(),
            other => BigRational::from_integer(other.clone().into_big()),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(value) => write!(f, "{value}"),
            Number::Big(value) => write!(f, "{value}"),
            Number::Ratio(value) => write!(f, "{}/{}", value.numer(), value.denom()),
            Number::Float(value) if value.is_nan() => f.write_str("nan"),
            Number::Float(value) if value.is_infinite() => {
                f.write_str(if *value > 0.0 { "+inf" } else { "-inf" })
            }
            Number::Float(value) => write!(f, "{value:?}"),
        }
    }
}

fn alike(a: Number, b: Number) -> Result<Alike> {
    Ok(match (a, b) {
        (Number::Float(a), b) => Alike::Floats(a, b.to_f64()),
        (a, Number::Float(b)) => Alike::Floats(a.to_f64(), b),
        (a @ Number::Ratio(_), b) | (a, b @ Number::Ratio(_)) => {
            if a.bits().max(b.bits()) > RATIO_BITS_MAX {
                return Err(NumberError::TooLarge);
            }
            Alike::Ratios(a.to_rational(), b.to_rational())
        }
        (a, b) => Alike::Ints(a.into_big(), b.into_big()),
    })
}

fn compare_float(float: f64, exact: &Number) -> Option<Ordering> {
    if let Number::Int(small) = exact
        && small.unsigned_abs() < 1 << f64::MANTISSA_DIGITS
    {
        return float.partial_cmp(&(*small as f64));
    }
    if float.is_nan() {
        return None;
    }
    match BigRational::from_float(float) {
        Some(float) => Some(float.cmp(&exact.to_rational())),
        None if float > 0.0 => Some(Ordering::Greater),
        None => Some(Ordering::Less),
    }
}

/// Decimal digits without a leading zero.
fn decimal(digits: &str) -> Option<BigInt> {
    let leading_zero = digits.len() > 1 && digits.starts_with('0');
    if leading_zero { None } else { in_radix(digits, 10) }
}

fn in_radix(digits: &str, radix: u32) -> Option<BigInt> {
    let plain = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    plain.then(|| BigInt::from_str_radix(digits, radix).ok()).flatten()
}

/// Digits, a fraction or an exponent or both, and nothing else.
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => {
            (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)))
        }
        None => (text, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let leading_zero = whole.len() > 1 && whole.starts_with('0');
    digits(whole)
        && !leading_zero
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
        && (fraction.is_some() || exponent.is_some())
}

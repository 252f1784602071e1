//! Numbers that are stored and printed as JavaScript does.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Raw;

/// A number of the protocol: a double that is serialised as JavaScript does.
///
/// ```
/// use sluice_wire::Number;
/// assert_eq!(serde_json::to_string(&Number(0.0)).unwrap(), "0");
/// assert_eq!(serde_json::to_string(&Number(0.000012)).unwrap(), "0.000012");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Number(pub f64);

/// 2^53: from here on a double cannot represent every integer.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

impl Number {
    /// Returns the number as a double.
    #[must_use]
    pub fn get(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ryu_js::Buffer::new().format(self.0))
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(value)
    }
}

impl From<u32> for Number {
    fn from(value: u32) -> Self {
        Self(value.into())
    }
}

impl From<u64> for Number {
    #[allow(clippy::cast_precision_loss)]
    fn from(value: u64) -> Self {
        Self(value as f64)
    }
}

impl From<Number> for f64 {
    fn from(number: Number) -> Self {
        number.0
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value = self.0;
        if !value.is_finite() {
            return serializer.serialize_unit();
        }
        if value.fract() == 0.0 && value.abs() < MAX_EXACT_INTEGER {
            #[allow(clippy::cast_possible_truncation)]
            return serializer.serialize_i64(value as i64);
        }
        match Raw::from_text(self.to_string()) {
            Ok(raw) => raw.serialize(serializer),
            Err(error) => Err(serde::ser::Error::custom(error)),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self)
    }
}

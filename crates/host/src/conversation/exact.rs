//! Doubles that come back from a snapshot as they went in: the JSON reader rounds, the standard library does not.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sluice_wire::Raw;

#[allow(clippy::trivially_copy_pass_by_ref)]
pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    number.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Raw::deserialize(deserializer)?.get().parse().map_err(D::Error::custom)
}

/// The same for one that may be missing.
pub(crate) mod maybe {
    use super::{Deserialize, Deserializer, Error, Raw, Serialize, Serializer};

    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub(crate) fn serialize<S: Serializer>(number: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        number.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        let raw = Raw::deserialize(deserializer)?;
        if raw.is_null() {
            return Ok(None);
        }
        raw.get().parse().map(Some).map_err(D::Error::custom)
    }
}

//! The bridge, from outside its crate. What needs the whole binary is in `interop/bridge`.

#[cfg(feature = "types")]
mod types;

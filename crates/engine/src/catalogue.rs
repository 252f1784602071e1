//! What lies on disk for a session to use: commands, skills, output styles, plugins.

#![allow(dead_code, reason = "the parts that read it join one by one")]

pub(crate) mod front_matter;
pub(crate) mod plugins;

//! protect

//! Text for the screen: styles, widths and line breaks.

pub mod clean;
pub mod link;
mod row;
pub mod sgr;
mod style;
pub mod width;
pub mod wrap;

pub use row::{Cell, Row, Span};
pub use style::{Role, Style};

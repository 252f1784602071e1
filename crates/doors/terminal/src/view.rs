//! Views: from the conversation state to rows. Pure, and testable without a terminal.

pub mod amount;
pub mod ask;
pub mod card;
pub mod changed;
pub mod composer;
pub mod diff;
pub mod earlier;
pub mod export;
pub mod feed;
pub mod inline;
pub mod markdown;
pub mod picture;
pub mod prompt;
pub mod report;
pub mod status;
pub mod table;
pub mod whole;
pub mod withdrawal;

//! Code with colours and differences between texts, as runs of classes; pure.

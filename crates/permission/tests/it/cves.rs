//! cves

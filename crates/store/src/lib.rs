//! What the bridge keeps: sessions, records, prompts, asks, devices, search.

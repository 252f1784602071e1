//! Who gets in: HTTP, TLS, devices, pairing, the embedded page.

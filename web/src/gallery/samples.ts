// Values that several samples of the gallery share.

export const LEASE = 'pub struct Lease {\n    conn: Conn,\n    last_used: Instant,\n}\n';
export const ESCAPE = '\u001b';

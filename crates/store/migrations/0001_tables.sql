-- Times are unix milliseconds. `key` is the session in other tables: short, and never told outside.
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  folder TEXT NOT NULL,
  title TEXT,
  title_by_person INTEGER NOT NULL,
  agent TEXT NOT NULL,
  model TEXT,
  permission_mode TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  archived INTEGER NOT NULL,
  status TEXT NOT NULL,
  cost REAL NOT NULL,
  turns INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  runner_committed INTEGER NOT NULL,
  runner_safe INTEGER NOT NULL,
  provider_id TEXT,
  pending_asks INTEGER NOT NULL,
  queue_len INTEGER NOT NULL,
  preview TEXT,
  extra TEXT NOT NULL,
  -- number of the newest record; bytes of the records kept as rows
  last_n INTEGER NOT NULL DEFAULT 0,
  live_bytes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_activity ON sessions (last_activity_at, id);
CREATE INDEX sessions_by_folder ON sessions (folder, last_activity_at);

CREATE TABLE provider_ids (
  provider_id TEXT NOT NULL,
  session TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (provider_id, session)
) WITHOUT ROWID;
CREATE INDEX provider_ids_by_session ON provider_ids (session, at);

CREATE TABLE records (
  session INTEGER NOT NULL,
  n INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  seq INTEGER,
  at INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  turn INTEGER,
  role TEXT,
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX records_by_n ON records (session, n);
CREATE UNIQUE INDEX records_by_seq ON records (session, epoch, seq) WHERE seq IS NOT NULL;

-- Records of long sessions, oldest first: deflated lines of JSON.
CREATE TABLE segments (
  session INTEGER NOT NULL,
  first_n INTEGER NOT NULL,
  last_n INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  first_seq INTEGER,
  last_seq INTEGER,
  shown INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (session, first_n)
);

-- What was said, for search.
CREATE TABLE texts (
  id INTEGER PRIMARY KEY,
  session INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  role TEXT,
  text TEXT NOT NULL
);
CREATE INDEX texts_by_session ON texts (session, epoch);

CREATE TABLE receipts (
  device TEXT NOT NULL,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (device, id)
) WITHOUT ROWID;
CREATE INDEX receipts_by_age ON receipts (at);

CREATE TABLE prompts (
  uuid TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  position REAL NOT NULL,
  at INTEGER NOT NULL,
  "by" TEXT NOT NULL,
  by_name TEXT NOT NULL,
  state TEXT NOT NULL,
  content TEXT NOT NULL,
  text TEXT NOT NULL,
  since INTEGER NOT NULL,
  turn INTEGER,
  extra TEXT NOT NULL
);
CREATE INDEX prompts_by_session ON prompts (session, position);

CREATE TABLE asks (
  session TEXT NOT NULL,
  request_id TEXT NOT NULL,
  tool_use_id TEXT,
  kind TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  input TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  decided_at INTEGER,
  decided_by TEXT,
  decided_by_name TEXT,
  decision TEXT,
  written INTEGER NOT NULL,
  PRIMARY KEY (session, request_id)
);
CREATE INDEX asks_pending ON asks (opened_at) WHERE state = 'pending';

CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  last_address TEXT,
  revoked_at INTEGER,
  user_agent TEXT
);

CREATE TABLE folders (
  path TEXT PRIMARY KEY,
  last_used_at INTEGER NOT NULL,
  uses INTEGER NOT NULL
);
CREATE INDEX folders_by_use ON folders (last_used_at);

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  device TEXT,
  device_name TEXT,
  action TEXT NOT NULL,
  session TEXT,
  detail TEXT NOT NULL
);

CREATE TABLE turns (
  session TEXT NOT NULL,
  turn INTEGER NOT NULL,
  began INTEGER NOT NULL,
  ended INTEGER,
  cost REAL NOT NULL,
  model TEXT,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  folder TEXT NOT NULL,
  day TEXT NOT NULL,
  subtype TEXT,
  by_model TEXT NOT NULL,
  PRIMARY KEY (session, turn)
);
CREATE INDEX turns_by_day ON turns (day);

CREATE TABLE blobs (
  hash TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  mime TEXT NOT NULL,
  refs INTEGER NOT NULL,
  at INTEGER NOT NULL
);
CREATE INDEX blobs_unreferenced ON blobs (at) WHERE refs = 0;
CREATE TABLE blob_refs (
  session TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (session, hash)
) WITHOUT ROWID;
CREATE INDEX blob_refs_by_hash ON blob_refs (hash);

CREATE TABLE push (
  endpoint TEXT PRIMARY KEY,
  device TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

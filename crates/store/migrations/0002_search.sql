-- Full-text search over what was said. The text itself stays in `texts`.
CREATE VIRTUAL TABLE said USING fts5 (
  text,
  content = 'texts',
  content_rowid = 'id',
  tokenize = 'unicode61 remove_diacritics 2',
  prefix = '2 3'
);
INSERT INTO said (said) VALUES ('rebuild');

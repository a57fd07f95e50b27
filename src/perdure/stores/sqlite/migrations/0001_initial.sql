-- The first schema. Times are microseconds since 1970 UTC; texts are UTF-8; JSON is text.

-- What the store knows about itself: analysis_version, embedding_model, …
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- One wall each: whose memories these are.
CREATE TABLE partitions (
    partition INTEGER PRIMARY KEY,
    tenant    TEXT NOT NULL,
    user      TEXT NOT NULL,
    UNIQUE (tenant, user)
);

-- Every memory as it stands. `extra` holds what few memories have, as JSON; `lexemes` the terms of
-- the searchable text as 32-bit codes (little endian), so that an index loads without analysing.
-- `importance` and `confidence` have no declared type: 1 and 1.0 come back as they were written.
-- `last_entry` is the memory's last journal entry.
CREATE TABLE memories (
    seq              INTEGER PRIMARY KEY,
    partition        INTEGER NOT NULL REFERENCES partitions,
    id               TEXT NOT NULL UNIQUE,
    agent            TEXT NOT NULL,
    session          TEXT NOT NULL,
    kind             TEXT NOT NULL,
    state            TEXT NOT NULL,
    version          INTEGER NOT NULL,
    importance       NOT NULL,
    confidence       NOT NULL,
    occurred_at      INTEGER NOT NULL,
    occurred_until   INTEGER,
    recorded_at      INTEGER NOT NULL,
    retired_at       INTEGER,
    valid_from       INTEGER NOT NULL,
    valid_to         INTEGER,
    expires_at       INTEGER,
    superseded_by    TEXT,
    pinned           INTEGER NOT NULL,
    key              TEXT,
    role             TEXT,
    speaker          TEXT,
    accessed_count   INTEGER NOT NULL,
    used_count       INTEGER NOT NULL,
    last_accessed_at INTEGER,
    subject          TEXT,
    predicate        TEXT,
    object           TEXT,
    polarity         TEXT,
    content          TEXT NOT NULL,
    metadata         TEXT,
    extra            TEXT,
    last_entry       INTEGER NOT NULL,
    fingerprint      INTEGER NOT NULL,
    lexemes          BLOB NOT NULL
);
CREATE INDEX memories_by_time ON memories (partition, recorded_at, id);
CREATE INDEX memories_alike ON memories (partition, fingerprint);
CREATE INDEX memories_by_slot ON memories (partition, key) WHERE key IS NOT NULL;

-- The vectors of memories, little endian. `place` is the memory's seq × 65536 + the row's number
-- among the memory's rows, `more` how many rows follow the first (0 in the others): rows are small,
-- so that pages are filled. `encoding` 0: float32, pieces × dimension; 1: as `vectors.Packed` says.
CREATE TABLE vectors (
    place    INTEGER PRIMARY KEY,
    model    INTEGER NOT NULL REFERENCES models,
    encoding INTEGER NOT NULL,
    pieces   INTEGER NOT NULL,
    more     INTEGER NOT NULL,
    data     BLOB NOT NULL
);

CREATE TABLE models (
    model     INTEGER PRIMARY KEY,
    identity  TEXT NOT NULL UNIQUE,
    dimension INTEGER
);

-- Memories stored without vectors of the present model, in the order the embedding worker asks.
CREATE TABLE awaiting_vectors (
    id TEXT PRIMARY KEY
) WITHOUT ROWID;

-- Everything that ever happened. `before` is the memory's journal entry before this one (0: none),
-- so that a history is read from its end without an index of its own. `reloads` tells a search
-- index to read the memory's text and vectors again, not only its columns. Digests are the 16 bytes
-- that `domain.journal` defines.
CREATE TABLE journal (
    sequence    INTEGER PRIMARY KEY,
    partition   INTEGER NOT NULL REFERENCES partitions,
    memory      INTEGER NOT NULL REFERENCES memories,
    before      INTEGER NOT NULL,
    reloads     INTEGER NOT NULL,
    operation   TEXT NOT NULL,
    version     INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    actor       TEXT NOT NULL,
    request_id  TEXT NOT NULL,
    config_hash TEXT NOT NULL,
    reason      TEXT,
    previous    BLOB NOT NULL,
    digest      BLOB NOT NULL,
    change      TEXT NOT NULL
);
CREATE INDEX journal_by_partition ON journal (partition);

-- Which memories got other vectors without a journal entry. Memory 0: read everything again.
-- Only the newest rows are kept; an index that is further behind starts afresh.
CREATE TABLE vector_changes (
    tick   INTEGER PRIMARY KEY,
    memory INTEGER NOT NULL
);

CREATE TABLE idempotency (
    partition INTEGER NOT NULL REFERENCES partitions,
    key       TEXT NOT NULL,
    request   TEXT NOT NULL,
    answer    TEXT NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (partition, key)
) WITHOUT ROWID;

CREATE TABLE leases (
    name       TEXT PRIMARY KEY,
    owner      TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) WITHOUT ROWID;

-- For people who read the file with SQL.
CREATE VIEW episodic_memories AS
SELECT m.id, p.tenant, m.agent, p.user, m.session, m.kind, m.state, m.content, m.importance,
       m.role, m.speaker, m.metadata, m.superseded_by, m.version,
       datetime(m.occurred_at / 1000000, 'unixepoch') AS occurred_at,
       datetime(m.recorded_at / 1000000, 'unixepoch') AS recorded_at,
       datetime(m.valid_from / 1000000, 'unixepoch') AS valid_from,
       datetime(m.valid_to / 1000000, 'unixepoch') AS valid_to
FROM memories AS m JOIN partitions AS p USING (partition)
WHERE m.subject IS NULL;

CREATE VIEW knowledge_relations AS
SELECT m.id, p.tenant, m.agent, p.user, m.session, m.state, m.subject, m.predicate, m.object,
       m.polarity, m.confidence, m.content, m.superseded_by, m.version,
       datetime(m.valid_from / 1000000, 'unixepoch') AS valid_from,
       datetime(m.valid_to / 1000000, 'unixepoch') AS valid_to,
       datetime(m.recorded_at / 1000000, 'unixepoch') AS recorded_at,
       datetime(m.retired_at / 1000000, 'unixepoch') AS retired_at
FROM memories AS m JOIN partitions AS p USING (partition)
WHERE m.subject IS NOT NULL;

-- The store's tables. They live in one schema, which the connection's search_path names first.
--
-- Every table that belongs to somebody starts its key with the distribution column: the tenant,
-- then the user. Texts compare by code point ("C"), whatever the database's own collation.
-- `docs/decisions/0004-postgres.md` says how this leaves room for partitions and row security.

-- One row per memory, of all kinds; one id names one memory.
CREATE TABLE memories (
    tenant           text COLLATE "C" NOT NULL,
    user_id          text COLLATE "C" NOT NULL,
    id               text COLLATE "C" NOT NULL,
    agent            text COLLATE "C" NOT NULL,
    session          text COLLATE "C" NOT NULL,
    kind             text COLLATE "C" NOT NULL,
    state            text COLLATE "C" NOT NULL,
    version          integer NOT NULL,
    content          text COLLATE "C" NOT NULL,
    importance       double precision NOT NULL,
    confidence       double precision NOT NULL,
    occurred_at      timestamptz NOT NULL,
    occurred_until   timestamptz,
    recorded_at      timestamptz NOT NULL,
    retired_at       timestamptz,
    valid_from       timestamptz NOT NULL,
    valid_to         timestamptz,
    expires_at       timestamptz,
    superseded_by    text COLLATE "C",
    pinned           boolean NOT NULL,
    key              text COLLATE "C",
    role             text COLLATE "C",
    speaker          text COLLATE "C",
    subject          text COLLATE "C",
    predicate        text COLLATE "C",
    object           text COLLATE "C",
    polarity         text COLLATE "C",
    accessed_count   bigint NOT NULL,
    used_count       bigint NOT NULL,
    last_accessed_at timestamptz,
    metadata         jsonb NOT NULL,
    -- What few memories have, in the form of the journal; null when this one has none of it.
    extra            json,
    -- Derived from the above; `check` makes them anew.
    fingerprint      bigint NOT NULL,     -- of the words, for restatements
    lexemes          bigint[] NOT NULL,   -- the codes of the searchable text's terms, with repeats
    instants         jsonb NOT NULL,      -- which instants texts name, for filters by time
    PRIMARY KEY (tenant, user_id, id)
);

CREATE INDEX memories_by_fingerprint ON memories (tenant, user_id, fingerprint);
-- By the hash of the slot key: a key may be longer than an index entry.
CREATE INDEX memories_by_slot ON memories (tenant, user_id, hashtextextended(key, 0))
    WHERE key IS NOT NULL;
CREATE INDEX memories_by_recorded_at ON memories (tenant, user_id, recorded_at, id);
CREATE INDEX memories_by_occurred_at ON memories (tenant, user_id, occurred_at, id);

-- Whose each id is. Ids are unique across the store, which no key that starts with the tenant can
-- promise; and vectors arrive by id alone. The one table that is found by id.
CREATE TABLE memory_owners (
    id      text COLLATE "C" PRIMARY KEY,
    tenant  text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL
);

-- The vectors of a memory: the whole text first, then its pieces; all by the store's model.
CREATE TABLE vectors (
    tenant    text COLLATE "C" NOT NULL,
    user_id   text COLLATE "C" NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    piece     integer NOT NULL,
    model     text COLLATE "C" NOT NULL,
    embedding vector NOT NULL,
    PRIMARY KEY (tenant, user_id, memory_id, piece),
    FOREIGN KEY (tenant, user_id, memory_id) REFERENCES memories (tenant, user_id, id)
);

-- One row per change and access, chained per (tenant, user). Rows are only ever added.
CREATE SEQUENCE journal_sequence;
CREATE TABLE journal (
    tenant      text COLLATE "C" NOT NULL,
    user_id     text COLLATE "C" NOT NULL,
    sequence    bigint NOT NULL,
    at          timestamptz NOT NULL,
    operation   text COLLATE "C" NOT NULL,
    memory_id   text COLLATE "C" NOT NULL,
    version     integer NOT NULL,
    agent       text COLLATE "C" NOT NULL,
    session     text COLLATE "C" NOT NULL,
    actor       text COLLATE "C" NOT NULL,
    request_id  text COLLATE "C" NOT NULL,
    config_hash text COLLATE "C" NOT NULL,
    reason      text COLLATE "C",
    -- `json` rather than `jsonb`: the digest covers the text as it is.
    change      json NOT NULL,
    previous    text COLLATE "C" NOT NULL,
    digest      text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, user_id, sequence)
);

CREATE INDEX journal_by_memory ON journal (tenant, user_id, memory_id, sequence);
CREATE INDEX journal_by_tenant ON journal (tenant, sequence);

-- What an idempotency key was used for, and the answer it got.
CREATE TABLE idempotency (
    tenant     text COLLATE "C" NOT NULL,
    user_id    text COLLATE "C" NOT NULL,
    key_digest text COLLATE "C" NOT NULL,  -- a key may be longer than an index entry
    key        text COLLATE "C" NOT NULL,
    request    text COLLATE "C" NOT NULL,
    answer     json NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (tenant, user_id, key_digest)
);

-- Exclusive rights that run out. They belong to nobody's memory.
CREATE TABLE leases (
    name  text COLLATE "C" PRIMARY KEY,
    owner text COLLATE "C" NOT NULL,
    until timestamptz NOT NULL
);

-- Facts about the store: `embedding_model`, `analysis_version`.
CREATE TABLE meta (
    name  text COLLATE "C" PRIMARY KEY,
    value text COLLATE "C" NOT NULL
);

-- For people who read with SQL. They run with the reader's rights.
CREATE VIEW episodic_memories WITH (security_invoker = true) AS
SELECT tenant, user_id, agent, session, id, content, kind, importance, occurred_at,
       occurred_until, recorded_at, retired_at, valid_from, valid_to, superseded_by, state,
       version, accessed_count, last_accessed_at, expires_at, pinned, key, role, speaker, metadata
FROM memories WHERE subject IS NULL;

CREATE VIEW knowledge_relations WITH (security_invoker = true) AS
SELECT tenant, user_id, agent, session, id, subject, predicate, object, polarity,
       content AS statement, confidence, importance, valid_from, valid_to, recorded_at,
       retired_at, superseded_by, state, version, key, metadata AS properties,
       extra -> 'provenance' AS provenance
FROM memories WHERE subject IS NOT NULL;

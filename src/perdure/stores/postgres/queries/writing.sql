-- name: take_locks
-- Advisory locks held until the transaction ends, in the order given, which is the same for all.
-- What a lock protects may be read only by the statements after this one: their snapshots are
-- younger than the lock.
--
-- Numbers cross in text arrays, here and below: the driver has to learn every other type of array
-- anew on each connection, which takes it some 20 ms.
SELECT CASE WHEN wanted.exclusive THEN pg_advisory_xact_lock(wanted.key)
            ELSE pg_advisory_xact_lock_shared(wanted.key) END
FROM unnest(CAST(CAST(:keys AS text[]) AS bigint[]),
            CAST(CAST(:exclusive AS text[]) AS boolean[])) AS wanted(key, exclusive);

-- name: stored
-- The memories that have these ids, of any scope.
SELECT {{memory_columns}}
FROM memory_owners AS o
JOIN memories AS m ON m.tenant = o.tenant AND m.user_id = o.user_id AND m.id = o.id
WHERE o.id = ANY (CAST(:ids AS text[]));

-- name: slot_versions
-- Members of several slots, each with the place of its slot, counted from 1.
SELECT s.place, m.id, m.version
FROM unnest(CAST(:tenants AS text[]), CAST(:users AS text[]), CAST(:agents AS text[]),
            CAST(:sessions AS text[]), CAST(:keys AS text[])) WITH ORDINALITY
     AS s(tenant, user_id, agent, session, key, place)
JOIN memories AS m ON m.tenant = s.tenant AND m.user_id = s.user_id
  AND hashtextextended(m.key, 0) = hashtextextended(s.key, 0) AND m.key = s.key
WHERE m.agent = s.agent AND m.session = s.session
  AND m.retired_at IS NULL AND m.state <> 'forgotten';

-- name: alike
-- Memories with these fingerprints, each with the place of the one it was asked for.
SELECT s.place, {{memory_columns}}
FROM unnest(CAST(:tenants AS text[]), CAST(:users AS text[]),
            CAST(CAST(:fingerprints AS text[]) AS bigint[])) WITH ORDINALITY
     AS s(tenant, user_id, fingerprint, place)
JOIN memories AS m
  ON m.tenant = s.tenant AND m.user_id = s.user_id AND m.fingerprint = s.fingerprint;

-- name: used_keys
-- What idempotency keys were used for, each with its place.
SELECT s.place, i.request, i.answer
FROM unnest(CAST(:tenants AS text[]), CAST(:users AS text[]), CAST(:digests AS text[]))
     WITH ORDINALITY AS s(tenant, user_id, digest, place)
JOIN idempotency AS i
  ON i.tenant = s.tenant AND i.user_id = s.user_id AND i.key_digest = s.digest;

-- name: present
-- Which of these ids exist behind their walls.
SELECT m.tenant, m.user_id, m.id
FROM unnest(CAST(:tenants AS text[]), CAST(:users AS text[]), CAST(:ids AS text[]))
     AS s(tenant, user_id, id)
JOIN memories AS m ON m.tenant = s.tenant AND m.user_id = s.user_id AND m.id = s.id;

-- name: heads
-- Where the journals of several (tenant, user)s end.
SELECT s.tenant, s.user_id, last.sequence, last.digest
FROM unnest(CAST(:tenants AS text[]), CAST(:users AS text[])) AS s(tenant, user_id)
CROSS JOIN LATERAL (
    SELECT j.sequence, j.digest FROM journal AS j
    WHERE j.tenant = s.tenant AND j.user_id = s.user_id
    ORDER BY j.sequence DESC LIMIT 1
) AS last;

-- name: claim_id
-- Fails on the primary key when somebody else's memory got the id first.
INSERT INTO memory_owners (id, tenant, user_id) VALUES (:id, :tenant, :user_id);

-- name: put_memory
-- A record as it is now, new or not.
INSERT INTO memories (
    tenant, user_id, id, agent, session, kind, state, version, content, importance, confidence,
    occurred_at, occurred_until, recorded_at, retired_at, valid_from, valid_to, expires_at,
    superseded_by, pinned, key, role, speaker, subject, predicate, object, polarity,
    accessed_count, used_count, last_accessed_at, archive, metadata, extra, held, interval_days,
    review_due_at, fingerprint, lexemes, instants)
VALUES (
    :tenant, :user_id, :id, :agent, :session, :kind, :state, :version, :content, :importance,
    :confidence, :occurred_at, :occurred_until, :recorded_at, :retired_at, :valid_from, :valid_to,
    :expires_at, :superseded_by, :pinned, :key, :role, :speaker, :subject, :predicate, :object,
    :polarity, :accessed_count, :used_count, :last_accessed_at, :archive, :metadata, :extra,
    :held, :interval_days, :review_due_at, :fingerprint,
    CAST(CAST(:lexemes AS text) AS bigint[]), :instants)
ON CONFLICT (tenant, user_id, id) DO UPDATE SET
    kind = excluded.kind, state = excluded.state, version = excluded.version,
    content = excluded.content, importance = excluded.importance,
    confidence = excluded.confidence, occurred_at = excluded.occurred_at,
    occurred_until = excluded.occurred_until, recorded_at = excluded.recorded_at,
    retired_at = excluded.retired_at, valid_from = excluded.valid_from,
    valid_to = excluded.valid_to, expires_at = excluded.expires_at,
    superseded_by = excluded.superseded_by, pinned = excluded.pinned, key = excluded.key,
    role = excluded.role, speaker = excluded.speaker, subject = excluded.subject,
    predicate = excluded.predicate, object = excluded.object, polarity = excluded.polarity,
    accessed_count = excluded.accessed_count, used_count = excluded.used_count,
    last_accessed_at = excluded.last_accessed_at, archive = excluded.archive,
    metadata = excluded.metadata, extra = excluded.extra, held = excluded.held,
    interval_days = excluded.interval_days, review_due_at = excluded.review_due_at,
    fingerprint = excluded.fingerprint, lexemes = excluded.lexemes,
    instants = excluded.instants;

-- name: count_access
UPDATE memories
SET accessed_count = accessed_count + :count,
    last_accessed_at = greatest(last_accessed_at, :last_at)
WHERE tenant = :tenant AND user_id = :user_id AND id = :id;

-- name: write_entries
-- Journal entries in the order given; the sequence of each. Times arrive as ISO 8601 text.
INSERT INTO journal (
    sequence, tenant, user_id, at, operation, memory_id, version, agent, session, actor,
    request_id, config_hash, reason, change, previous, digest, salt, seal)
SELECT nextval('journal_sequence'), e.tenant, e.user_id, CAST(e.at AS timestamptz), e.operation, e.memory_id, e.version,
       e.agent, e.session, e.actor, :request_id, :config_hash, e.reason, CAST(e.change AS json),
       e.previous, e.digest, e.salt, e.seal
FROM (
    SELECT * FROM unnest(
        CAST(:tenants AS text[]), CAST(:users AS text[]), CAST(:ats AS text[]),
        CAST(:operations AS text[]), CAST(:memory_ids AS text[]), CAST(CAST(:versions AS text[]) AS int[]),
        CAST(:agents AS text[]), CAST(:sessions AS text[]), CAST(:actors AS text[]),
        CAST(:reasons AS text[]), CAST(:changes AS text[]), CAST(:previouses AS text[]),
        CAST(:digests AS text[]), CAST(:salts AS text[]), CAST(:seals AS text[])
    ) WITH ORDINALITY AS e(tenant, user_id, at, operation, memory_id, version, agent, session,
                           actor, reason, change, previous, digest, salt, seal, place)
    ORDER BY e.place
) AS e
RETURNING sequence;

-- name: empty_entries
-- Takes the contents out of all entries of some memories that have any; how many they were.
WITH emptied AS (
    UPDATE journal SET reason = NULL, change = NULL, salt = ''
    WHERE tenant = :tenant AND user_id = :user_id
      AND memory_id = ANY (CAST(:ids AS text[])) AND change IS NOT NULL
    RETURNING 1
)
SELECT count(*) FROM emptied;

-- name: write_key
INSERT INTO idempotency (tenant, user_id, key_digest, key, request, answer, at)
VALUES (:tenant, :user_id, :key_digest, :key, :request, :answer, :at);

-- name: transaction_id
-- The number of the transaction, for `Transactions._ask`; null when it has written nothing.
SELECT CAST(pg_current_xact_id_if_assigned() AS text);

-- name: transaction_status
-- Asked for 'in progress' only; see `Transactions._ask`.
SELECT pg_xact_status(CAST(CAST(:id AS text) AS xid8));

-- name: has_entry
-- Whether this very journal entry was written: a digest covers it and all before it.
SELECT EXISTS (
    SELECT 1 FROM journal
    WHERE tenant = :tenant AND user_id = :user_id AND sequence = :sequence AND digest = :digest);

-- name: has_key
SELECT EXISTS (
    SELECT 1 FROM idempotency
    WHERE tenant = :tenant AND user_id = :user_id AND key_digest = :key_digest
      AND request = :request);

-- name: last_sequence
-- The number given out last. Safe to read on from only when no writer is under way.
SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM journal_sequence;

-- name: inventory
-- Everything behind the walls that an agent and a session admit, but for what was erased.
SELECT m.id, m.extra FROM memories AS m
WHERE m.tenant = :tenant AND m.user_id = :user_id
  AND (:agent = '' OR m.agent = :agent) AND (:session = '' OR m.session = :session)
  AND NOT (m.state = 'forgotten' AND m.content = '' AND m.archive IS NULL);

-- name: everything_behind
-- Every record behind the walls, whatever its state.
SELECT {{memory_columns}} FROM memories AS m
WHERE m.tenant = :tenant AND m.user_id = :user_id;

-- name: count_erased
-- What some memories behind the walls have in vectors and in journal entries with contents.
SELECT (SELECT count(*) FROM vectors AS v
        WHERE v.tenant = :tenant AND v.user_id = :user_id
          AND v.memory_id = ANY (CAST(:ids AS text[]))) AS vectors,
       (SELECT count(*) FROM journal AS j
        WHERE j.tenant = :tenant AND j.user_id = :user_id
          AND j.memory_id = ANY (CAST(:ids AS text[])) AND j.change IS NOT NULL) AS entries;

-- name: keys_behind
SELECT key, key_digest, answer FROM idempotency WHERE tenant = :tenant AND user_id = :user_id;

-- name: drop_keys
DELETE FROM idempotency
WHERE tenant = :tenant AND user_id = :user_id AND key_digest = ANY (CAST(:digests AS text[]));

-- name: withhold
INSERT INTO withheld (tenant, user_id, trace)
SELECT :tenant, :user_id, trace FROM unnest(CAST(:traces AS text[])) AS trace
ON CONFLICT DO NOTHING;

-- name: withheld_among
-- Which of these traces are withheld, each with its place, counted from 1.
SELECT s.place
FROM unnest(CAST(:tenants AS text[]), CAST(:users AS text[]), CAST(:traces AS text[]))
     WITH ORDINALITY AS s(tenant, user_id, trace, place)
JOIN withheld AS w ON w.tenant = s.tenant AND w.user_id = s.user_id AND w.trace = s.trace;

-- name: withholding_key
SELECT value FROM meta WHERE name = 'withholding_key';

-- name: make_withholding_key
-- Whoever comes second keeps the first one's.
INSERT INTO meta (name, value) VALUES ('withholding_key', :key) ON CONFLICT (name) DO NOTHING;

-- name: compaction_due
SELECT value FROM meta WHERE name = 'compaction';

-- name: set_compaction_due
INSERT INTO meta (name, value) VALUES ('compaction', :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: clear_compaction_due
-- Unless something else was erased meanwhile.
DELETE FROM meta WHERE name = 'compaction' AND value = :value;

-- name: bytes_of_touched
-- What the tables that hold contents take on disk, indexes included.
SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)
FROM unnest(CAST(:names AS text[])) AS name;

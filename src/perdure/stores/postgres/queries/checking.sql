-- name: all_walls
-- Every (tenant, user) that has a record or a journal.
SELECT tenant, user_id FROM memories UNION SELECT tenant, user_id FROM journal
ORDER BY tenant, user_id;

-- name: derived_within
-- Every record of a (tenant, user) with what was derived from it.
SELECT {{memory_columns}}, m.fingerprint, CAST(m.lexemes AS text) AS lexemes, m.instants,
       m.interval_days, m.review_due_at
FROM memories AS m WHERE m.tenant = :tenant AND m.user_id = :user_id ORDER BY m.id;

-- name: journal_of
-- A (tenant, user)'s journal from the first entry.
SELECT {{entry_columns}} FROM journal AS m
WHERE m.tenant = :tenant AND m.user_id = :user_id ORDER BY m.sequence;

-- name: repair_derived
UPDATE memories SET fingerprint = :fingerprint, lexemes = CAST(CAST(:lexemes AS text) AS bigint[]),
    instants = :instants, interval_days = :interval_days, review_due_at = :review_due_at
WHERE tenant = :tenant AND user_id = :user_id AND id = :id;

-- name: foreign_vectors
-- Vectors that another model made than the store's.
SELECT DISTINCT v.memory_id FROM vectors AS v
WHERE v.tenant = :tenant AND v.user_id = :user_id
  AND v.model IS DISTINCT FROM (SELECT value FROM meta WHERE name = 'embedding_model')
ORDER BY v.memory_id;

-- name: unowned
-- Records that `memory_owners` does not know, or knows as somebody else's.
SELECT m.id FROM memories AS m
WHERE m.tenant = :tenant AND m.user_id = :user_id AND NOT EXISTS (
    SELECT 1 FROM memory_owners AS o
    WHERE o.id = m.id AND o.tenant = m.tenant AND o.user_id = m.user_id)
ORDER BY m.id;

-- name: own
INSERT INTO memory_owners (id, tenant, user_id) VALUES (:id, :tenant, :user_id)
ON CONFLICT (id) DO UPDATE SET tenant = excluded.tenant, user_id = excluded.user_id;

-- name: owned_by_nobody
-- Ids in `memory_owners` that no record has.
SELECT o.id FROM memory_owners AS o WHERE NOT EXISTS (
    SELECT 1 FROM memories AS m
    WHERE m.tenant = o.tenant AND m.user_id = o.user_id AND m.id = o.id)
ORDER BY o.id;

-- name: disown
DELETE FROM memory_owners WHERE id = :id;

-- name: standing
-- Where writing goes on: last journal entry, memory and tick, the model whose vectors are used, and
-- the key that what was erased is withheld with.
SELECT (SELECT max(sequence) FROM journal), (SELECT max(seq) FROM memories),
       (SELECT max(tick) FROM vector_changes),
       (SELECT value FROM meta WHERE name = 'embedding_model'),
       (SELECT value FROM meta WHERE name = 'withholding_key');

-- name: stored_version
-- What a precondition asks of one memory, of any scope.
SELECT id, seq, partition, version, last_entry FROM memories WHERE id = ?;

-- name: stored_versions
-- The same for a JSON list of ids.
SELECT id, seq, partition, version, last_entry FROM memories
WHERE id IN (SELECT value FROM json_each(?));

-- name: slot_versions
SELECT id, version FROM memories
WHERE partition = ? AND key = ? AND agent = ? AND session = ?
  AND retired_at IS NULL AND state <> 'forgotten';

-- name: used_key
SELECT request, answer FROM idempotency WHERE partition = ? AND key = ?;

-- name: insert_memory
-- The columns of `rows.COLUMNS` between the keys and what is derived.
INSERT INTO memories (
    seq, partition, id, agent, session, kind, state, version, importance, confidence,
    occurred_at, occurred_until, recorded_at, retired_at, valid_from, valid_to, expires_at,
    superseded_by, pinned, key, role, speaker, accessed_count, used_count, last_accessed_at,
    subject, predicate, object, polarity, content, metadata, extra, archive, held,
    interval_days, review_due_at, last_entry, fingerprint, lexemes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
        ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: update_memory
-- `assignments` are `column = ?` of the columns that changed.
UPDATE memories SET {assignments} WHERE seq = ?;

-- name: count_access
UPDATE memories
SET accessed_count = accessed_count + ?1,
    last_accessed_at = max(coalesce(last_accessed_at, ?2), ?2),
    last_entry = ?3
WHERE seq = ?4;

-- name: insert_entry
INSERT INTO journal (
    sequence, partition, memory, before, reloads, operation, version, at, actor, request_id,
    config_hash, reason, previous, digest, change, salt)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: insert_key
INSERT INTO idempotency (partition, key, request, answer, at) VALUES (?, ?, ?, ?, ?);

-- name: insert_vectors
INSERT INTO vectors (place, model, encoding, pieces, more, data) VALUES (?, ?, ?, ?, ?, ?);

-- name: drop_vectors
-- All of a memory's.
DELETE FROM vectors WHERE place BETWEEN ?1 * 65536 AND ?1 * 65536 + 65535;

-- name: await_vectors
INSERT OR IGNORE INTO awaiting_vectors (id) VALUES (?);

-- name: stop_awaiting
DELETE FROM awaiting_vectors WHERE id = ?;

-- name: insert_tick
INSERT INTO vector_changes (tick, memory) VALUES (?, ?);

-- name: prune_ticks
DELETE FROM vector_changes WHERE tick <= ?;

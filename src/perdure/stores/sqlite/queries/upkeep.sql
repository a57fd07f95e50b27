-- name: meta_value
SELECT value FROM meta WHERE name = ?;

-- name: set_meta
INSERT INTO meta (name, value) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: touch_nothing
-- Changes no row, but fails where none may be changed.
UPDATE meta SET value = value WHERE FALSE;

-- name: memories_after
-- Every memory in batches, by number.
SELECT {{memory_columns}} FROM memories AS m WHERE m.seq > ? ORDER BY m.seq LIMIT ?;

-- name: set_lexemes
UPDATE memories SET lexemes = ? WHERE seq = ?;

-- name: everything_changed
-- Makes every search index of every process start afresh.
INSERT INTO vector_changes (tick, memory)
VALUES ((SELECT coalesce(max(tick), 0) + 1 FROM vector_changes), 0);

-- name: derived_of
-- What is derived of one memory.
SELECT m.last_entry, m.fingerprint, m.lexemes, a.id IS NOT NULL
FROM memories AS m LEFT JOIN awaiting_vectors AS a ON a.id = m.id
WHERE m.seq = ?;

-- name: vectors_of
-- The rows of one memory's vectors.
SELECT v.place % 65536, v.encoding, v.pieces, v.more, v.data, d.dimension
FROM vectors AS v LEFT JOIN models AS d USING (model)
WHERE v.place BETWEEN ?1 * 65536 AND ?1 * 65536 + 65535;

-- name: mend_fingerprint
UPDATE memories SET fingerprint = ? WHERE seq = ? AND version = ?;

-- name: mend_lexemes
UPDATE memories SET lexemes = ? WHERE seq = ? AND version = ?;

-- name: stray_vectors
-- Vectors of no memory, or by another model than the one in use.
SELECT DISTINCT place / 65536 FROM vectors
WHERE place / 65536 NOT IN (SELECT seq FROM memories)
   OR model NOT IN (SELECT d.model FROM models AS d JOIN meta AS t ON t.value = d.identity
                    WHERE t.name = 'embedding_model');

-- name: stray_awaiting
SELECT id FROM awaiting_vectors WHERE id NOT IN (SELECT id FROM memories);

-- name: entry_places
-- How a partition's entries are chained by memory.
SELECT sequence, memory, before FROM journal INDEXED BY journal_by_partition
WHERE partition = ? ORDER BY sequence;

-- name: mend_before
UPDATE journal SET before = ? WHERE sequence = ?;

-- name: mend_last_entry
-- Not when something was written meanwhile.
UPDATE memories SET last_entry = ?1
WHERE seq = ?2 AND last_entry = ?3;

-- name: meta_value
SELECT value FROM meta WHERE name = ?;

-- name: set_meta
INSERT INTO meta (name, value) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: memories_after
-- Every memory in batches, by number.
SELECT {{memory_columns}} FROM memories AS m WHERE m.seq > ? ORDER BY m.seq LIMIT ?;

-- name: set_lexemes
UPDATE memories SET lexemes = ? WHERE seq = ?;

-- name: everything_changed
-- Makes every search index of every process start afresh.
INSERT INTO vector_changes (tick, memory)
VALUES ((SELECT coalesce(max(tick), 0) + 1 FROM vector_changes), 0);

-- name: inventory
-- Everything of one partition that an agent and a session admit, but for what was erased.
SELECT id, extra FROM memories INDEXED BY memories_by_time
WHERE partition = :partition
  AND (:agent = '' OR agent = :agent) AND (:session = '' OR session = :session)
  AND NOT (state = 'forgotten' AND content = '' AND archive IS NULL);

-- name: count_vectors
-- How many vectors memories have; the ids are a JSON list.
SELECT coalesce(sum(v.pieces), 0)
FROM json_each(?) AS asked CROSS JOIN memories AS m ON m.id = asked.value
CROSS JOIN vectors AS v ON v.place >= m.seq * 65536 AND v.place < (m.seq + 1) * 65536;

-- name: count_contents
-- How many journal entries of memories, a JSON list of ids, have their contents.
WITH RECURSIVE chain (sequence) AS (
    SELECT m.last_entry FROM json_each(?) AS asked CROSS JOIN memories AS m ON m.id = asked.value
    UNION ALL
    SELECT j.before FROM chain AS c CROSS JOIN journal AS j ON j.sequence = c.sequence
    WHERE j.before > 0
)
SELECT count(*) FROM chain AS c CROSS JOIN journal AS j ON j.sequence = c.sequence
WHERE j.change <> '';

-- name: partition_keys
SELECT key, answer FROM idempotency WHERE partition = ?;

-- name: drop_key
DELETE FROM idempotency WHERE partition = ? AND key = ?;

-- name: withhold
INSERT OR IGNORE INTO withheld (partition, trace) VALUES (?, ?);

-- name: is_withheld
SELECT 1 FROM withheld WHERE partition = ? AND trace = ?;

-- name: clear_meta
-- Unless another value was set meanwhile.
DELETE FROM meta WHERE name = ? AND value = ?;

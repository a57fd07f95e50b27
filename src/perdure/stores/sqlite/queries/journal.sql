-- name: entry_columns
-- What `entries.entry_of` reads, in its order.
j.sequence, j.at, j.operation, m.id, j.version, j.partition, m.agent, m.session, j.actor,
j.request_id, j.config_hash, j.reason, j.change, j.previous, j.digest, j.salt,
j.seal

-- name: memory_entries
-- One memory's entries in order, without accesses. They are found from the last one back.
WITH RECURSIVE chain (sequence) AS (
    SELECT last_entry FROM memories WHERE id = :id AND partition = :partition
    UNION ALL
    SELECT j.before FROM chain AS c CROSS JOIN journal AS j ON j.sequence = c.sequence
    WHERE j.before > 0
)
SELECT {{entry_columns}}
FROM chain AS c CROSS JOIN journal AS j ON j.sequence = c.sequence
CROSS JOIN memories AS m ON m.seq = j.memory
WHERE j.operation <> 'accessed'
ORDER BY j.sequence;

-- name: unsealed_entries
-- The entries of memories, a JSON list of numbers, whose seal is not kept: it is what seals them now.
WITH RECURSIVE chain (sequence) AS (
    SELECT m.last_entry FROM json_each(?) AS asked CROSS JOIN memories AS m ON m.seq = asked.value
    UNION ALL
    SELECT j.before FROM chain AS c CROSS JOIN journal AS j ON j.sequence = c.sequence
    WHERE j.before > 0
)
SELECT {{entry_columns}}
FROM chain AS c CROSS JOIN journal AS j ON j.sequence = c.sequence
CROSS JOIN memories AS m ON m.seq = j.memory
WHERE j.seal = x'' AND j.salt <> x'';

-- name: seal_entry
UPDATE journal SET seal = ? WHERE sequence = ?;

-- name: empty_entries
-- Takes the contents out of all entries of memories, a JSON list of numbers, that have any.
WITH RECURSIVE chain (sequence) AS (
    SELECT m.last_entry FROM json_each(?) AS asked CROSS JOIN memories AS m ON m.seq = asked.value
    UNION ALL
    SELECT j.before FROM chain AS c CROSS JOIN journal AS j ON j.sequence = c.sequence
    WHERE j.before > 0
)
UPDATE journal SET reason = NULL, change = '', salt = x''
WHERE sequence IN (SELECT sequence FROM chain) AND change <> '';

-- name: partition_entries
-- A partition's entries in order.
SELECT {{entry_columns}}
FROM journal AS j INDEXED BY journal_by_partition LEFT JOIN memories AS m ON m.seq = j.memory
WHERE j.partition = :partition AND j.sequence > :after
ORDER BY j.sequence LIMIT :limit;

-- name: admitted_entries
-- The same, narrowed to an agent and a session where these are not blank.
SELECT {{entry_columns}}
FROM journal AS j INDEXED BY journal_by_partition CROSS JOIN memories AS m ON m.seq = j.memory
WHERE j.partition = :partition AND j.sequence > :after
  AND (:agent = '' OR m.agent = :agent) AND (:session = '' OR m.session = :session)
ORDER BY j.sequence LIMIT :limit;

-- name: tenant_entries
-- Entries of every user of a tenant, in order.
SELECT {{entry_columns}}
FROM journal AS j NOT INDEXED CROSS JOIN partitions AS p USING (partition)
CROSS JOIN memories AS m ON m.seq = j.memory
WHERE p.tenant = :tenant AND j.sequence > :after
ORDER BY j.sequence LIMIT :limit;

-- name: head
-- The digest a partition's journal ends with; no row while it is empty.
SELECT digest FROM journal INDEXED BY journal_by_partition
WHERE partition = ? ORDER BY sequence DESC LIMIT 1;

-- name: last_sequence
SELECT coalesce(max(sequence), 0) FROM journal;

-- name: progress
-- How far the journal and the changes of vectors have come: all an index needs to know each time.
SELECT (SELECT max(sequence) FROM journal), (SELECT max(tick) FROM vector_changes);

-- name: news
-- What a search index has not seen: (sequence, partition, memory, reloads).
SELECT sequence, partition, memory, reloads FROM journal WHERE sequence > ? ORDER BY sequence;

-- name: vector_news
-- The same for vectors: (tick, partition or NULL for everybody, memory).
SELECT c.tick, m.partition, c.memory
FROM vector_changes AS c LEFT JOIN memories AS m ON m.seq = c.memory
WHERE c.tick > ? ORDER BY c.tick;

-- name: oldest_tick
SELECT min(tick) FROM vector_changes;

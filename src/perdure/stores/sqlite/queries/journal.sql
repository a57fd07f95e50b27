-- name: entry_columns
-- What `entries.entry_of` reads, in its order.
j.sequence, j.at, j.operation, m.id, j.version, j.partition, m.agent, m.session, j.actor,
j.request_id, j.config_hash, j.reason, j.change, j.previous, j.digest

-- name: memory_entries
-- One memory's entries in order, without accesses.
SELECT {{entry_columns}}
FROM journal AS j JOIN memories AS m ON m.seq = j.memory
WHERE j.partition = :partition
  AND j.memory = (SELECT seq FROM memories WHERE id = :id AND partition = :partition)
  AND j.operation <> 'accessed'
ORDER BY j.sequence;

-- name: partition_entries
-- A partition's entries in order. The index gives their numbers, so nobody else's are read.
SELECT {{entry_columns}}
FROM (SELECT sequence FROM journal INDEXED BY journal_by_memory
      WHERE partition = :partition AND sequence > :after
      ORDER BY sequence LIMIT :limit) AS k
JOIN journal AS j ON j.sequence = k.sequence
LEFT JOIN memories AS m ON m.seq = j.memory
ORDER BY j.sequence;

-- name: admitted_entries
-- The same, narrowed to an agent and a session where these are not blank.
SELECT {{entry_columns}}
FROM journal AS j INDEXED BY journal_by_memory JOIN memories AS m ON m.seq = j.memory
WHERE j.partition = :partition AND j.sequence > :after
  AND (:agent = '' OR m.agent = :agent) AND (:session = '' OR m.session = :session)
ORDER BY j.sequence LIMIT :limit;

-- name: tenant_entries
-- Entries of every user of a tenant, in order.
SELECT {{entry_columns}}
FROM journal AS j JOIN partitions AS p USING (partition) JOIN memories AS m ON m.seq = j.memory
WHERE p.tenant = :tenant AND j.sequence > :after
ORDER BY j.sequence LIMIT :limit;

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

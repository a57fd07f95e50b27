-- name: identity
SELECT value FROM meta WHERE name = 'identity';

-- name: refill_entry
-- Gives an emptied entry its contents back; no row when it is another.
UPDATE journal SET reason = ?, change = ?, salt = ?
WHERE sequence = ? AND seal = ? AND change = '';

-- name: whole_entries
-- The entries of memories behind the walls, accesses too; the ids are a JSON list.
WITH RECURSIVE chain (sequence) AS (
    SELECT last_entry FROM memories
    WHERE id IN (SELECT value FROM json_each(:ids)) AND +partition = :partition
    UNION ALL
    SELECT j.before FROM chain AS c CROSS JOIN journal AS j ON j.sequence = c.sequence
    WHERE j.before > 0
)
SELECT {{entry_columns}}
FROM chain AS c CROSS JOIN journal AS j ON j.sequence = c.sequence
CROSS JOIN memories AS m ON m.seq = j.memory
ORDER BY j.sequence;

-- name: whole_vectors
-- Their vectors by the model in use; a memory's rows follow one another.
SELECT m.id, d.identity, d.dimension, v.encoding, v.pieces, v.data
FROM memories AS m
CROSS JOIN vectors AS v ON v.place BETWEEN m.seq * 65536 AND m.seq * 65536 + 65535
CROSS JOIN models AS d USING (model) CROSS JOIN meta AS t ON t.value = d.identity
WHERE m.id IN (SELECT value FROM json_each(:ids)) AND +m.partition = :partition
  AND t.name = 'embedding_model';

-- name: archived_batches
SELECT substr(archive, 1, instr(archive, '#') - 1), count(*)
FROM memories INDEXED BY memories_by_archive WHERE archive IS NOT NULL GROUP BY 1;

-- name: archived_in
-- A place is the batch, '#' and the row; '$' is the character after '#'.
SELECT {{memory_columns}} FROM memories AS m INDEXED BY memories_by_archive
WHERE m.archive > ?1 || '#' AND m.archive < ?1 || '$'
ORDER BY m.archive;

-- name: identity
SELECT value FROM meta WHERE name = 'identity';

-- name: refill_entry
-- Gives an emptied entry its contents back; no row when it is another.
UPDATE journal SET reason = :reason, change = :change, salt = :salt
WHERE tenant = :tenant AND user_id = :user_id AND sequence = :sequence AND seal = :seal
  AND change IS NULL;

-- name: whole_entries
-- The entries of memories behind the walls, accesses too.
SELECT {{entry_columns}} FROM journal AS m
WHERE m.tenant = :tenant AND m.user_id = :user_id AND m.memory_id = ANY (CAST(:ids AS text[]))
ORDER BY m.sequence;

-- name: whole_vectors
-- Their vectors by the model in use, the pieces of each in order.
SELECT v.memory_id, v.model, v.embedding FROM vectors AS v
WHERE v.tenant = :tenant AND v.user_id = :user_id AND v.memory_id = ANY (CAST(:ids AS text[]))
  AND v.model = (SELECT value FROM meta WHERE name = 'embedding_model')
ORDER BY v.memory_id, v.piece;

-- name: archived_batches
-- How many memories point into each batch.
SELECT split_part(archive, '#', 1) AS batch, count(*) AS memories
FROM memories WHERE archive IS NOT NULL GROUP BY 1;

-- name: archived_in
-- A place is the batch, '#' and the row; '$' is the character after '#'.
SELECT {{memory_columns}} FROM memories AS m
WHERE m.archive > :batch || '#' AND m.archive < :batch || '$'
ORDER BY m.archive;

-- name: index_columns
-- What `indexing` reads of a memory besides its words, in its order.
m.seq, m.id, m.state, m.superseded_by, m.retired_at, m.kind, m.agent, m.session, m.occurred_at,
m.occurred_until, m.valid_from, m.valid_to, m.expires_at, m.importance, m.accessed_count

-- name: index_partition
-- Everything of one partition that can still be found; forgotten memories cannot.
SELECT {{index_columns}}, m.lexemes, v.encoding, v.pieces, v.data
FROM memories AS m INDEXED BY memories_alike
LEFT JOIN vectors AS v ON v.memory = m.seq AND v.model = ?
WHERE m.partition = ? AND m.state <> 'forgotten'
ORDER BY m.seq;

-- name: index_memories
-- The same for some memories, whatever their state; their numbers are a JSON list.
SELECT {{index_columns}}, m.lexemes, v.encoding, v.pieces, v.data
FROM memories AS m LEFT JOIN vectors AS v ON v.memory = m.seq AND v.model = ?
WHERE m.seq IN (SELECT value FROM json_each(?))
ORDER BY m.seq;

-- name: index_standings
-- The columns alone.
SELECT {{index_columns}} FROM memories AS m WHERE m.seq IN (SELECT value FROM json_each(?));

-- name: index_model
-- The model whose vectors are used; no row before the first vectors.
SELECT d.model, d.dimension, d.identity FROM models AS d JOIN meta AS t ON t.value = d.identity
WHERE t.name = 'embedding_model';

-- name: filtered
-- The numbers of one partition's memories that pass a filter.
SELECT m.seq FROM memories AS m JOIN partitions AS p USING (partition)
WHERE m.partition = :partition AND {filter};

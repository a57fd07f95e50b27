-- name: index_standing
-- What `indexing` reads of a memory besides its words and vectors: the columns of
-- `_index.partition.Standings` in their order, with its flags (1 forgotten, 2 archived, 4 retired,
-- 8 superseded, 32 spoken, 64 in Chinese characters) and its way of writing "never".
m.seq, m.id,
(m.state = 'forgotten') + 2 * (m.state = 'archived') + 4 * (m.retired_at IS NOT NULL)
    + 8 * (m.superseded_by IS NOT NULL) + 32 * (m.role IS NOT NULL OR m.speaker IS NOT NULL)
    + 64 * (m.content GLOB '*[㐀-䶿一-鿿𠀀-𱍏]*'),
m.kind, m.agent, m.session, m.occurred_at, coalesce(m.occurred_until, m.occurred_at), m.valid_from,
coalesce(m.valid_to, 9223372036854775807), coalesce(m.expires_at, 9223372036854775807),
m.importance, m.accessed_count

-- name: index_partition
-- Everything of one partition that can still be found; forgotten memories cannot.
SELECT {{index_standing}}, m.lexemes, v.encoding, v.pieces, v.more, v.data
FROM memories AS m INDEXED BY memories_by_time
LEFT JOIN vectors AS v ON v.place = m.seq * 65536 AND v.model = ?
WHERE m.partition = ? AND m.state <> 'forgotten';

-- name: index_size
-- About how many rows the statement above gives.
SELECT count(*) FROM memories INDEXED BY memories_by_time WHERE partition = ?;

-- name: index_memories
-- The same for some memories, whatever their state; their numbers are a JSON list.
SELECT {{index_standing}}, m.lexemes, v.encoding, v.pieces, v.more, v.data
FROM json_each(?2) AS asked CROSS JOIN memories AS m ON m.seq = asked.value
LEFT JOIN vectors AS v ON v.place = m.seq * 65536 AND v.model = ?1;

-- name: index_more_vectors
-- The further rows of memories whose vectors fill more than one; their numbers are a JSON list.
SELECT v.place / 65536, v.encoding, v.pieces, v.data
FROM json_each(?) AS asked
CROSS JOIN vectors AS v ON v.place > asked.value * 65536 AND v.place < (asked.value + 1) * 65536;

-- name: index_standings
-- The columns alone.
SELECT {{index_standing}} FROM json_each(?) AS asked CROSS JOIN memories AS m ON m.seq = asked.value;

-- name: index_model
-- The model whose vectors are used; no row before the first vectors.
SELECT d.model, d.dimension, d.identity FROM models AS d JOIN meta AS t ON t.value = d.identity
WHERE t.name = 'embedding_model';

-- name: filtered
-- The numbers of one partition's memories that pass a filter.
SELECT m.seq FROM memories AS m JOIN partitions AS p USING (partition)
WHERE m.partition = :partition AND {filter};

-- name: field_values
-- The values of one column, chosen by Python, for memories whose numbers are a JSON list.
SELECT m.seq, {column}
FROM json_each(?) AS asked CROSS JOIN memories AS m ON m.seq = asked.value
CROSS JOIN partitions AS p USING (partition);

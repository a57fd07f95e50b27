-- name: know_token_model
INSERT INTO models (identity, dimension) VALUES (?, ?) ON CONFLICT (identity) DO NOTHING;

-- name: insert_tokens
INSERT OR REPLACE INTO token_vectors (memory, model, data)
VALUES (?, (SELECT model FROM models WHERE identity = ?), ?);

-- name: drop_tokens
DELETE FROM token_vectors WHERE memory = ?;

-- name: token_vectors
-- Those by one model of some of a partition's memories; their ids are a JSON list.
SELECT m.id, t.data
FROM json_each(?1) AS asked CROSS JOIN memories AS m ON m.id = asked.value
CROSS JOIN token_vectors AS t ON t.memory = m.seq
WHERE m.partition = ?2 AND t.model = ?3;

-- name: lacking_tokens
-- Memories of any scope that wait for vectors, or have no token vectors by a model, by id.
SELECT {{memory_columns}} FROM memories AS m
WHERE m.state <> 'forgotten' AND NOT (m.state = 'archived' AND m.content = '')
  AND (m.id IN (SELECT id FROM awaiting_vectors)
       OR m.seq NOT IN (SELECT t.memory FROM token_vectors AS t JOIN models AS d USING (model)
                        WHERE d.identity = ?1))
ORDER BY m.id LIMIT ?2;

-- name: stray_tokens
-- Token vectors of a memory without vectors, or that are no whole number of rows.
SELECT t.memory FROM token_vectors AS t JOIN models AS d USING (model)
WHERE typeof(t.data) <> 'blob' OR d.dimension IS NULL OR length(t.data) % d.dimension <> 0
   OR t.memory * 65536 NOT IN (SELECT place FROM vectors);

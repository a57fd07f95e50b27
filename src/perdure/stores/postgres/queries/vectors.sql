-- name: embedding_model
SELECT value FROM meta WHERE name = 'embedding_model';

-- name: choose_model
-- The first vectors choose the model; whoever comes second waits for the first, and finds it.
INSERT INTO meta (name, value) VALUES ('embedding_model', :model) ON CONFLICT (name) DO NOTHING;

-- name: set_model
INSERT INTO meta (name, value) VALUES ('embedding_model', :model)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: drop_foreign_vectors
-- Some of the vectors, of every tenant, that another model made than the store's, which nothing
-- reads any more; how many they were.
WITH gone AS (
    DELETE FROM vectors AS v
    WHERE (v.tenant, v.user_id, v.memory_id, v.piece) IN (
        SELECT f.tenant, f.user_id, f.memory_id, f.piece FROM vectors AS f
        WHERE f.model <> (SELECT value FROM meta WHERE name = 'embedding_model') LIMIT :limit)
    RETURNING 1
)
SELECT count(*) FROM gone;

-- name: owned_versions
-- Whose these memories are and which version of them is stored.
SELECT o.id, o.tenant, o.user_id, m.version
FROM memory_owners AS o
JOIN memories AS m ON m.tenant = o.tenant AND m.user_id = o.user_id AND m.id = o.id
WHERE o.id = ANY (CAST(:ids AS text[]));

-- name: drop_vectors
DELETE FROM vectors WHERE tenant = :tenant AND user_id = :user_id AND memory_id = :memory_id;

-- name: put_vector
INSERT INTO vectors (tenant, user_id, memory_id, piece, model, embedding)
VALUES (:tenant, :user_id, :memory_id, :piece, :model, :embedding);

-- name: put_tokens
INSERT INTO token_vectors (tenant, user_id, memory_id, model, dimension, data)
VALUES (:tenant, :user_id, :memory_id, :model, :dimension, :data);

-- name: token_vectors
SELECT m.memory_id, m.dimension, m.data FROM token_vectors AS m
WHERE {walls} AND m.model = :model AND m.memory_id = ANY (CAST(:ids AS text[]));

-- name: lacking_vectors
-- Memories of any scope, not forgotten, with words here, without vectors by the model, or, where
-- asked for, without token vectors by the other.
SELECT {{memory_columns}} FROM memories AS m
WHERE m.state <> 'forgotten' AND NOT (m.state = 'archived' AND m.content = '')
  AND NOT EXISTS (
    SELECT 1 FROM vectors AS v
    WHERE v.tenant = m.tenant AND v.user_id = m.user_id AND v.memory_id = m.id
      AND v.model = :model
      AND (CAST(:tokens AS text) IS NULL OR EXISTS (
        SELECT 1 FROM token_vectors AS t
        WHERE t.tenant = m.tenant AND t.user_id = m.user_id AND t.memory_id = m.id
          AND t.model = :tokens)))
ORDER BY m.id LIMIT :limit;

-- name: embedding_model
SELECT value FROM meta WHERE name = 'embedding_model';

-- name: set_embedding_model
INSERT INTO meta (name, value) VALUES ('embedding_model', ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: model_number
SELECT model, dimension FROM models WHERE identity = ?;

-- name: add_model
INSERT INTO models (identity, dimension) VALUES (?, ?) RETURNING model;

-- name: set_dimension
UPDATE models SET dimension = ? WHERE model = ? AND dimension IS NULL;

-- name: await_all
-- After another model was adopted every memory that may be recalled waits for its vectors.
INSERT OR IGNORE INTO awaiting_vectors (id) SELECT id FROM memories
WHERE state <> 'forgotten' AND NOT (state = 'archived' AND content = '');

-- name: drop_foreign_vectors
-- Some of the vectors that other models made; repeated until there are none.
DELETE FROM vectors WHERE place IN (
    SELECT place FROM vectors WHERE model <> ? LIMIT ?);

-- name: lacking_vectors
-- Memories of any scope that wait for vectors of the store's model, by id.
SELECT {{memory_columns}}
FROM awaiting_vectors AS a CROSS JOIN memories AS m ON m.id = a.id
WHERE m.state <> 'forgotten' AND NOT (m.state = 'archived' AND m.content = '')
ORDER BY a.id LIMIT ?;

-- name: lacking_everything
-- The same for a model none of whose vectors are here.
SELECT {{memory_columns}} FROM memories AS m
WHERE m.state <> 'forgotten' AND NOT (m.state = 'archived' AND m.content = '')
ORDER BY m.id LIMIT ?;

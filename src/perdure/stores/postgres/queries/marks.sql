-- name: mark
SELECT value FROM marks WHERE name = :name;

-- name: marks
-- Those of the named marks that exist.
SELECT name, value FROM marks WHERE name = ANY (CAST(:names AS text[]));

-- name: put_mark
INSERT INTO marks (name, value) VALUES (:name, :value)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: has_mark
-- Whether a mark has come this far: they only rise while one piece of work is repeated.
SELECT EXISTS (SELECT 1 FROM marks WHERE name = :name AND value >= :value);

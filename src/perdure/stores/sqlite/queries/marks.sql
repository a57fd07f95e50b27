-- name: mark
SELECT value FROM marks WHERE name = ?;

-- name: put_mark
INSERT INTO marks (name, value) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: take_lease
-- Take a lease, or renew one's own, unless another owner's still runs. Gives a row when taken.
INSERT INTO leases (name, owner, expires_at) VALUES (:name, :owner, :until)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
WHERE leases.owner = excluded.owner OR leases.expires_at <= :now
RETURNING name;

-- name: release_lease
DELETE FROM leases WHERE name = ? AND owner = ?;

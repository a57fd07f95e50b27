-- name: take_lease
-- Take a lease, or renew one's own, unless another owner's still runs. Gives a row when taken.
INSERT INTO leases (name, owner, until) VALUES (:name, :owner, :until)
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE leases.owner = excluded.owner OR leases.until <= :now
RETURNING name;

-- name: release_lease
DELETE FROM leases WHERE name = :name AND owner = :owner;

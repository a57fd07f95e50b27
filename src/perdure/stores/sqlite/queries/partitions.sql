-- name: partition_of
-- The number of a (tenant, user).
SELECT partition FROM partitions WHERE tenant = ? AND user = ?;

-- name: walls_of
-- Whose partition this is.
SELECT tenant, user FROM partitions WHERE partition = ?;

-- name: partitions_of_tenant
-- Every user of a tenant.
SELECT partition, tenant, user FROM partitions WHERE tenant = ? ORDER BY partition;

-- name: all_partitions
SELECT partition, tenant, user FROM partitions ORDER BY partition;

-- name: add_partition
INSERT INTO partitions (tenant, user) VALUES (?, ?) RETURNING partition;

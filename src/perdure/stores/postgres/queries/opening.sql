-- name: server
-- What is needed to know about the server and the database before anything is made.
SELECT CAST(current_setting('server_version_num') AS int) AS version,
       current_setting('server_encoding') AS encoding,
       current_setting('synchronous_commit') AS synchronous_commit,
       pg_is_in_recovery() AS is_replica,
       current_database() AS database,
       (SELECT n.nspname FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
        WHERE e.extname = 'vector') AS vector_schema;

-- name: has_pgvector
-- Whether the extension could be installed.
SELECT EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector');

-- name: use_schemas
-- For the life of the connection: the store's own schema, then that of pgvector.
SELECT set_config('search_path', :path, false);

-- name: commit_durably
-- What is acknowledged must survive a crash, whatever the database's habit.
SELECT set_config('synchronous_commit', 'on', false);

-- name: has_schema
SELECT to_regnamespace(:schema) IS NOT NULL;

-- name: has_migrations
SELECT to_regclass(:table) IS NOT NULL;

-- name: schema_version
SELECT coalesce(max(version), 0) FROM schema_migrations;

-- name: note_migration
INSERT INTO schema_migrations (version, name) VALUES (:version, :name);

-- name: analysis_version
SELECT value FROM meta WHERE name = 'analysis_version';

-- name: set_analysis_version
INSERT INTO meta (name, value) VALUES ('analysis_version', :version)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: texts_after
-- A batch of all records by id, for making their terms anew.
SELECT {{memory_columns}} FROM memory_owners AS o
JOIN memories AS m ON m.tenant = o.tenant AND m.user_id = o.user_id AND m.id = o.id
WHERE o.id > :after ORDER BY o.id LIMIT :limit;

-- name: set_lexemes
UPDATE memories SET lexemes = CAST(CAST(:lexemes AS text) AS bigint[])
WHERE tenant = :tenant AND user_id = :user_id AND id = :id;

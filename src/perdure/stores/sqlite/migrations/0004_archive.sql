-- Cold storage: where in the archive a memory's whole record lies, and which archive is this store's.

ALTER TABLE memories ADD COLUMN archive TEXT;
CREATE INDEX memories_by_archive ON memories (archive) WHERE archive IS NOT NULL;

-- Stores that share an archive's location keep their batches apart by this.
INSERT INTO meta (name, value) VALUES ('identity', lower(hex(randomblob(8))));

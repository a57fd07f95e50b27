-- `ANALYZE` copies values out of the rows into the catalogue, where no erasure reaches: not of
-- columns with people's words, with what is computed from words, or with salts. What is looked up by
-- these is found by an index whose first columns say whose it is, which needs no statistics.
ALTER TABLE memories
    ALTER COLUMN content SET STATISTICS 0,
    ALTER COLUMN key SET STATISTICS 0,
    ALTER COLUMN speaker SET STATISTICS 0,
    ALTER COLUMN subject SET STATISTICS 0,
    ALTER COLUMN object SET STATISTICS 0,
    ALTER COLUMN metadata SET STATISTICS 0,
    ALTER COLUMN extra SET STATISTICS 0,
    ALTER COLUMN fingerprint SET STATISTICS 0,
    ALTER COLUMN lexemes SET STATISTICS 0,
    ALTER COLUMN instants SET STATISTICS 0;
ALTER INDEX memories_by_slot ALTER COLUMN 3 SET STATISTICS 0;
ALTER INDEX memories_by_subject ALTER COLUMN 3 SET STATISTICS 0;
ALTER INDEX memories_by_object ALTER COLUMN 3 SET STATISTICS 0;
ALTER TABLE vectors ALTER COLUMN embedding SET STATISTICS 0;
ALTER TABLE token_vectors ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE journal
    ALTER COLUMN change SET STATISTICS 0,
    ALTER COLUMN reason SET STATISTICS 0,
    ALTER COLUMN salt SET STATISTICS 0;
ALTER TABLE idempotency
    ALTER COLUMN key SET STATISTICS 0,
    ALTER COLUMN key_digest SET STATISTICS 0,
    ALTER COLUMN request SET STATISTICS 0,
    ALTER COLUMN answer SET STATISTICS 0;

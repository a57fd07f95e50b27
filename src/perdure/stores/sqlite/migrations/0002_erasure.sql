-- What a digest covers of an entry's contents. While they are there it is the salt that keys their
-- seal, 16 random bytes; once they were removed (`change` is empty then) it is the seal itself.
ALTER TABLE journal ADD COLUMN seal BLOB NOT NULL DEFAULT x'';

-- What is not taken in again after it was erased: keyed hashes of words and of the keys of requests,
-- never these themselves. `meta` holds the random key they were made with (`withholding_key`).
CREATE TABLE withheld (
    partition INTEGER NOT NULL REFERENCES partitions,
    mark      BLOB NOT NULL,
    PRIMARY KEY (partition, mark)
) WITHOUT ROWID;

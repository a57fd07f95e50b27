-- `seal` is what a digest covers of an entry's contents, and `salt` the random key it was made with.
-- Once the contents were removed, `change` and `salt` are empty.
ALTER TABLE journal ADD COLUMN salt BLOB NOT NULL DEFAULT x'';
ALTER TABLE journal ADD COLUMN seal BLOB NOT NULL DEFAULT x'';

-- What is not taken in again after it was erased: keyed hashes of words and of the keys of requests,
-- never these themselves. `meta` holds the random key they were made with (`withholding_key`).
CREATE TABLE withheld (
    partition INTEGER NOT NULL REFERENCES partitions,
    trace      BLOB NOT NULL,
    PRIMARY KEY (partition, trace)
) WITHOUT ROWID;

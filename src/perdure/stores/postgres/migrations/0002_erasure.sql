-- `seal` is what a digest covers of an entry's contents, and `salt` the random key it was made with,
-- both hexadecimal. Once the contents were removed, `change` is null and `salt` blank.
ALTER TABLE journal ADD COLUMN salt text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE journal ADD COLUMN seal text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE journal ALTER COLUMN change DROP NOT NULL;

-- What is not taken in again after it was erased: keyed hashes of words and of the keys of requests,
-- never these themselves. `meta` holds the random key they were made with (`withholding_key`).
CREATE TABLE withheld (
    tenant  text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    trace    text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, user_id, trace)
);

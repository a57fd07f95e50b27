-- What a digest covers of an entry's contents. While they are there it is the salt that keys their
-- seal, random; once they were removed (`change` is null then) it is the seal itself. Hexadecimal.
ALTER TABLE journal ADD COLUMN seal text COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE journal ALTER COLUMN change DROP NOT NULL;

-- What is not taken in again after it was erased: keyed hashes of words and of the keys of requests,
-- never these themselves. `meta` holds the random key they were made with (`withholding_key`).
CREATE TABLE withheld (
    tenant  text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    mark    text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, user_id, mark)
);

-- The vectors of a memory's words: int8, one row of the dimension after the other; empty where the
-- model cannot read the text. Gone when the memory's vectors are, whatever removes them.
CREATE TABLE token_vectors (
    tenant    text COLLATE "C" NOT NULL,
    user_id   text COLLATE "C" NOT NULL,
    memory_id text COLLATE "C" NOT NULL,
    first     integer NOT NULL DEFAULT 0 CHECK (first = 0),
    model     text COLLATE "C" NOT NULL,
    dimension integer NOT NULL CHECK (dimension > 0),
    data      bytea NOT NULL CHECK (length(data) % dimension = 0),
    PRIMARY KEY (tenant, user_id, memory_id),
    FOREIGN KEY (tenant, user_id, memory_id, first)
        REFERENCES vectors (tenant, user_id, memory_id, piece) ON DELETE CASCADE
);

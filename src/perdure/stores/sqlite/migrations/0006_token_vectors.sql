-- The vectors of a memory's words: int8, one row of the model's dimension after the other; empty
-- where the model cannot read the text. Apart from `vectors`, because they are read for a few
-- memories at a time and never by an index; gone when those are, whatever removes them.
CREATE TABLE token_vectors (
    memory INTEGER PRIMARY KEY,
    model  INTEGER NOT NULL REFERENCES models,
    data   BLOB NOT NULL
);
CREATE TRIGGER token_vectors_follow AFTER DELETE ON vectors WHEN old.place % 65536 = 0
BEGIN
    DELETE FROM token_vectors WHERE memory = old.place / 65536;
END;

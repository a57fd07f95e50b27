-- How far some work has come, as a number under a name; written together with what the work changed.
CREATE TABLE marks (
    name  text COLLATE "C" PRIMARY KEY,
    value bigint NOT NULL
);

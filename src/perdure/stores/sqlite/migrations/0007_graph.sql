-- The graph: the facts that name something, found from either end, and the facts of a kind.

CREATE INDEX memories_by_subject ON memories (partition, subject) WHERE subject IS NOT NULL;
CREATE INDEX memories_by_object ON memories (partition, object) WHERE object IS NOT NULL;
CREATE INDEX memories_by_predicate ON memories (partition, predicate) WHERE predicate IS NOT NULL;

-- The graph: the facts that name something, found from either end, and the facts of a kind. By hash
-- where a text may be longer than an index entry.

CREATE INDEX memories_by_subject ON memories (tenant, user_id, hashtextextended(subject, 0))
    WHERE subject IS NOT NULL;
CREATE INDEX memories_by_object ON memories (tenant, user_id, hashtextextended(object, 0))
    WHERE object IS NOT NULL;
CREATE INDEX memories_by_predicate ON memories (tenant, user_id, hashtextextended(predicate, 0))
    WHERE predicate IS NOT NULL;

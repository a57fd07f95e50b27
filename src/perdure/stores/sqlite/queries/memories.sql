-- name: memory_columns
-- What `rows.memory_of` reads, in its order. Shared by every statement that gives back memories.
m.seq, m.partition, m.id, m.agent, m.session, m.kind, m.state, m.version, m.importance,
m.confidence, m.occurred_at, m.occurred_until, m.recorded_at, m.retired_at, m.valid_from,
m.valid_to, m.expires_at, m.superseded_by, m.pinned, m.key, m.role, m.speaker, m.accessed_count,
m.used_count, m.last_accessed_at, m.subject, m.predicate, m.object, m.polarity, m.content,
m.metadata, m.extra, m.archive, m.held, m.interval_days, m.review_due_at

-- name: one_by_id
-- One memory behind the walls, whatever its state.
SELECT {{memory_columns}} FROM memories AS m WHERE m.id = ? AND +m.partition = ?;

-- name: many_by_id
-- Memories behind the walls, whatever their state; the ids are a JSON list.
SELECT {{memory_columns}} FROM memories AS m
WHERE m.id IN (SELECT value FROM json_each(?)) AND +m.partition = ?;

-- name: slot_members
-- Every unretired, unforgotten memory of exactly one scope with one slot key.
SELECT {{memory_columns}} FROM memories AS m
WHERE m.partition = ? AND m.key = ? AND m.agent = ? AND m.session = ?
  AND m.retired_at IS NULL AND m.state <> 'forgotten'
ORDER BY m.valid_from, m.id;

-- name: alike
-- Memories behind the walls whose words have this fingerprint.
SELECT {{memory_columns}} FROM memories AS m WHERE m.partition = ? AND m.fingerprint = ?;

-- name: alike_many
-- The same for a JSON list of fingerprints; each row begins with its own.
SELECT m.fingerprint, {{memory_columns}} FROM memories AS m
WHERE m.partition = ? AND m.fingerprint IN (SELECT value FROM json_each(?));

-- name: visible
-- `domain.visibility.is_visible`, but for the walls; and the kinds and the time window of a
-- `domain.query.Condition`. Switches are 0 or 1, a blank agent or session admits all.
m.state <> 'forgotten'
AND (:expired OR m.expires_at IS NULL OR m.expires_at > :now)
AND (:archived OR m.state <> 'archived')
AND ((:superseded AND m.superseded_by IS NOT NULL)
     OR (m.retired_at IS NULL
         AND (:former OR (m.valid_from <= :moment
                          AND (m.valid_to IS NULL OR :moment < m.valid_to)))))
AND (:agent = '' OR m.agent = :agent)
AND (:session = '' OR m.session = :session)
AND (:kinds IS NULL OR m.kind IN (SELECT value FROM json_each(:kinds)))
AND (:starts IS NULL OR coalesce(m.occurred_until, m.occurred_at) >= :starts)
AND (:ends IS NULL OR m.occurred_at < :ends)

-- name: touching
-- The facts of one partition that are about one of the names (a JSON list), as subject or object,
-- in the order they were learnt. Each end has an index; an OR of both would use neither.
SELECT {{memory_columns}}
FROM memories AS m JOIN partitions AS p USING (partition)
WHERE m.seq IN (
    SELECT s.seq FROM memories AS s INDEXED BY memories_by_subject
    WHERE s.partition = :partition AND s.subject IN (SELECT value FROM json_each(:names))
    UNION
    SELECT o.seq FROM memories AS o INDEXED BY memories_by_object
    WHERE o.partition = :partition AND o.object IN (SELECT value FROM json_each(:names))
) AND m.predicate IS NOT NULL AND {{visible}} AND {filter}
ORDER BY m.recorded_at, m.id;

-- name: among_all
-- Where a page looks: everywhere, or among the facts with one of the values in an indexed column.
m.partition = :partition

-- name: among_facts
m.seq IN (
    SELECT f.seq FROM memories AS f INDEXED BY memories_by_{column}
    WHERE f.partition = :partition AND f.{column} IN (SELECT value FROM json_each(:among))
)

-- name: page
-- One page of one partition. Python composes where to look, the filter, the order and where the page
-- begins.
SELECT {{memory_columns}}
FROM memories AS m JOIN partitions AS p USING (partition)
WHERE {among} AND {{visible}} AND {filter} {after}
ORDER BY {order} LIMIT :limit;

-- name: count_admitted
-- How many memories of one partition a condition admits.
SELECT count(*) FROM partitions AS p
CROSS JOIN memories AS m INDEXED BY memories_by_time USING (partition)
WHERE m.partition = :partition AND {{visible}} AND {filter};

-- name: partition_memories
-- Everything of one partition, whatever its state.
SELECT {{memory_columns}} FROM memories AS m INDEXED BY memories_by_time WHERE m.partition = ?;

-- name: sizes
-- Counts for `stats`, by state.
SELECT m.state, count(*), total(m.accessed_count), total(m.used_count),
       total(v.place IS NULL AND NOT (m.state = 'archived' AND m.content = ''))
FROM partitions AS p CROSS JOIN memories AS m INDEXED BY memories_by_time USING (partition)
LEFT JOIN vectors AS v
  ON v.place = m.seq * 65536
 AND v.model = (SELECT d.model FROM models AS d JOIN meta AS t ON t.value = d.identity
                WHERE t.name = 'embedding_model')
WHERE p.tenant = :tenant AND (:everything OR p.user = :user)
  AND (:agent = '' OR m.agent = :agent) AND (:session = '' OR m.session = :session)
GROUP BY m.state;

-- name: partition_vectors
-- The vectors of one partition by the model in use; a memory's rows follow one another.
SELECT m.id, d.identity, d.dimension, v.encoding, v.pieces, v.data
FROM memories AS m INDEXED BY memories_by_time
CROSS JOIN vectors AS v ON v.place >= m.seq * 65536 AND v.place < (m.seq + 1) * 65536
CROSS JOIN models AS d USING (model) CROSS JOIN meta AS t ON t.value = d.identity
WHERE m.partition = ? AND t.name = 'embedding_model';

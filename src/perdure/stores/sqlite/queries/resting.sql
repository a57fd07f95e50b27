-- name: lifeline_columns
-- What `resting.lifeline_of_row` reads. The vectors' bytes are those of the first row and, by its
-- length, of the rows that follow it.
m.id, m.partition, m.agent, m.session, m.kind, m.state, m.importance, m.interval_days,
m.touched_at, m.expires_at, m.pinned, m.held, m.holds, m.rest_class,
length(CAST(m.content AS BLOB)) + length(m.lexemes)
+ coalesce((SELECT length(v.data) * (v.more + 1) FROM vectors AS v WHERE v.place = m.seq * 65536), 0)

-- name: walled
-- The walls of a view, for statements that find their rows by an index over all partitions.
(:everything OR m.partition = :partition)
AND (NOT :everything OR (SELECT p.tenant FROM partitions AS p WHERE p.partition = m.partition)
                        = :tenant)
AND (:agent = '' OR m.agent = :agent) AND (:session = '' OR m.session = :session)

-- name: rested
-- Memories of some classes (a JSON list) that have rested since a moment.
SELECT {{lifeline_columns}} FROM memories AS m INDEXED BY memories_at_rest
WHERE m.rest_class IN (SELECT value FROM json_each(:classes)) AND m.rests_since IS NOT NULL AND m.rests_since <= :before
  AND m.importance < :below AND {{walled}}
ORDER BY m.rests_since, m.id LIMIT :limit;

-- name: expired
SELECT {{lifeline_columns}} FROM memories AS m INDEXED BY memories_by_expiry
WHERE m.expires_at <= :at AND m.expires_at IS NOT NULL AND m.held = 0 AND m.state <> 'forgotten'
  AND {{walled}}
ORDER BY m.touched_at, m.id LIMIT :limit;

-- name: crowded
SELECT p.tenant, p.user, r.agent, r.memories
FROM residents AS r INDEXED BY residents_by_number CROSS JOIN partitions AS p USING (partition)
WHERE r.memories > :above AND p.tenant = :tenant AND (:everything OR p.user = :user)
  AND (:agent = '' OR r.agent = :agent)
ORDER BY p.user, r.agent;

-- name: residents_of
-- Every hot memory of one agent of one user.
SELECT {{lifeline_columns}} FROM memories AS m INDEXED BY memories_by_time
WHERE m.partition = ? AND m.agent = ? AND m.state NOT IN ('archived', 'forgotten')
ORDER BY m.id;

-- name: count_uses
INSERT INTO usage_days (partition, day, agent, session, recalled, used) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (partition, day, agent, session) DO UPDATE
SET recalled = recalled + excluded.recalled, used = used + excluded.used;

-- name: days_of_use
SELECT u.day, sum(u.recalled), sum(u.used)
FROM partitions AS p CROSS JOIN usage_days AS u USING (partition)
WHERE p.tenant = :tenant AND (:everything OR p.user = :user) AND u.day >= :since
  AND (:agent = '' OR u.agent = :agent) AND (:session = '' OR u.session = :session)
GROUP BY u.day ORDER BY u.day;

-- name: earned_of
-- What reviews have earned a memory, as the index over what rests has it.
SELECT interval_days, review_due_at FROM memories WHERE seq = ?;

-- name: mend_earned
UPDATE memories SET interval_days = ?, review_due_at = ? WHERE seq = ? AND version = ?;

-- name: miscounted
-- Agents whose hot memories were miscounted: (partition, agent, what is right).
SELECT m.partition, m.agent, count(*) FILTER (WHERE m.state NOT IN ('archived', 'forgotten')) AS n
FROM memories AS m GROUP BY m.partition, m.agent
HAVING n <> coalesce((SELECT r.memories FROM residents AS r
                      WHERE r.partition = m.partition AND r.agent = m.agent), 0);

-- name: mend_count
INSERT INTO residents (partition, agent, memories) VALUES (?, ?, ?)
ON CONFLICT (partition, agent) DO UPDATE SET memories = excluded.memories;

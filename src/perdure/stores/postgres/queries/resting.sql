-- name: lifeline_columns
-- What `resting.lifeline_of` reads.
m.tenant, m.user_id, m.id, m.agent, m.session, m.kind, m.state, m.importance, m.interval_days,
m.touched_at, m.expires_at, m.pinned, m.held, m.holds, m.rest_class,
octet_length(m.content) + 8 * cardinality(m.lexemes) + coalesce((
    SELECT sum(pg_column_size(v.embedding)) FROM vectors AS v
    WHERE v.tenant = m.tenant AND v.user_id = m.user_id AND v.memory_id = m.id), 0) AS bytes

-- name: rested
-- Memories of some classes that have rested since a moment.
SELECT {{lifeline_columns}} FROM memories AS m
WHERE {{scope}} AND m.rest_class = ANY (CAST(CAST(:classes AS text[]) AS int[]))
  AND m.touched_at <= :before AND m.importance < :below
  AND NOT m.pinned AND NOT m.held AND NOT m.holds AND m.state NOT IN ('archived', 'forgotten')
ORDER BY m.touched_at, m.id LIMIT :limit;

-- name: expired
SELECT {{lifeline_columns}} FROM memories AS m
WHERE {{scope}} AND m.expires_at <= :at AND m.expires_at IS NOT NULL AND NOT m.held
  AND m.state <> 'forgotten'
ORDER BY m.touched_at, m.id LIMIT :limit;

-- name: crowded
SELECT m.tenant, m.user_id, m.agent, m.memories FROM residents AS m
WHERE {walls} AND m.memories > :above
  AND (:everything OR :agent = '' OR m.agent = :agent)
ORDER BY m.user_id, m.agent;

-- name: residents_of
-- Every hot memory of one agent of one user.
SELECT {{lifeline_columns}} FROM memories AS m
WHERE m.tenant = :tenant AND m.user_id = :user_id AND m.agent = :agent
  AND m.state NOT IN ('archived', 'forgotten')
ORDER BY m.id;

-- name: count_uses
INSERT INTO usage_days AS u (tenant, user_id, day, agent, session, recalled, used)
VALUES (:tenant, :user_id, :day, :agent, :session, :recalled, :used)
ON CONFLICT (tenant, user_id, day, agent, session) DO UPDATE
SET recalled = u.recalled + excluded.recalled, used = u.used + excluded.used;

-- name: days_of_use
SELECT m.day, sum(m.recalled) AS recalled, sum(m.used) AS used FROM usage_days AS m
WHERE {{scope}} AND m.day >= :since GROUP BY m.day ORDER BY m.day;

-- name: miscounted
-- A user's agents whose hot memories were miscounted.
SELECT c.agent, c.memories FROM (
    SELECT m.agent, count(*) FILTER (WHERE m.state NOT IN ('archived', 'forgotten')) AS memories
    FROM memories AS m WHERE m.tenant = :tenant AND m.user_id = :user_id GROUP BY m.agent
) AS c
WHERE c.memories <> coalesce((
    SELECT r.memories FROM residents AS r
    WHERE r.tenant = :tenant AND r.user_id = :user_id AND r.agent = c.agent), 0);

-- name: mend_count
INSERT INTO residents (tenant, user_id, agent, memories)
VALUES (:tenant, :user_id, :agent, :memories)
ON CONFLICT (tenant, user_id, agent) DO UPDATE SET memories = excluded.memories;

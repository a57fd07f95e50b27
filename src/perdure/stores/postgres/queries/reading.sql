-- name: memory_columns
-- What `rows.memory_of` reads. Shared by every statement that gives back memories.
m.tenant, m.user_id, m.id, m.agent, m.session, m.kind, m.state, m.version, m.content,
m.importance, m.confidence, m.occurred_at, m.occurred_until, m.recorded_at, m.retired_at,
m.valid_from, m.valid_to, m.expires_at, m.superseded_by, m.pinned, m.key, m.role, m.speaker,
m.subject, m.predicate, m.object, m.polarity, m.accessed_count, m.used_count,
m.last_accessed_at, m.archive, m.metadata, m.extra, m.held

-- name: by_id
-- Memories behind the walls, whatever their state.
SELECT {{memory_columns}} FROM memories AS m
WHERE m.tenant = :tenant AND m.user_id = :user_id AND m.id = ANY (CAST(:ids AS text[]));

-- name: slot_members
-- Every unretired, unforgotten memory of exactly one scope with one slot key.
SELECT {{memory_columns}} FROM memories AS m
WHERE m.tenant = :tenant AND m.user_id = :user_id
  AND hashtextextended(m.key, 0) = hashtextextended(:key, 0) AND m.key = :key
  AND m.agent = :agent AND m.session = :session
  AND m.retired_at IS NULL AND m.state <> 'forgotten'
ORDER BY m.valid_from, m.id;

-- name: of_user
-- The walls of a view. Python puts this or the next in for `{walls}`: one statement with a switch
-- for both would be planned for neither.
m.tenant = :tenant AND m.user_id = :user_id

-- name: of_tenant
m.tenant = :tenant

-- name: scope
-- `domain.visibility.View.admits_scope`: a blank agent or session admits all.
{walls}
AND (:everything OR ((:agent = '' OR m.agent = :agent) AND (:session = '' OR m.session = :session)))

-- name: admitted
-- `domain.visibility.is_visible`, and the kinds and time window of a `domain.query.Condition`.
-- Python puts in the filter.
{{scope}}
AND m.state <> 'forgotten'
AND (:expired OR m.expires_at IS NULL OR m.expires_at > :now)
AND (:archived OR m.state <> 'archived')
AND ((:superseded AND m.superseded_by IS NOT NULL)
     OR (m.retired_at IS NULL
         AND (:former OR (m.valid_from <= :moment
                          AND (m.valid_to IS NULL OR m.valid_to > :moment)))))
AND (CAST(:kinds AS text[]) IS NULL OR m.kind = ANY (CAST(:kinds AS text[])))
AND (CAST(:starts AS timestamptz) IS NULL
     OR coalesce(m.occurred_until, m.occurred_at) >= CAST(:starts AS timestamptz))
AND (CAST(:ends AS timestamptz) IS NULL OR m.occurred_at < CAST(:ends AS timestamptz))
AND {filter}

-- name: touching
-- The facts a condition admits that are about one of the names, as subject or object, in the order
-- they were learnt. Each end has an index; an OR of both would use neither.
WITH named AS (
    SELECT name, hashtextextended(name, 0) AS hash FROM unnest(CAST(:names AS text[])) AS name
), touched AS (
    SELECT m.id FROM named JOIN memories AS m ON m.subject = name
        AND hashtextextended(m.subject, 0) = hash AND m.subject IS NOT NULL AND {walls}
    UNION
    SELECT m.id FROM named JOIN memories AS m ON m.object = name
        AND hashtextextended(m.object, 0) = hash AND m.object IS NOT NULL AND {walls}
)
SELECT {{memory_columns}} FROM memories AS m JOIN touched USING (id)
WHERE m.predicate IS NOT NULL AND {{admitted}}
ORDER BY m.recorded_at, m.id;

-- name: page
-- One page. Python composes the filter, where the page begins, and the order.
SELECT {{memory_columns}} FROM memories AS m
WHERE {{admitted}} AND {after} ORDER BY {order} LIMIT :limit;

-- name: count_admitted
-- How many memories a condition admits.
SELECT count(*) FROM memories AS m WHERE {{admitted}};

-- name: search
-- Both arms over exactly the admitted rows. Gives the rows in question (among the best by cosine,
-- or with a term of the question) and, in each of them, the totals that BM25 needs; a single row
-- without an id when no row is in question. `frequencies` follow the order of the terms.
-- Vectors have unit length, so the inner product is the cosine; `<#>` is its negative.
WITH terms AS MATERIALIZED (
    SELECT CAST(CAST(:terms AS text) AS bigint[]) AS codes
), admitted AS MATERIALIZED (
    SELECT m.tenant, m.user_id, m.id, m.importance, m.occurred_at, m.accessed_count,
           m.agent, m.session, m.role IS NOT NULL OR m.speaker IS NOT NULL AS is_spoken,
           m.content ~ '[㐀-䶿一-鿿𠀀-𱍏]' AS is_han,
           cardinality(m.lexemes) AS length,
           CASE WHEN m.lexemes && (SELECT codes FROM terms) THEN (
               SELECT json_agg(cardinality(array_positions(m.lexemes, t.term)) ORDER BY t.place)
               FROM terms, unnest(terms.codes) WITH ORDINALITY AS t(term, place)
           ) END AS frequencies
    FROM memories AS m WHERE {{admitted}}
), compared AS MATERIALIZED (
    SELECT v.tenant, v.user_id, v.memory_id, max(-(v.embedding <#> :vector)) AS cosine
    FROM admitted AS a JOIN (SELECT * FROM vectors AS m WHERE {walls} AND m.model = :model) AS v
      ON v.tenant = a.tenant AND v.user_id = a.user_id AND v.memory_id = a.id
    GROUP BY v.tenant, v.user_id, v.memory_id
), placed AS (
    SELECT a.*, s.cosine, row_number() OVER (ORDER BY s.cosine DESC NULLS LAST, a.id) AS place,
           CASE WHEN a.is_spoken THEN row_number() OVER (
               PARTITION BY a.tenant, a.user_id, a.agent, a.session, a.is_spoken
               ORDER BY a.occurred_at, a.id
           ) END AS turn
    FROM admitted AS a LEFT JOIN compared AS s
      ON s.tenant = a.tenant AND s.user_id = a.user_id AND s.memory_id = a.id
), totals AS (
    SELECT count(*) AS considered, coalesce(sum(length), 0) AS total_length,
           (SELECT count(*) FROM compared) AS with_vector
    FROM admitted
)
SELECT p.id, p.cosine, p.importance, p.occurred_at, p.accessed_count, p.length, p.frequencies,
       p.user_id, p.agent, p.session, p.turn, p.is_han, t.considered, t.total_length, t.with_vector
FROM totals AS t LEFT JOIN placed AS p
  ON (p.cosine IS NOT NULL AND p.place <= :limit) OR p.frequencies IS NOT NULL;

-- name: records_within
-- Every record behind a view's walls, for reads of an earlier state of knowledge.
SELECT {{memory_columns}} FROM memories AS m WHERE {walls};

-- name: vectors_within
-- Their vectors, the pieces of each in order.
SELECT m.memory_id, m.model, m.embedding FROM vectors AS m
WHERE {walls} ORDER BY m.memory_id, m.piece;

-- name: entry_columns
-- What `rows.entry_of` reads.
m.tenant, m.user_id, m.sequence, m.at, m.operation, m.memory_id, m.version, m.agent, m.session,
m.actor, m.request_id, m.config_hash, m.reason, m.change, m.previous, m.digest, m.salt,
m.seal

-- name: memory_entries
-- One memory's journal entries in order, without accesses.
SELECT {{entry_columns}} FROM journal AS m
WHERE m.tenant = :tenant AND m.user_id = :user_id AND m.memory_id = :id
  AND m.operation <> 'accessed'
ORDER BY m.sequence;

-- name: entries_within
-- Journal entries that a view's scope admits, in order.
SELECT {{entry_columns}} FROM journal AS m
WHERE {{scope}} AND m.sequence > :after ORDER BY m.sequence LIMIT :limit;

-- name: entries_behind
-- The same by the walls alone, from the first: what folding the journal needs.
SELECT {{entry_columns}} FROM journal AS m WHERE {walls} ORDER BY m.sequence;

-- name: counts
-- What `stats` counts of a view's scope, by state.
SELECT m.state, count(*) AS memories, sum(m.accessed_count) AS recalled, sum(m.used_count) AS used,
       count(*) FILTER (WHERE m.state <> 'forgotten'
         AND NOT (m.state = 'archived' AND m.content = '') AND NOT EXISTS (
           SELECT 1 FROM vectors AS v
           WHERE v.tenant = m.tenant AND v.user_id = m.user_id AND v.memory_id = m.id
             AND v.model = (SELECT value FROM meta WHERE name = 'embedding_model')
       )) AS without_vector
FROM memories AS m WHERE {{scope}} GROUP BY m.state;

-- name: bytes
-- What the schema's tables take on disk, indexes included.
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)
FROM pg_class AS c WHERE c.relnamespace = to_regnamespace(:schema) AND c.relkind IN ('r', 'p');

-- What upkeep looks for: memories at rest or expired, and how many each agent has of each user.
-- The rules are those of `domain.resting`, which the contract tests hold these columns to.

-- `interval_days` and `review_due_at` are what a memory's reviews have earned it, out of `extra`.
ALTER TABLE memories
    ADD COLUMN held boolean NOT NULL DEFAULT false,
    ADD COLUMN interval_days double precision NOT NULL DEFAULT 1,
    ADD COLUMN review_due_at timestamptz;
UPDATE memories
SET interval_days = coalesce(CAST(extra -> 'strength' ->> 'interval_days' AS double precision), 1),
    review_due_at = CASE WHEN CAST(extra -> 'strength' ->> 'repetitions' AS int) > 0
        THEN CAST(extra -> 'strength' ->> 'due_at' AS timestamptz) END
WHERE extra -> 'strength' IS NOT NULL;

-- `greatest` passes over what is missing.
ALTER TABLE memories
    ADD COLUMN touched_at timestamptz NOT NULL GENERATED ALWAYS AS (
        greatest(recorded_at, last_accessed_at, review_due_at, coalesce(retired_at, valid_to))
    ) STORED,
    ADD COLUMN holds boolean NOT NULL GENERATED ALWAYS AS (
        (subject IS NOT NULL OR key IS NOT NULL OR kind = 'semantic')
        AND valid_to IS NULL AND retired_at IS NULL
    ) STORED,
    ADD COLUMN rest_class integer NOT NULL GENERATED ALWAYS AS (
        CASE WHEN state <> 'active' THEN 40
             WHEN subject IS NOT NULL OR key IS NOT NULL OR kind = 'semantic'
                  OR length(content) < 240 THEN 0
             ELSE 20 END + CAST(least(19, floor(importance * 20)) AS integer)
    ) STORED;

CREATE INDEX memories_at_rest ON memories (tenant, rest_class, touched_at)
    WHERE NOT pinned AND NOT held AND NOT holds AND state NOT IN ('archived', 'forgotten');
CREATE INDEX memories_by_expiry ON memories (tenant, expires_at)
    WHERE expires_at IS NOT NULL AND NOT held AND state <> 'forgotten';

-- How many hot memories an agent has of a user: counted while writing, so that no upkeep counts.
CREATE TABLE residents (
    tenant   text COLLATE "C" NOT NULL,
    user_id  text COLLATE "C" NOT NULL,
    agent    text COLLATE "C" NOT NULL,
    memories bigint NOT NULL,
    PRIMARY KEY (tenant, user_id, agent)
);
CREATE INDEX residents_by_number ON residents (tenant, memories);
INSERT INTO residents (tenant, user_id, agent, memories)
SELECT tenant, user_id, agent, count(*) FROM memories
WHERE state NOT IN ('archived', 'forgotten') GROUP BY tenant, user_id, agent;

CREATE FUNCTION count_resident() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
    came boolean := TG_OP <> 'DELETE' AND NEW.state NOT IN ('archived', 'forgotten');
    was boolean := TG_OP <> 'INSERT' AND OLD.state NOT IN ('archived', 'forgotten');
BEGIN
    IF came AND NOT was THEN
        INSERT INTO residents AS r (tenant, user_id, agent, memories)
        VALUES (NEW.tenant, NEW.user_id, NEW.agent, 1)
        ON CONFLICT (tenant, user_id, agent) DO UPDATE SET memories = r.memories + 1;
    ELSIF was AND NOT came THEN
        UPDATE residents SET memories = memories - 1
        WHERE tenant = OLD.tenant AND user_id = OLD.user_id AND agent = OLD.agent;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER memories_come AFTER INSERT OR DELETE ON memories
    FOR EACH ROW EXECUTE FUNCTION count_resident();
CREATE TRIGGER memories_move AFTER UPDATE OF state ON memories
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION count_resident();

-- How often memories were recalled and used, by day: counted along with the writes that tell of it.
CREATE TABLE usage_days (
    tenant   text COLLATE "C" NOT NULL,
    user_id  text COLLATE "C" NOT NULL,
    day      date NOT NULL,
    agent    text COLLATE "C" NOT NULL,
    session  text COLLATE "C" NOT NULL,
    recalled bigint NOT NULL,
    used     bigint NOT NULL,
    PRIMARY KEY (tenant, user_id, day, agent, session)
);

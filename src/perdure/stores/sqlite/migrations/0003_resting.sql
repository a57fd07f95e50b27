-- What upkeep looks for: memories at rest or expired, and how many each agent has of each user.
-- The rules are those of `domain.resting`, which the contract tests hold these columns to.

-- `interval_days` and `review_due_at` are what a memory's reviews have earned it, out of `extra`;
-- NULL where there were none.
ALTER TABLE memories ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN interval_days REAL;
ALTER TABLE memories ADD COLUMN review_due_at INTEGER;

-- To the second, which is near enough until the next review or `verify`.
UPDATE memories
SET interval_days = json_extract(extra, '$.strength.interval_days'),
    review_due_at = CASE WHEN json_extract(extra, '$.strength.repetitions') > 0
        THEN CAST(strftime('%s', json_extract(extra, '$.strength.due_at')) AS INTEGER) * 1000000
    END
WHERE json_extract(extra, '$.strength') IS NOT NULL;

-- Computed when they are read or indexed; they take no room in the row.
ALTER TABLE memories ADD COLUMN touched_at INTEGER AS (max(
    recorded_at, coalesce(last_accessed_at, recorded_at), coalesce(review_due_at, recorded_at),
    coalesce(retired_at, valid_to, recorded_at)));
ALTER TABLE memories ADD COLUMN states_something INTEGER AS (
    subject IS NOT NULL OR key IS NOT NULL OR kind = 'semantic');
ALTER TABLE memories ADD COLUMN holds INTEGER AS (
    states_something AND valid_to IS NULL AND retired_at IS NULL);
ALTER TABLE memories ADD COLUMN rests_since INTEGER AS (
    CASE WHEN pinned OR held OR holds OR state IN ('archived', 'forgotten') THEN NULL
         ELSE touched_at END);
ALTER TABLE memories ADD COLUMN rest_class INTEGER AS (
    CASE WHEN state <> 'active' THEN 40
         WHEN states_something OR length(content) < 240 THEN 0
         ELSE 20 END + min(19, CAST(importance * 20 AS INTEGER)));

CREATE INDEX memories_at_rest ON memories (rest_class, rests_since)
WHERE rests_since IS NOT NULL;
CREATE INDEX memories_by_expiry ON memories (expires_at)
WHERE expires_at IS NOT NULL AND held = 0 AND state <> 'forgotten';

-- How many hot memories an agent has of a user: counted while writing, so that no upkeep counts.
CREATE TABLE residents (
    partition INTEGER NOT NULL REFERENCES partitions,
    agent     TEXT NOT NULL,
    memories  INTEGER NOT NULL,
    PRIMARY KEY (partition, agent)
) WITHOUT ROWID;
CREATE INDEX residents_by_number ON residents (memories);
INSERT INTO residents (partition, agent, memories)
SELECT partition, agent, count(*) FROM memories
WHERE state NOT IN ('archived', 'forgotten') GROUP BY partition, agent;

CREATE TRIGGER memories_arrive AFTER INSERT ON memories
WHEN NEW.state NOT IN ('archived', 'forgotten')
BEGIN
    INSERT INTO residents (partition, agent, memories) VALUES (NEW.partition, NEW.agent, 1)
    ON CONFLICT (partition, agent) DO UPDATE SET memories = memories + 1;
END;
CREATE TRIGGER memories_return AFTER UPDATE OF state ON memories
WHEN OLD.state IN ('archived', 'forgotten') AND NEW.state NOT IN ('archived', 'forgotten')
BEGIN
    INSERT INTO residents (partition, agent, memories) VALUES (NEW.partition, NEW.agent, 1)
    ON CONFLICT (partition, agent) DO UPDATE SET memories = memories + 1;
END;
CREATE TRIGGER memories_leave AFTER UPDATE OF state ON memories
WHEN OLD.state NOT IN ('archived', 'forgotten') AND NEW.state IN ('archived', 'forgotten')
BEGIN
    UPDATE residents SET memories = memories - 1
    WHERE partition = NEW.partition AND agent = NEW.agent;
END;
CREATE TRIGGER memories_vanish AFTER DELETE ON memories
WHEN OLD.state NOT IN ('archived', 'forgotten')
BEGIN
    UPDATE residents SET memories = memories - 1
    WHERE partition = OLD.partition AND agent = OLD.agent;
END;

-- How often memories were recalled and used, by day (days since 1970 UTC): counted along with the
-- writes that tell of it. One row per scope and day, so that it stays small.
CREATE TABLE usage_days (
    partition INTEGER NOT NULL REFERENCES partitions,
    day       INTEGER NOT NULL,
    agent     TEXT NOT NULL,
    session   TEXT NOT NULL,
    recalled  INTEGER NOT NULL,
    used      INTEGER NOT NULL,
    PRIMARY KEY (partition, day, agent, session)
) WITHOUT ROWID;

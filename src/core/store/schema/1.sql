CREATE TABLE servers (
    server_id TEXT PRIMARY KEY,
    pid INTEGER NOT NULL,
    started TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE agents (
    agent_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    -- Whether a transcript of the session is known to have existed: from then on a missing one is a loss.
    session_seen INTEGER NOT NULL DEFAULT 0,
    name TEXT,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'idle', 'cancelling', 'needs_attention', 'closed')),
    reason TEXT CHECK ((reason IS NOT NULL) = (state = 'needs_attention')),
    cwd TEXT NOT NULL,
    workspace TEXT NOT NULL,
    permission_profile TEXT NOT NULL,
    model TEXT,
    effort TEXT,
    max_turn_seconds INTEGER,
    max_budget_usd REAL,
    total_cost_usd REAL NOT NULL DEFAULT 0,
    -- The server that runs its turns; not a foreign key: an owner may be gone.
    owner TEXT,
    stalled INTEGER NOT NULL DEFAULT 0,
    last_activity_at INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX agents_by_state ON agents (state);
CREATE INDEX agents_by_activity ON agents (updated_at);

CREATE TABLE turns (
    -- Who came first, over all agents.
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    turn_id TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL REFERENCES agents ON DELETE CASCADE,
    number INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'interrupted', 'timed_out')),
    reason TEXT,
    attempt INTEGER NOT NULL DEFAULT 0,
    deaths INTEGER NOT NULL DEFAULT 0,
    launch_failures INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER,
    started_at INTEGER,
    ended_at INTEGER,
    cost_usd REAL,
    num_turns INTEGER,
    exit_code INTEGER,
    signal INTEGER,
    api_error_status INTEGER,
    resets_at INTEGER,
    stderr_tail TEXT,
    -- The raw frame that ended it.
    result_sequence INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (agent_id, number)
) STRICT;
CREATE INDEX turns_queued ON turns (agent_id, position) WHERE status = 'queued';
-- One running turn per agent, whatever happens.
CREATE UNIQUE INDEX turns_running ON turns (agent_id) WHERE status = 'running';

CREATE TABLE messages (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    message_id TEXT NOT NULL UNIQUE,
    agent_id TEXT NOT NULL REFERENCES agents ON DELETE CASCADE,
    -- A followup's own turn; for context, the turn that it was part of.
    turn_id TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'followup')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'leased', 'acknowledged', 'discarded')),
    body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_open ON messages (agent_id, sequence) WHERE state IN ('pending', 'leased');

-- Every attempt to deliver a message, with the uuid that the CLI echoes.
CREATE TABLE attempts (
    input_id TEXT NOT NULL,
    message_id TEXT NOT NULL REFERENCES messages (message_id) ON DELETE CASCADE,
    child_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    confirmed_at INTEGER,
    PRIMARY KEY (input_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_by_message ON attempts (message_id);

CREATE TABLE events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT NOT NULL REFERENCES agents ON DELETE CASCADE,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_by_agent ON events (agent_id, sequence);

CREATE TABLE raw_events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT NOT NULL REFERENCES agents ON DELETE CASCADE,
    turn_id TEXT,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX raw_events_by_agent ON raw_events (agent_id, sequence);

-- One live process per agent, whatever happens. A row is a slot; a row with a turn holds the workspace.
CREATE TABLE children (
    child_id TEXT PRIMARY KEY,
    agent_id TEXT NOT NULL UNIQUE REFERENCES agents,
    server_id TEXT NOT NULL,
    phase TEXT NOT NULL CHECK (phase IN ('starting', 'busy', 'idle', 'ending')),
    turn_id TEXT,
    pid INTEGER,
    started TEXT,
    supervisor_pid INTEGER,
    supervisor_started TEXT,
    idle_since INTEGER,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE requests (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT NOT NULL REFERENCES agents ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('interrupt', 'evict')),
    turn_id TEXT,
    -- Mail up to here is discarded with the turn.
    mail_until INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    UNIQUE (agent_id, kind)
) STRICT;

import { LEASE_CHARACTERS } from "../inbox.ts";

/**
 * The tables and procedures of an inbox on Postgres, in the order of their creation.
 *
 * Times are milliseconds of the server's clock. Statistics of a queue are always outdated: without
 * these settings, a plan that was made while a table was empty would read or sort all of it later.
 * For the same reason no table is joined: rows are found by `= ANY` of an array, or one by one in a
 * subquery whose LIMIT, OFFSET or FOR UPDATE keeps the planner from turning it into a join.
 *
 * @param schema The quoted name of the schema, which exists.
 */
export function definitions(schema: string): readonly string[] {
  const settings = `SET enable_seqscan TO off SET enable_bitmapscan TO off SET enable_sort TO off
    SET enable_hashjoin TO off SET enable_mergejoin TO off SET jit TO off`;
  const procedure = (head: string, body: string, more = "") =>
    `CREATE FUNCTION ${schema}.${head} LANGUAGE plpgsql ${settings} ${more} AS $$
    #variable_conflict use_column
    ${body} $$`;
  const now = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

  return [
    // A lane has a row while it has deliveries. Adding a delivery and ending a lease lock the row.
    `CREATE TABLE ${schema}.lane (
      -- '=' and the name, '#' and a UUID for a delivery without one, or '#key ' and a key that
      -- \`once\` handles.
      name text COLLATE "C" PRIMARY KEY,
      -- When it may be taken: at once, after a delay, or when the lease expires; null: never,
      -- because all its deliveries are in quarantine.
      due_at bigint,
      -- The token of the lease, null if there is none.
      token uuid,
      -- The advisory lock that the transactions of its worker hold.
      holder bigint,
      -- How often it was taken since a settlement ended a lease.
      interruptions integer NOT NULL DEFAULT 0
    ) WITH (
      fillfactor = 70,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000
    )`,
    `CREATE INDEX lane_due ON ${schema}.lane (due_at) WHERE due_at IS NOT NULL`,
    // On "due_at + 0", so that the plan for leases does not read lane_due, which contains all lanes
    // that are due. Conditions on one lane use IS NOT DISTINCT FROM, because a plan for "token ="
    // may read this whole index.
    `CREATE INDEX lane_leased ON ${schema}.lane ((due_at + 0)) WHERE token IS NOT NULL`,

    // Deliveries that wait or are in quarantine.
    `CREATE TABLE ${schema}.delivery (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      key text COLLATE "C",
      lane text COLLATE "C" NOT NULL,
      event text NOT NULL,
      headers json NOT NULL,
      delivery_id text,
      received_at text COLLATE "C" NOT NULL,
      quarantined boolean NOT NULL DEFAULT false,
      failures integer NOT NULL DEFAULT 0,
      reason text,
      body text NOT NULL
    ) WITH (
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
      autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000
    )`,
    `CREATE UNIQUE INDEX delivery_key ON ${schema}.delivery (key) WHERE key IS NOT NULL`,
    `CREATE INDEX delivery_waiting ON ${schema}.delivery (lane, id) WHERE NOT quarantined`,
    `CREATE INDEX delivery_quarantined ON ${schema}.delivery (lane, id) WHERE quarantined`,

    // The keys of handled deliveries.
    `CREATE TABLE ${schema}.handled (key text COLLATE "C" PRIMARY KEY, expires_at bigint NOT NULL)`,
    `CREATE INDEX handled_expiry ON ${schema}.handled (expires_at)`,

    // Ends the transactions that hold an advisory lock, or only the one of a backend. They may be
    // those of another role: then they end by their own limit.
    procedure(
      "end_transactions(holders bigint[], backend integer) RETURNS void",
      `BEGIN
        PERFORM pg_terminate_backend(lock.pid) FROM pg_locks AS lock
        WHERE lock.locktype = 'advisory' AND lock.objsubid = 1 AND lock.granted
          AND lock.database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND (lock.classid::bigint << 32) + lock.objid::bigint = ANY (holders)
          AND lock.pid = COALESCE(backend, lock.pid) AND lock.pid <> pg_backend_pid();
      EXCEPTION WHEN insufficient_privilege THEN NULL;
      END`,
    ),

    // Ends the transactions of other processes that have not renewed a lease in time: they may have
    // stopped, and keep locks that handlers of this process wait for.
    procedure(
      "end_stalled(own_holder bigint) RETURNS void",
      `DECLARE
        moment bigint := ${now};
        names text[];
        holders bigint[];
      BEGIN
        SELECT array_agg(stalled.name), array_agg(stalled.holder) INTO names, holders FROM (
          SELECT name, holder FROM ${schema}.lane
          WHERE token IS NOT NULL AND due_at + 0 <= moment AND holder <> own_holder
          FOR UPDATE SKIP LOCKED
        ) AS stalled;
        IF names IS NOT NULL THEN
          -- Once for each lease: it may be one that a process forgot and lost.
          UPDATE ${schema}.lane SET holder = NULL WHERE name = ANY (names);
          PERFORM ${schema}.end_transactions(holders, NULL);
        END IF;
      END`,
    ),

    // Deletes lanes without deliveries. The caller has locked them, so that none is added.
    procedure(
      "remove_empty(names text[]) RETURNS void",
      `BEGIN
        DELETE FROM ${schema}.lane WHERE name = ANY (names) AND token IS NULL
          AND NOT EXISTS (
            SELECT FROM ${schema}.delivery WHERE lane = name AND NOT quarantined OFFSET 0
          )
          AND NOT EXISTS (
            SELECT FROM ${schema}.delivery WHERE lane = name AND quarantined OFFSET 0
          );
      END`,
    ),

    // Makes deliveries due. Returns how many there were.
    procedure(
      "replay(ids json) RETURNS TABLE (total bigint)",
      `DECLARE
        wanted bigint[] := ARRAY(SELECT json_array_elements_text(ids)::bigint);
        names text[];
      BEGIN
        SELECT array_agg(found.lane) INTO names FROM (
          SELECT DISTINCT delivery.lane FROM ${schema}.delivery WHERE id = ANY (wanted)
        ) AS found;
        -- The insertion locks the lane, or repairs one that is missing. In order, for no deadlock.
        INSERT INTO ${schema}.lane AS lane (name, due_at)
        SELECT input.name, ${now} FROM unnest(names) AS input (name) ORDER BY 1
        -- The interruptions may be those of another delivery.
        ON CONFLICT (name) DO UPDATE SET
          due_at = CASE WHEN lane.token IS NULL THEN LEAST(lane.due_at, excluded.due_at)
            ELSE lane.due_at END,
          interruptions = CASE WHEN lane.token IS NULL THEN 0 ELSE 1 END;
        UPDATE ${schema}.delivery SET quarantined = false, failures = 0, reason = NULL
        WHERE id = ANY (wanted) AND quarantined;
        SELECT count(*) INTO total FROM ${schema}.delivery WHERE id = ANY (wanted);
        IF total < cardinality(wanted) THEN
          -- Some were dropped before their lanes were locked, and their lanes with them.
          PERFORM ${schema}.remove_empty(names);
        END IF;
        RETURN NEXT;
      END`,
    ),

    // Deletes deliveries; with "isolated", only those that still are in quarantine, or are not.
    // Returns how many there were.
    procedure(
      "discard(ids json, isolated boolean) RETURNS TABLE (total bigint)",
      `DECLARE
        wanted bigint[] := ARRAY(SELECT json_array_elements_text(ids)::bigint);
        names text[];
        woken text[];
        deleted bigint;
      BEGIN
        SELECT array_agg(locked.name) INTO names FROM (
          SELECT DISTINCT delivery.lane FROM ${schema}.delivery WHERE id = ANY (wanted) ORDER BY 1
        ) AS found
        CROSS JOIN LATERAL (
          SELECT name FROM ${schema}.lane WHERE name = found.lane FOR UPDATE
        ) AS locked;
        WITH gone AS (
          DELETE FROM ${schema}.delivery
          WHERE id = ANY (wanted) AND quarantined = COALESCE(isolated, quarantined)
          RETURNING lane, quarantined
        )
        SELECT count(*), array_agg(lane) FILTER (WHERE NOT quarantined) INTO deleted, woken
        FROM gone;
        -- A delay and interruptions may be those of a deleted delivery.
        UPDATE ${schema}.lane SET
          due_at = CASE WHEN token IS NOT NULL THEN due_at WHEN EXISTS (
            SELECT FROM ${schema}.delivery WHERE lane = name AND NOT quarantined OFFSET 0
          ) THEN ${now} END,
          interruptions = CASE WHEN token IS NULL THEN 0 ELSE 1 END
        WHERE name = ANY (woken);
        -- A lane with a lease stays, because its worker ends it.
        PERFORM ${schema}.remove_empty(names);
        RETURN QUERY SELECT deleted;
      END`,
    ),

    // Stores deliveries with different keys. Returns the places (from 1) and results of those that
    // were not added; 'again' asks for another call, because the row changed meanwhile. A lane is
    // locked for the time of a commit, unless its process was stopped just then.
    procedure(
      "receive(heads json, bodies json) RETURNS TABLE (place bigint, result text)",
      `DECLARE
        moment bigint := ${now};
        known text[];
        added text[];
        repeated text[];
      BEGIN
        -- LIMIT prevents a plan that reads the whole tables.
        SELECT array_agg(found.key) INTO known
        FROM json_to_recordset(heads) AS input (key text)
        CROSS JOIN LATERAL (
          (SELECT delivery.key FROM ${schema}.delivery WHERE delivery.key = input.key LIMIT 1)
          UNION ALL
          (SELECT handled.key FROM ${schema}.handled
            WHERE handled.key = input.key AND handled.expires_at + 0 > moment LIMIT 1)
        ) AS found;

        -- The update locks the lane, also if it changes nothing. In order, to avoid deadlocks.
        INSERT INTO ${schema}.lane AS lane (name, due_at)
        SELECT DISTINCT input.lane COLLATE "C", moment
        FROM json_to_recordset(heads) AS input (key text, lane text)
        WHERE known IS NULL OR input.key IS NULL OR input.key <> ALL (known)
        ORDER BY 1
        ON CONFLICT (name) DO UPDATE SET due_at = COALESCE(lane.due_at, excluded.due_at);

        -- The ids are assigned under the locks and after sorting.
        WITH inserted AS (
          INSERT INTO ${schema}.delivery
            (key, lane, event, headers, delivery_id, received_at, body)
          SELECT input.key, input.lane, input.event, input.headers, input.sender, input.received,
            input.body
          FROM ROWS FROM (
            json_to_recordset(heads) AS (
              key text, lane text, event text, headers json, sender text, received text
            ),
            json_array_elements_text(bodies)
          ) WITH ORDINALITY
            AS input (key, lane, event, headers, sender, received, body, place)
          WHERE known IS NULL OR input.key IS NULL OR input.key <> ALL (known)
          ORDER BY input.place
          ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING
          RETURNING delivery.key
        )
        SELECT array_agg(inserted.key) INTO added FROM inserted WHERE inserted.key IS NOT NULL;

        -- Other transactions can no longer add these keys. Find those that were added and handled
        -- since the first statement.
        SELECT array_agg(handled.key) INTO repeated FROM ${schema}.handled
        WHERE handled.key = ANY (added) AND handled.expires_at + 0 > moment;
        IF repeated IS NOT NULL THEN
          DELETE FROM ${schema}.delivery WHERE delivery.key = ANY (repeated);
        END IF;

        IF known IS NULL AND repeated IS NULL AND COALESCE(cardinality(added), 0) = (
          SELECT count(input.key) FROM json_to_recordset(heads) AS input (key text)
        ) THEN
          RETURN;
        END IF;

        RETURN QUERY
        WITH found AS MATERIALIZED (
          SELECT input.place, stored.id, stored.quarantined, EXISTS (
            SELECT FROM ${schema}.handled
            WHERE handled.key = input.key AND handled.expires_at + 0 > moment OFFSET 0
          ) AS done
          FROM ROWS FROM (json_to_recordset(heads) AS (key text)) WITH ORDINALITY
            AS input (key, place)
          LEFT JOIN LATERAL (
            SELECT * FROM ${schema}.delivery WHERE delivery.key = input.key LIMIT 1
          ) AS stored ON TRUE
          WHERE input.key IS NOT NULL
            AND (added IS NULL OR input.key <> ALL (added) OR input.key = ANY (repeated))
        )
        SELECT found.place, CASE
          WHEN found.quarantined THEN CASE
            WHEN (SELECT total FROM ${schema}.replay(json_build_array(found.id))) = 1
            THEN 'replayed' ELSE 'again' END
          WHEN found.id IS NOT NULL THEN 'waiting'
          WHEN found.done THEN 'handled'
          ELSE 'again'
        END
        FROM found;
      END`,
      "SET lock_timeout TO '2s'",
    ),

    // Stores a delivery and removes it. Its length makes tables grow, as on a full disk.
    procedure(
      "probe() RETURNS void",
      `DECLARE
        own text := '#probe ' || gen_random_uuid();
      BEGIN
        INSERT INTO ${schema}.lane (name) VALUES (own);
        INSERT INTO ${schema}.delivery (key, lane, event, headers, received_at, body)
        SELECT own, own, '', '{}', '', string_agg(gen_random_uuid()::text, '')
        FROM generate_series(1, 200);
        DELETE FROM ${schema}.delivery WHERE key = own;
        DELETE FROM ${schema}.lane WHERE name = own;
      END`,
    ),

    // Takes lanes. Returns the first deliveries of each.
    procedure(
      `take(max_lanes integer, max_deliveries integer, lease_ms bigint, new_holder bigint)
      RETURNS TABLE (
        lane text, token text, interruptions integer, due bigint, id bigint, key text, event text,
        headers text, sender text, received text, quarantined text, failures integer, reason text,
        body text, missing bigint
      )`,
      `DECLARE
        moment bigint := ${now};
        taken text[];
        dues bigint[];
        emptied text[];
      BEGIN
        -- A crash of the server may undo this: nothing was handled yet.
        PERFORM set_config('synchronous_commit', 'off', true);

        PERFORM ${schema}.end_stalled(new_holder);

        SELECT array_agg(due.name), array_agg(due.due_at) INTO taken, dues FROM (
          SELECT name, due_at FROM ${schema}.lane WHERE due_at <= moment
          ORDER BY due_at LIMIT max_lanes FOR UPDATE SKIP LOCKED
        ) AS due;
        IF taken IS NULL THEN
          RETURN;
        END IF;
        UPDATE ${schema}.lane
        SET due_at = moment + lease_ms, token = gen_random_uuid(), holder = new_holder,
          interruptions = lane.interruptions + 1
        WHERE name = ANY (taken);

        -- In a statement of its own, which sees what was settled before the lanes were locked.
        RETURN QUERY
        SELECT lane.name, lane.token::text, lane.interruptions - 1, input.due, head.id, head.key,
          head.event, head.headers::text, head.delivery_id, head.received_at, 'false',
          head.failures, head.reason, head.body, lane.missing + (
            SELECT count(*) FROM ${schema}.delivery AS later
            WHERE later.lane = lane.name AND later.quarantined
              AND later.id > lane.first_id AND later.id < head.id
          )
        FROM unnest(taken, dues) WITH ORDINALITY AS input (name, due, place)
        CROSS JOIN LATERAL (
          -- Those before the first delivery are counted once, because there can be many.
          SELECT found.*, (
            SELECT count(*) FROM ${schema}.delivery
            WHERE lane = found.name AND quarantined AND id < found.first_id
          ) AS missing
          FROM (
            SELECT lane.*, (
              SELECT id FROM ${schema}.delivery WHERE lane = lane.name AND NOT quarantined
              ORDER BY id LIMIT 1
            ) AS first_id
            FROM ${schema}.lane WHERE lane.name = input.name LIMIT 1
          ) AS found
          OFFSET 0
        ) AS lane
        CROSS JOIN LATERAL (
          -- The bodies of a lease have a limit in bytes, unless there is only one.
          SELECT * FROM (
            SELECT first.*, sum(octet_length(first.body)) OVER (ORDER BY first.id) AS bytes,
              row_number() OVER (ORDER BY first.id) AS place
            FROM (
              SELECT * FROM ${schema}.delivery
              WHERE delivery.lane = lane.name AND NOT delivery.quarantined
              ORDER BY delivery.id
              LIMIT CASE WHEN lane.interruptions = 1 THEN max_deliveries ELSE 1 END
            ) AS first
          ) AS summed
          WHERE summed.place = 1 OR summed.bytes <= ${LEASE_CHARACTERS}
        ) AS head
        ORDER BY input.place, head.id;

        -- An operator can drop all deliveries of a lease, and a process can end during \`once\`.
        SELECT array_agg(input.name) INTO emptied FROM unnest(taken) AS input (name)
        WHERE NOT EXISTS (
          SELECT FROM ${schema}.delivery WHERE lane = input.name AND NOT quarantined OFFSET 0
        );
        IF emptied IS NOT NULL THEN
          UPDATE ${schema}.lane SET token = NULL, due_at = NULL, interruptions = 0
          WHERE name = ANY (emptied);
          PERFORM ${schema}.remove_empty(emptied);
        END IF;
      END`,
    ),

    // Extends leases. Returns the lanes of those that were lost. One that is being settled is not,
    // and one that receives a delivery is waited for.
    procedure(
      "renew(leases json, lease_ms bigint, own_holder bigint) RETURNS TABLE (lane text)",
      `DECLARE
        renewed text[];
        input record;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        PERFORM ${schema}.end_stalled(own_holder);
        SELECT array_agg(held.name) INTO renewed FROM json_to_recordset(leases)
          AS lease (lane text, token uuid)
        CROSS JOIN LATERAL (
          SELECT name FROM ${schema}.lane
          WHERE name = lease.lane AND token IS NOT DISTINCT FROM lease.token
          FOR UPDATE SKIP LOCKED
        ) AS held;
        UPDATE ${schema}.lane SET due_at = ${now} + lease_ms, holder = own_holder
        WHERE name = ANY (renewed);
        FOR input IN
          SELECT * FROM json_to_recordset(leases) AS lease (lane text, token uuid)
          WHERE renewed IS NULL OR lease.lane <> ALL (renewed)
        LOOP
          BEGIN
            UPDATE ${schema}.lane SET due_at = ${now} + lease_ms, holder = own_holder
            WHERE name = input.lane AND token IS NOT DISTINCT FROM input.token;
          EXCEPTION WHEN lock_not_available THEN NULL;
          END;
        END LOOP;
        RETURN QUERY
        SELECT lease.lane FROM json_to_recordset(leases) AS lease (lane text, token uuid)
        WHERE lease.token IS DISTINCT FROM (
          SELECT lane.token FROM ${schema}.lane WHERE lane.name = lease.lane
        );
      END`,
      "SET lock_timeout TO '200ms'",
    ),

    // Ends leases: records which deliveries were handled, go to quarantine or are retried. Fails
    // with the code TXF01 if a lease was lost.
    procedure(
      "settle(leases json, handled json, failed json, keep_ms bigint) RETURNS void",
      `DECLARE
        names text[];
        input record;
      BEGIN
        -- In order, to avoid deadlocks.
        SELECT array_agg(held.name) INTO names FROM (
          SELECT * FROM json_to_recordset(leases) AS input (lane text, token uuid)
          ORDER BY lane COLLATE "C"
        ) AS lease
        CROSS JOIN LATERAL (
          SELECT name FROM ${schema}.lane
          WHERE name = lease.lane AND token IS NOT DISTINCT FROM lease.token
          FOR UPDATE
        ) AS held;
        IF COALESCE(cardinality(names), 0) < json_array_length(leases) THEN
          RAISE SQLSTATE 'TXF01';
        END IF;

        WITH ended AS (
          DELETE FROM ${schema}.delivery
          WHERE id = ANY (ARRAY(SELECT json_array_elements_text(handled)::bigint))
            AND NOT quarantined
          RETURNING delivery.key
        )
        INSERT INTO ${schema}.handled (key, expires_at)
        SELECT ended.key, ${now} + keep_ms FROM ended WHERE ended.key IS NOT NULL
        ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at;
        PERFORM ${schema}.remember(lease.key, keep_ms)
        FROM json_to_recordset(leases) AS lease (key text) WHERE lease.key IS NOT NULL;

        FOR input IN
          SELECT * FROM json_to_recordset(failed)
            AS one (id bigint, quarantined boolean, reason text, failures integer)
        LOOP
          UPDATE ${schema}.delivery
          SET quarantined = input.quarantined, reason = input.reason,
            failures = delivery.failures + input.failures
          WHERE delivery.id = input.id AND NOT delivery.quarantined;
        END LOOP;

        FOR input IN
          SELECT * FROM json_to_recordset(leases)
            AS one (
            lane text, changed boolean, counted text, due_at bigint, retry bigint, delay_ms bigint
          )
        LOOP
          UPDATE ${schema}.lane
          SET token = NULL,
            interruptions = CASE input.counted WHEN 'one' THEN lane.interruptions
              WHEN 'none' THEN lane.interruptions - 1 ELSE 0 END,
            due_at = (
              SELECT CASE WHEN NOT input.changed THEN input.due_at
                WHEN delivery.id = input.retry THEN ${now} + input.delay_ms ELSE ${now} END
              FROM ${schema}.delivery
              WHERE delivery.lane = input.lane AND NOT delivery.quarantined
              ORDER BY delivery.id LIMIT 1
            )
          WHERE lane.name = input.lane;
        END LOOP;
        PERFORM ${schema}.remove_empty(names);
      END`,
    ),

    // Leases the lane and the key of a delivery that is handled without being stored. Returns the
    // lanes, or why not: 'handled' or 'busy'.
    procedure(
      `claim(wanted_key text, wanted_lane text, lease_ms bigint, new_holder bigint)
      RETURNS TABLE (result text, lane text, token text)`,
      `DECLARE
        moment bigint := ${now};
        own uuid := gen_random_uuid();
        wanted text;
        holders bigint[];
        expired bigint;
      BEGIN
        PERFORM set_config('synchronous_commit', 'off', true);
        IF EXISTS (
          SELECT FROM ${schema}.handled WHERE key = wanted_key AND expires_at + 0 > moment
        ) THEN
          RETURN QUERY SELECT 'handled', NULL, NULL;
          RETURN;
        END IF;
        -- In order, to avoid deadlocks.
        FOREACH wanted IN ARRAY array_remove(ARRAY['#key ' || wanted_key, '=' || wanted_lane], NULL)
        LOOP
          SELECT lane.holder INTO expired FROM ${schema}.lane
          WHERE lane.name = wanted AND lane.token IS NOT NULL;
          INSERT INTO ${schema}.lane AS lane (name, due_at, token, holder, interruptions)
          VALUES (wanted, moment + lease_ms, own, new_holder, 1)
          ON CONFLICT (name) DO UPDATE SET due_at = excluded.due_at, token = own,
            holder = new_holder, interruptions = 1
          WHERE (lane.due_at IS NULL OR lane.due_at <= moment) AND NOT EXISTS (
            SELECT FROM ${schema}.delivery WHERE delivery.lane = wanted AND NOT quarantined
          );
          IF NOT FOUND THEN
            RAISE SQLSTATE 'TXF02';
          END IF;
          holders := array_append(holders, NULLIF(expired, new_holder));
        END LOOP;
        -- Again after the leases: a lane may have been settled while this call waited for it.
        IF EXISTS (SELECT FROM ${schema}.delivery WHERE key = wanted_key AND NOT quarantined)
          OR EXISTS (
            SELECT FROM ${schema}.handled WHERE key = wanted_key AND expires_at + 0 > moment
          )
        THEN
          RAISE SQLSTATE 'TXF02';
        END IF;
        PERFORM ${schema}.end_transactions(array_remove(holders, NULL), NULL);
        RETURN QUERY SELECT NULL, lane.name, own::text FROM ${schema}.lane
        WHERE lane.name IN ('#key ' || wanted_key, '=' || wanted_lane);
      EXCEPTION WHEN SQLSTATE 'TXF02' OR lock_not_available THEN
        RETURN QUERY SELECT 'busy', NULL, NULL;
      END`,
      "SET lock_timeout TO '2s'",
    ),

    // Records that \`once\` handled a key. Fails with the code TXF01 if it was handled or added
    // meanwhile.
    procedure(
      "remember(new_key text, keep_ms bigint) RETURNS void",
      `BEGIN
        INSERT INTO ${schema}.handled AS old (key, expires_at) VALUES (new_key, ${now} + keep_ms)
        ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at
        WHERE old.expires_at <= ${now};
        IF NOT FOUND THEN
          RAISE SQLSTATE 'TXF01';
        END IF;
        -- Waits for a receipt of the key that is not committed. A later one sees the row above.
        INSERT INTO ${schema}.delivery (key, lane, event, headers, received_at, body)
        VALUES (new_key, '', '', '{}', '', '')
        ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING;
        IF FOUND THEN
          DELETE FROM ${schema}.delivery WHERE key = new_key;
        ELSIF EXISTS (
          SELECT FROM ${schema}.delivery WHERE key = new_key AND NOT quarantined
        ) THEN
          RAISE SQLSTATE 'TXF01';
        ELSE
          PERFORM ${schema}.discard(
            (SELECT json_agg(id) FROM ${schema}.delivery WHERE key = new_key), NULL
          );
        END IF;
      END`,
    ),

    // Deletes keys that have expired, and the leases of processes that ended during \`once\`.
    // Returns how many keys.
    procedure(
      "sweep(most integer) RETURNS TABLE (total bigint)",
      `DECLARE
        -- A variable, because a condition with a volatile function would read the whole index.
        moment bigint := ${now};
        names text[];
      BEGIN
        -- Locks no lane that had a waiting delivery, because \`take\` skips locked lanes.
        SELECT array_agg(empty.name) INTO names FROM (
          SELECT name FROM ${schema}.lane
          WHERE token IS NOT NULL AND due_at + 0 < moment - 60000 AND NOT EXISTS (
            SELECT FROM ${schema}.delivery WHERE lane = name AND NOT quarantined OFFSET 0
          ) ORDER BY due_at + 0 LIMIT most FOR UPDATE SKIP LOCKED
        ) AS empty;
        -- In a statement of its own, which sees what was added before the lanes were locked.
        DELETE FROM ${schema}.lane WHERE name = ANY (names)
          AND NOT EXISTS (
            SELECT FROM ${schema}.delivery WHERE lane = name AND NOT quarantined OFFSET 0
          )
          AND NOT EXISTS (
            SELECT FROM ${schema}.delivery WHERE lane = name AND quarantined OFFSET 0
          );
        RETURN QUERY
        WITH deleted AS (
          DELETE FROM ${schema}.handled WHERE key = ANY (ARRAY(
            SELECT key FROM ${schema}.handled WHERE expires_at <= moment
            ORDER BY expires_at LIMIT most FOR UPDATE SKIP LOCKED
          )) RETURNING 1
        )
        SELECT count(*) FROM deleted;
      END`,
    ),
  ];
}

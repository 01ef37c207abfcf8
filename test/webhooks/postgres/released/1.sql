-- Version 1 of the schema with rows, written by pg_dump. Do not change it: later versions must migrate it.



SET client_encoding = 'SQL_ASCII';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;


CREATE SCHEMA txfeed;



CREATE FUNCTION txfeed.discard(ids bigint[]) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
    DECLARE
      names text[];
      woken text[];
      total bigint;
    BEGIN
      SELECT array_agg(locked.name) INTO names FROM (
        SELECT name FROM "txfeed".lane
        WHERE name IN (SELECT delivery.lane FROM "txfeed".delivery WHERE id = ANY (ids))
        ORDER BY name FOR UPDATE
      ) AS locked;
      WITH deleted AS (
        DELETE FROM "txfeed".delivery WHERE id = ANY (ids) RETURNING lane, quarantined
      )
      SELECT count(*), array_agg(lane) FILTER (WHERE NOT quarantined) INTO total, woken
      FROM deleted;
      -- A delay and interruptions may be those of a deleted delivery.
      UPDATE "txfeed".lane SET
        due_at = CASE WHEN token IS NOT NULL THEN due_at WHEN EXISTS (
          SELECT FROM "txfeed".delivery WHERE lane = name AND NOT quarantined
        ) THEN clock_timestamp() END,
        interruptions = CASE WHEN token IS NULL THEN 0 ELSE 1 END
      WHERE name = ANY (woken);
      -- A lane with a lease stays, because its worker ends it.
      PERFORM "txfeed".remove_empty(names);
      RETURN total;
    END $$;



CREATE FUNCTION txfeed.lock_of(name text) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    RETURN hashtextextended(('"txfeed" '::text || name), (0)::bigint);



CREATE FUNCTION txfeed.receive(deliveries json, bodies json) RETURNS TABLE("position" bigint, result text)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    SET lock_timeout TO '2s'
    AS $$
    #variable_conflict use_column
    DECLARE
      moment timestamptz := clock_timestamp();
      known text[];
      added text[];
      repeated text[];
      again bigint[];
    BEGIN
      -- LIMIT prevents a plan that reads the whole tables.
      SELECT array_agg(found.key) INTO known
      FROM json_to_recordset(deliveries) AS input (key text)
      CROSS JOIN LATERAL (
        (SELECT delivery.key FROM "txfeed".delivery WHERE delivery.key = input.key LIMIT 1)
        UNION ALL
        (SELECT handled.key FROM "txfeed".handled
          WHERE handled.key = input.key AND handled.expires_at > moment LIMIT 1)
      ) AS found;

      -- The update locks the lane, also if it changes nothing. In order, to avoid deadlocks.
      INSERT INTO "txfeed".lane AS lane (name, due_at)
      SELECT DISTINCT input.lane COLLATE "C", moment
      FROM json_to_recordset(deliveries) AS input (key text, lane text)
      WHERE known IS NULL OR input.key IS NULL OR input.key <> ALL (known)
      ORDER BY 1
      ON CONFLICT (name) DO UPDATE SET due_at = COALESCE(lane.due_at, excluded.due_at);

      -- The ids are assigned under the locks and after sorting.
      WITH inserted AS (
        INSERT INTO "txfeed".delivery
          (key, lane, event, headers, delivery_id, received_at, body)
        SELECT input.key, input.lane, input.event, input.headers, input.delivery_id,
          input.received_at, input.body
        FROM ROWS FROM (
          json_to_recordset(deliveries) AS (
            key text, lane text, event text, headers json, delivery_id text,
            received_at timestamptz
          ),
          json_array_elements_text(bodies)
        ) WITH ORDINALITY
          AS input (key, lane, event, headers, delivery_id, received_at, body, "position")
        WHERE known IS NULL OR input.key IS NULL OR input.key <> ALL (known)
        ORDER BY input."position"
        ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING
        RETURNING delivery.key
      )
      SELECT array_agg(inserted.key) INTO added FROM inserted WHERE inserted.key IS NOT NULL;

      -- Other transactions can no longer add these keys. Find those that were added and handled
      -- since the first statement.
      SELECT array_agg(handled.key) INTO repeated
      FROM unnest(added) AS input (key) JOIN "txfeed".handled ON handled.key = input.key
      WHERE handled.expires_at > moment;
      IF repeated IS NOT NULL THEN
        DELETE FROM "txfeed".delivery WHERE delivery.key = ANY (repeated);
      END IF;

      IF known IS NULL AND repeated IS NULL AND COALESCE(cardinality(added), 0) = (
        SELECT count(input.key) FROM json_to_recordset(deliveries) AS input (key text)
      ) THEN
        RETURN;
      END IF;

      RETURN QUERY
      WITH found AS MATERIALIZED (
        SELECT input."position", delivery.id, delivery.quarantined, handled.key IS NOT NULL AS done
        FROM ROWS FROM (json_to_recordset(deliveries) AS (key text)) WITH ORDINALITY
          AS input (key, "position")
        LEFT JOIN "txfeed".delivery ON delivery.key = input.key
        LEFT JOIN "txfeed".handled ON handled.key = input.key AND handled.expires_at > moment
        WHERE input.key IS NOT NULL
          AND (added IS NULL OR input.key <> ALL (added) OR input.key = ANY (repeated))
      )
      SELECT found."position", CASE
        WHEN found.quarantined THEN
          CASE WHEN "txfeed".replay(ARRAY[found.id]) = 1 THEN 'replayed' ELSE 'again' END
        WHEN found.id IS NOT NULL THEN 'waiting'
        WHEN found.done THEN 'handled'
        ELSE 'again'
      END
      FROM found;
    END $$;



CREATE FUNCTION txfeed.remember(new_key text, keep_ms bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
    BEGIN
      IF new_key IS NULL THEN
        RETURN true;
      END IF;
      INSERT INTO "txfeed".handled AS old (key, expires_at)
      VALUES (new_key, clock_timestamp() + keep_ms * interval '1 millisecond')
      ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at
      WHERE old.expires_at <= clock_timestamp();
      IF NOT FOUND THEN
        RETURN false;
      END IF;
      -- Waits for a receipt of the same key that is not committed. A later one sees the row above.
      INSERT INTO "txfeed".delivery (key, lane, event, headers, received_at, body)
      VALUES (new_key, '', '', '{}', clock_timestamp(), '')
      ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING;
      IF FOUND THEN
        DELETE FROM "txfeed".delivery WHERE key = new_key;
        RETURN true;
      END IF;
      IF EXISTS (SELECT FROM "txfeed".delivery WHERE key = new_key AND NOT quarantined) THEN
        RETURN false;
      END IF;
      PERFORM "txfeed".discard(ARRAY(SELECT id FROM "txfeed".delivery WHERE key = new_key));
      RETURN true;
    END $$;



CREATE FUNCTION txfeed.remove_empty(names text[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
    BEGIN
      DELETE FROM "txfeed".lane WHERE name = ANY (names) AND token IS NULL
        AND NOT EXISTS (SELECT FROM "txfeed".delivery WHERE lane = name AND NOT quarantined)
        AND NOT EXISTS (SELECT FROM "txfeed".delivery WHERE lane = name AND quarantined);
    END $$;



CREATE FUNCTION txfeed.renew(leases json, lease_ms bigint) RETURNS TABLE(lane text)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
    #variable_conflict use_column
    BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      RETURN QUERY
      WITH held AS MATERIALIZED (
        SELECT lane.name FROM json_to_recordset(leases) AS lease (lane text, token uuid)
        JOIN "txfeed".lane ON lane.name = lease.lane AND lane.token = lease.token
        ORDER BY lane.name FOR UPDATE OF lane
      ), renewed AS (
        UPDATE "txfeed".lane
        SET due_at = clock_timestamp() + lease_ms * interval '1 millisecond'
        FROM held WHERE lane.name = held.name
        RETURNING lane.name
      )
      SELECT lease.lane FROM json_to_recordset(leases) AS lease (lane text)
      WHERE lease.lane COLLATE "C" NOT IN (SELECT renewed.name FROM renewed);
    END $$;



CREATE FUNCTION txfeed.replay(ids bigint[]) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
    DECLARE
      names text[];
      total bigint;
    BEGIN
      SELECT array_agg(locked.name) INTO names FROM (
        SELECT name FROM "txfeed".lane
        WHERE name IN (SELECT delivery.lane FROM "txfeed".delivery WHERE id = ANY (ids))
        ORDER BY name FOR UPDATE
      ) AS locked;
      UPDATE "txfeed".delivery SET quarantined = false, failures = 0, reason = NULL
      WHERE id = ANY (ids) AND quarantined;
      SELECT count(*) INTO total FROM "txfeed".delivery WHERE id = ANY (ids);
      -- The interruptions may be those of another delivery.
      UPDATE "txfeed".lane SET
        due_at = CASE WHEN token IS NULL THEN LEAST(due_at, clock_timestamp()) ELSE due_at END,
        interruptions = CASE WHEN token IS NULL THEN 0 ELSE 1 END
      WHERE name = ANY (names);
      RETURN total;
    END $$;



CREATE FUNCTION txfeed.reserve(wanted_key text, wanted_lane text) RETURNS text
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
    #variable_conflict use_column
    BEGIN
      IF NOT COALESCE(pg_try_advisory_xact_lock("txfeed".lock_of('=' || wanted_lane)), true)
        OR NOT COALESCE(pg_try_advisory_xact_lock("txfeed".lock_of('key ' || wanted_key)), true)
      THEN
        RETURN 'busy';
      END IF;
      IF EXISTS (
        SELECT FROM "txfeed".handled WHERE key = wanted_key AND expires_at > clock_timestamp()
      ) THEN
        RETURN 'handled';
      END IF;
      IF EXISTS (
        SELECT FROM "txfeed".delivery WHERE key = wanted_key AND NOT quarantined
      ) OR EXISTS (
        SELECT FROM "txfeed".delivery WHERE lane = '=' || wanted_lane AND NOT quarantined
      ) THEN
        RETURN 'busy';
      END IF;
      RETURN 'free';
    END $$;



CREATE FUNCTION txfeed.settle(leases json, handled json, failed json, keep_ms bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
    #variable_conflict use_column
    DECLARE
      names text[];
    BEGIN
      -- If the process is stopped before its commit, the locks end with the connection.
      PERFORM set_config('idle_in_transaction_session_timeout', '5s', true);

      SELECT array_agg(held.name) INTO names FROM (
        SELECT lane.name FROM json_to_recordset(leases) AS lease (lane text, token uuid)
        JOIN "txfeed".lane ON lane.name = lease.lane AND lane.token = lease.token
        ORDER BY lane.name FOR UPDATE OF lane
      ) AS held;
      IF COALESCE(cardinality(names), 0) < json_array_length(leases) THEN
        RETURN false;
      END IF;

      WITH ended AS (
        DELETE FROM "txfeed".delivery
        USING json_array_elements_text(handled) AS input (id)
        WHERE delivery.id = input.id::bigint AND NOT delivery.quarantined
        RETURNING delivery.key
      )
      INSERT INTO "txfeed".handled (key, expires_at)
      SELECT ended.key, clock_timestamp() + keep_ms * interval '1 millisecond'
      FROM ended WHERE ended.key IS NOT NULL
      ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at;

      IF json_array_length(failed) > 0 THEN
        UPDATE "txfeed".delivery
        SET quarantined = input.quarantined, reason = input.reason,
          failures = delivery.failures + input.failures
        FROM json_to_recordset(failed)
          AS input (id bigint, quarantined boolean, reason text, failures integer)
        WHERE delivery.id = input.id AND NOT delivery.quarantined;
      END IF;

      UPDATE "txfeed".lane
      SET token = NULL,
        interruptions = CASE WHEN lease.changed THEN 0 ELSE lane.interruptions - 1 END,
        due_at = (
          SELECT clock_timestamp() + CASE WHEN delivery.id = lease.retry
            THEN lease.delay_ms * interval '1 millisecond' ELSE interval '0' END
          FROM "txfeed".delivery
          WHERE delivery.lane = lane.name AND NOT delivery.quarantined
          ORDER BY delivery.id LIMIT 1
        )
      FROM json_to_recordset(leases)
        AS lease (lane text, changed boolean, retry bigint, delay_ms bigint)
      WHERE lane.name = lease.lane;
      PERFORM "txfeed".remove_empty(names);
      RETURN true;
    END $$;



CREATE FUNCTION txfeed.take(max_lanes integer, max_deliveries integer, lease_ms bigint) RETURNS TABLE(lane text, token uuid, interruptions integer, id bigint, key text, event text, headers json, delivery_id text, received_at timestamp with time zone, failures integer, body text, missing bigint)
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
    #variable_conflict use_column
    DECLARE
      moment timestamptz := clock_timestamp();
      taken text[];
      emptied text[];
    BEGIN
      -- A crash of the server may undo this: nothing was handled yet.
      PERFORM set_config('synchronous_commit', 'off', true);

      WITH due AS MATERIALIZED (
        SELECT name, due_at FROM "txfeed".lane WHERE due_at <= moment
          -- While a delivery of the lane is handled without being stored, this fails.
          AND pg_try_advisory_xact_lock_shared("txfeed".lock_of(name))
        ORDER BY due_at LIMIT max_lanes FOR UPDATE SKIP LOCKED
      ), updated AS (
        UPDATE "txfeed".lane
        SET due_at = moment + lease_ms * interval '1 millisecond', token = gen_random_uuid(),
          interruptions = lane.interruptions + 1
        FROM due WHERE lane.name = due.name
        RETURNING lane.name, due.due_at
      )
      SELECT array_agg(updated.name ORDER BY updated.due_at) INTO taken FROM updated;
      IF taken IS NULL THEN
        RETURN;
      END IF;

      -- In a statement of its own, which sees what was settled before the lanes were locked.
      RETURN QUERY
      SELECT lane.name, lane.token, lane.interruptions - 1, head.id, head.key, head.event,
        head.headers, head.delivery_id, head.received_at, head.failures, head.body, (
          SELECT count(*) FROM "txfeed".delivery AS earlier
          WHERE earlier.lane = lane.name AND earlier.quarantined AND earlier.id < head.id
        )
      FROM unnest(taken) WITH ORDINALITY AS input (name, "position")
      JOIN "txfeed".lane ON lane.name = input.name
      CROSS JOIN LATERAL (
        -- Bodies of a lease have at most a million bytes, unless there is only one.
        SELECT * FROM (
          SELECT first.*, sum(octet_length(first.body)) OVER (ORDER BY first.id) AS bytes,
            row_number() OVER (ORDER BY first.id) AS place
          FROM (
            SELECT * FROM "txfeed".delivery
            WHERE delivery.lane = lane.name AND NOT delivery.quarantined
            ORDER BY delivery.id
            LIMIT CASE WHEN lane.interruptions = 1 THEN max_deliveries ELSE 1 END
          ) AS first
        ) AS summed
        WHERE summed.place = 1 OR summed.bytes <= 1000000
      ) AS head
      ORDER BY input."position", head.id;

      SELECT array_agg(input.name) INTO emptied FROM unnest(taken) AS input (name)
      WHERE NOT EXISTS (
        SELECT FROM "txfeed".delivery WHERE lane = input.name AND NOT quarantined
      );
      IF emptied IS NOT NULL THEN
        UPDATE "txfeed".lane SET token = NULL, due_at = NULL WHERE name = ANY (emptied);
        PERFORM "txfeed".remove_empty(emptied);
      END IF;
    END $$;





CREATE TABLE txfeed.delivery (
    id bigint NOT NULL,
    key text COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    event text NOT NULL,
    headers json NOT NULL,
    delivery_id text,
    received_at timestamp with time zone NOT NULL,
    quarantined boolean DEFAULT false NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    reason text,
    body text NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_insert_scale_factor='0', autovacuum_vacuum_insert_threshold='20000');



ALTER TABLE txfeed.delivery ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME txfeed.delivery_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);



CREATE TABLE txfeed.handled (
    key text NOT NULL COLLATE pg_catalog."C",
    expires_at timestamp with time zone NOT NULL
);



CREATE TABLE txfeed.lane (
    name text NOT NULL COLLATE pg_catalog."C",
    due_at timestamp with time zone,
    token uuid,
    interruptions integer DEFAULT 0 NOT NULL
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='2000');



CREATE TABLE txfeed.migration (
    version integer NOT NULL,
    applied_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);



INSERT INTO txfeed.delivery OVERRIDING SYSTEM VALUE VALUES (3, 'first', '=two', 'transaction.updated', '{}', NULL, '2025-03-04 12:30:16.12+00', false, 0, NULL, '{}');
INSERT INTO txfeed.delivery OVERRIDING SYSTEM VALUE VALUES (4, 'second', '=two', 'transaction.updated', '{}', NULL, '2025-03-04 12:30:16.12+00', false, 0, NULL, '{}');
INSERT INTO txfeed.delivery OVERRIDING SYSTEM VALUE VALUES (6, 'leased', '=three', 'transaction.updated', '{}', NULL, '2025-03-04 12:30:16.12+00', false, 0, NULL, '{}');
INSERT INTO txfeed.delivery OVERRIDING SYSTEM VALUE VALUES (1, 'quarantined', '=one', 'transaction.updated', '{}', NULL, '2025-03-04 12:30:16.12+00', true, 3, 'broken', '{"a":"é"}');
INSERT INTO txfeed.delivery OVERRIDING SYSTEM VALUE VALUES (2, 'delayed', '=one', 'transaction.updated', '{"webhook-id":"msg_1"}', 'msg_1', '2025-03-04 12:30:16.12+00', false, 1, 'out of order', '{}');
INSERT INTO txfeed.delivery OVERRIDING SYSTEM VALUE VALUES (5, NULL, '#22222222-2222-4222-8222-222222222222', 'transaction.updated', '{}', NULL, '2025-03-04 12:30:16.12+00', false, 0, NULL, '{}');



INSERT INTO txfeed.handled VALUES ('handled', 'infinity');



INSERT INTO txfeed.lane VALUES ('=one', '2025-03-04 12:40:00+00', NULL, 0);
INSERT INTO txfeed.lane VALUES ('=two', '2025-03-04 12:40:00+00', NULL, 0);
INSERT INTO txfeed.lane VALUES ('=three', '2025-03-04 12:40:00+00', '11111111-1111-4111-8111-111111111111', 1);
INSERT INTO txfeed.lane VALUES ('#22222222-2222-4222-8222-222222222222', '2025-03-04 12:40:00+00', NULL, 0);



INSERT INTO txfeed.migration VALUES (1, '2025-03-04 12:00:00+00');



SELECT pg_catalog.setval('txfeed.delivery_id_seq', 6, true);



ALTER TABLE ONLY txfeed.delivery
    ADD CONSTRAINT delivery_pkey PRIMARY KEY (id);



ALTER TABLE ONLY txfeed.handled
    ADD CONSTRAINT handled_pkey PRIMARY KEY (key);



ALTER TABLE ONLY txfeed.lane
    ADD CONSTRAINT lane_pkey PRIMARY KEY (name);



ALTER TABLE ONLY txfeed.migration
    ADD CONSTRAINT migration_pkey PRIMARY KEY (version);



CREATE UNIQUE INDEX delivery_key ON txfeed.delivery USING btree (key) WHERE (key IS NOT NULL);



CREATE INDEX delivery_quarantined ON txfeed.delivery USING btree (lane, id) WHERE quarantined;



CREATE INDEX delivery_waiting ON txfeed.delivery USING btree (lane, id) WHERE (NOT quarantined);



CREATE INDEX handled_expiry ON txfeed.handled USING btree (expires_at);



CREATE INDEX lane_due ON txfeed.lane USING btree (due_at) WHERE (due_at IS NOT NULL);





import { SETTINGS } from "./settings.ts";

/** The functions that take lanes and end leases. */
export function leases(schema: string): readonly string[] {
  return [
    // Takes lanes. Returns the first deliveries of each.
    `CREATE FUNCTION ${schema}.take(max_lanes integer, max_deliveries integer, lease_ms bigint)
    RETURNS TABLE (
      lane text, token uuid, interruptions integer, id bigint, key text, event text, headers json,
      delivery_id text, received_at timestamptz, failures integer, body text, missing bigint
    ) LANGUAGE plpgsql ${SETTINGS} AS $$
    #variable_conflict use_column
    DECLARE
      moment timestamptz := clock_timestamp();
      taken text[];
      emptied text[];
    BEGIN
      -- A crash of the server may undo this: nothing was handled yet.
      PERFORM set_config('synchronous_commit', 'off', true);

      WITH due AS MATERIALIZED (
        SELECT name, due_at FROM ${schema}.lane WHERE due_at <= moment
          -- While a delivery of the lane is handled without being stored, this fails.
          AND pg_try_advisory_xact_lock_shared(${schema}.lock_of(name))
        ORDER BY due_at LIMIT max_lanes FOR UPDATE SKIP LOCKED
      ), updated AS (
        UPDATE ${schema}.lane
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
          SELECT count(*) FROM ${schema}.delivery AS earlier
          WHERE earlier.lane = lane.name AND earlier.quarantined AND earlier.id < head.id
        )
      FROM unnest(taken) WITH ORDINALITY AS input (name, "position")
      JOIN ${schema}.lane ON lane.name = input.name
      CROSS JOIN LATERAL (
        -- Bodies of a lease have at most a million bytes, unless there is only one.
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
        WHERE summed.place = 1 OR summed.bytes <= 1000000
      ) AS head
      ORDER BY input."position", head.id;

      SELECT array_agg(input.name) INTO emptied FROM unnest(taken) AS input (name)
      WHERE NOT EXISTS (
        SELECT FROM ${schema}.delivery WHERE lane = input.name AND NOT quarantined
      );
      IF emptied IS NOT NULL THEN
        UPDATE ${schema}.lane SET token = NULL, due_at = NULL WHERE name = ANY (emptied);
        PERFORM ${schema}.remove_empty(emptied);
      END IF;
    END $$`,

    // Deletes lanes without deliveries. The caller has locked them, so that none is added.
    `CREATE FUNCTION ${schema}.remove_empty(names text[]) RETURNS void
    LANGUAGE plpgsql ${SETTINGS} AS $$
    BEGIN
      DELETE FROM ${schema}.lane WHERE name = ANY (names) AND token IS NULL
        AND NOT EXISTS (SELECT FROM ${schema}.delivery WHERE lane = name AND NOT quarantined)
        AND NOT EXISTS (SELECT FROM ${schema}.delivery WHERE lane = name AND quarantined);
    END $$`,

    // Extends leases. Returns the lanes of those that were lost.
    `CREATE FUNCTION ${schema}.renew(leases json, lease_ms bigint)
    RETURNS TABLE (lane text) LANGUAGE plpgsql ${SETTINGS} AS $$
    #variable_conflict use_column
    BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      RETURN QUERY
      WITH held AS MATERIALIZED (
        SELECT lane.name FROM json_to_recordset(leases) AS lease (lane text, token uuid)
        JOIN ${schema}.lane ON lane.name = lease.lane AND lane.token = lease.token
        ORDER BY lane.name FOR UPDATE OF lane
      ), renewed AS (
        UPDATE ${schema}.lane
        SET due_at = clock_timestamp() + lease_ms * interval '1 millisecond'
        FROM held WHERE lane.name = held.name
        RETURNING lane.name
      )
      SELECT lease.lane FROM json_to_recordset(leases) AS lease (lane text)
      WHERE lease.lane COLLATE "C" NOT IN (SELECT renewed.name FROM renewed);
    END $$`,

    // Ends leases: records which deliveries were handled, go to quarantine or are retried. Returns
    // whether all leases were current; otherwise nothing was changed.
    `CREATE FUNCTION ${schema}.settle(leases json, handled json, failed json, keep_ms bigint)
    RETURNS boolean LANGUAGE plpgsql ${SETTINGS} AS $$
    #variable_conflict use_column
    DECLARE
      names text[];
    BEGIN
      -- If the process is stopped before its commit, the locks end with the connection.
      PERFORM set_config('idle_in_transaction_session_timeout', '5s', true);

      SELECT array_agg(held.name) INTO names FROM (
        SELECT lane.name FROM json_to_recordset(leases) AS lease (lane text, token uuid)
        JOIN ${schema}.lane ON lane.name = lease.lane AND lane.token = lease.token
        ORDER BY lane.name FOR UPDATE OF lane
      ) AS held;
      IF COALESCE(cardinality(names), 0) < json_array_length(leases) THEN
        RETURN false;
      END IF;

      WITH ended AS (
        DELETE FROM ${schema}.delivery
        USING json_array_elements_text(handled) AS input (id)
        WHERE delivery.id = input.id::bigint AND NOT delivery.quarantined
        RETURNING delivery.key
      )
      INSERT INTO ${schema}.handled (key, expires_at)
      SELECT ended.key, clock_timestamp() + keep_ms * interval '1 millisecond'
      FROM ended WHERE ended.key IS NOT NULL
      ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at;

      IF json_array_length(failed) > 0 THEN
        UPDATE ${schema}.delivery
        SET quarantined = input.quarantined, reason = input.reason,
          failures = delivery.failures + input.failures
        FROM json_to_recordset(failed)
          AS input (id bigint, quarantined boolean, reason text, failures integer)
        WHERE delivery.id = input.id AND NOT delivery.quarantined;
      END IF;

      UPDATE ${schema}.lane
      SET token = NULL,
        interruptions = CASE WHEN lease.changed THEN 0 ELSE lane.interruptions - 1 END,
        due_at = (
          SELECT clock_timestamp() + CASE WHEN delivery.id = lease.retry
            THEN lease.delay_ms * interval '1 millisecond' ELSE interval '0' END
          FROM ${schema}.delivery
          WHERE delivery.lane = lane.name AND NOT delivery.quarantined
          ORDER BY delivery.id LIMIT 1
        )
      FROM json_to_recordset(leases)
        AS lease (lane text, changed boolean, retry bigint, delay_ms bigint)
      WHERE lane.name = lease.lane;
      PERFORM ${schema}.remove_empty(names);
      RETURN true;
    END $$`,
  ];
}

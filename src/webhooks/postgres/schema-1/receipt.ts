import { SETTINGS } from "./settings.ts";

/** The function that stores deliveries. */
export function receipt(schema: string): readonly string[] {
  return [
    // Stores deliveries with different keys. Returns the positions (from 1) and results of those
    // that were not added; 'again' asks for another call, because the row changed meanwhile.
    `CREATE FUNCTION ${schema}.receive(deliveries json, bodies json)
    RETURNS TABLE ("position" bigint, result text) LANGUAGE plpgsql ${SETTINGS}
    -- A lane is locked for the time of a commit, unless its process was stopped just then.
    SET lock_timeout TO '2s' AS $$
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
        (SELECT delivery.key FROM ${schema}.delivery WHERE delivery.key = input.key LIMIT 1)
        UNION ALL
        (SELECT handled.key FROM ${schema}.handled
          WHERE handled.key = input.key AND handled.expires_at > moment LIMIT 1)
      ) AS found;

      -- The update locks the lane, also if it changes nothing. In order, to avoid deadlocks.
      INSERT INTO ${schema}.lane AS lane (name, due_at)
      SELECT DISTINCT input.lane COLLATE "C", moment
      FROM json_to_recordset(deliveries) AS input (key text, lane text)
      WHERE known IS NULL OR input.key IS NULL OR input.key <> ALL (known)
      ORDER BY 1
      ON CONFLICT (name) DO UPDATE SET due_at = COALESCE(lane.due_at, excluded.due_at);

      -- The ids are assigned under the locks and after sorting.
      WITH inserted AS (
        INSERT INTO ${schema}.delivery
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
      FROM unnest(added) AS input (key) JOIN ${schema}.handled ON handled.key = input.key
      WHERE handled.expires_at > moment;
      IF repeated IS NOT NULL THEN
        DELETE FROM ${schema}.delivery WHERE delivery.key = ANY (repeated);
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
        LEFT JOIN ${schema}.delivery ON delivery.key = input.key
        LEFT JOIN ${schema}.handled ON handled.key = input.key AND handled.expires_at > moment
        WHERE input.key IS NOT NULL
          AND (added IS NULL OR input.key <> ALL (added) OR input.key = ANY (repeated))
      )
      SELECT found."position", CASE
        WHEN found.quarantined THEN
          CASE WHEN ${schema}.replay(ARRAY[found.id]) = 1 THEN 'replayed' ELSE 'again' END
        WHEN found.id IS NOT NULL THEN 'waiting'
        WHEN found.done THEN 'handled'
        ELSE 'again'
      END
      FROM found;
    END $$`,
  ];
}

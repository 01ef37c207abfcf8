import { SETTINGS } from "./settings.ts";

/** The functions for operators and for deliveries that are not stored. */
export function operation(schema: string): readonly string[] {
  return [
    // Makes deliveries due. Returns how many there were.
    `CREATE FUNCTION ${schema}.replay(ids bigint[]) RETURNS bigint
    LANGUAGE plpgsql ${SETTINGS} AS $$
    DECLARE
      names text[];
      total bigint;
    BEGIN
      SELECT array_agg(locked.name) INTO names FROM (
        SELECT name FROM ${schema}.lane
        WHERE name IN (SELECT delivery.lane FROM ${schema}.delivery WHERE id = ANY (ids))
        ORDER BY name FOR UPDATE
      ) AS locked;
      UPDATE ${schema}.delivery SET quarantined = false, failures = 0, reason = NULL
      WHERE id = ANY (ids) AND quarantined;
      SELECT count(*) INTO total FROM ${schema}.delivery WHERE id = ANY (ids);
      -- The interruptions may be those of another delivery.
      UPDATE ${schema}.lane SET
        due_at = CASE WHEN token IS NULL THEN LEAST(due_at, clock_timestamp()) ELSE due_at END,
        interruptions = CASE WHEN token IS NULL THEN 0 ELSE 1 END
      WHERE name = ANY (names);
      RETURN total;
    END $$`,

    // Deletes deliveries. Returns how many there were.
    `CREATE FUNCTION ${schema}.discard(ids bigint[]) RETURNS bigint
    LANGUAGE plpgsql ${SETTINGS} AS $$
    DECLARE
      names text[];
      woken text[];
      total bigint;
    BEGIN
      SELECT array_agg(locked.name) INTO names FROM (
        SELECT name FROM ${schema}.lane
        WHERE name IN (SELECT delivery.lane FROM ${schema}.delivery WHERE id = ANY (ids))
        ORDER BY name FOR UPDATE
      ) AS locked;
      WITH deleted AS (
        DELETE FROM ${schema}.delivery WHERE id = ANY (ids) RETURNING lane, quarantined
      )
      SELECT count(*), array_agg(lane) FILTER (WHERE NOT quarantined) INTO total, woken
      FROM deleted;
      -- A delay and interruptions may be those of a deleted delivery.
      UPDATE ${schema}.lane SET
        due_at = CASE WHEN token IS NOT NULL THEN due_at WHEN EXISTS (
          SELECT FROM ${schema}.delivery WHERE lane = name AND NOT quarantined
        ) THEN clock_timestamp() END,
        interruptions = CASE WHEN token IS NULL THEN 0 ELSE 1 END
      WHERE name = ANY (woken);
      -- A lane with a lease stays, because its worker ends it.
      PERFORM ${schema}.remove_empty(names);
      RETURN total;
    END $$`,

    // The advisory lock of a lane or key.
    `CREATE FUNCTION ${schema}.lock_of(name text) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN hashtextextended('${schema.replaceAll("'", "''")} ' || name, 0)`,

    // Reserves a key and a lane until the end of the transaction, without waiting. Returns
    // 'free' if that worked, 'handled' or 'busy'.
    `CREATE FUNCTION ${schema}.reserve(wanted_key text, wanted_lane text)
    RETURNS text LANGUAGE plpgsql ${SETTINGS} AS $$
    #variable_conflict use_column
    BEGIN
      IF NOT COALESCE(pg_try_advisory_xact_lock(${schema}.lock_of('=' || wanted_lane)), true)
        OR NOT COALESCE(pg_try_advisory_xact_lock(${schema}.lock_of('key ' || wanted_key)), true)
      THEN
        RETURN 'busy';
      END IF;
      IF EXISTS (
        SELECT FROM ${schema}.handled WHERE key = wanted_key AND expires_at > clock_timestamp()
      ) THEN
        RETURN 'handled';
      END IF;
      IF EXISTS (
        SELECT FROM ${schema}.delivery WHERE key = wanted_key AND NOT quarantined
      ) OR EXISTS (
        SELECT FROM ${schema}.delivery WHERE lane = '=' || wanted_lane AND NOT quarantined
      ) THEN
        RETURN 'busy';
      END IF;
      RETURN 'free';
    END $$`,

    // Records that a reserved key was handled. Returns false if it was handled or added meanwhile.
    `CREATE FUNCTION ${schema}.remember(new_key text, keep_ms bigint) RETURNS boolean
    LANGUAGE plpgsql ${SETTINGS} AS $$
    BEGIN
      IF new_key IS NULL THEN
        RETURN true;
      END IF;
      INSERT INTO ${schema}.handled AS old (key, expires_at)
      VALUES (new_key, clock_timestamp() + keep_ms * interval '1 millisecond')
      ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at
      WHERE old.expires_at <= clock_timestamp();
      IF NOT FOUND THEN
        RETURN false;
      END IF;
      -- Waits for a receipt of the same key that is not committed. A later one sees the row above.
      INSERT INTO ${schema}.delivery (key, lane, event, headers, received_at, body)
      VALUES (new_key, '', '', '{}', clock_timestamp(), '')
      ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING;
      IF FOUND THEN
        DELETE FROM ${schema}.delivery WHERE key = new_key;
        RETURN true;
      END IF;
      IF EXISTS (SELECT FROM ${schema}.delivery WHERE key = new_key AND NOT quarantined) THEN
        RETURN false;
      END IF;
      PERFORM ${schema}.discard(ARRAY(SELECT id FROM ${schema}.delivery WHERE key = new_key));
      RETURN true;
    END $$`,
  ];
}

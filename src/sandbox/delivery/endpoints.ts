import { isDeepStrictEqual } from "node:util";
import { eventNames } from "../../../generated/events.ts";
import { accountFor } from "../../world/accounts.ts";
import { badRequest, notFound } from "../../world/refusal.ts";
import type { Endpoint, EndpointParams } from "../control/control.ts";
import type { Change } from "../engine.ts";
import { SeededRandom } from "../seeded-random.ts";
import type { SqliteStore } from "../store/store.ts";
import { SECRET_PREFIX } from "./request.ts";

/** The bytes of a random secret: the minimum of Standard Webhooks. */
const SECRET_BYTES = 24;

/**
 * The first draw for endpoints. It is far from all others, so that endpoints change no id of an
 * event.
 */
const ENDPOINT_DRAWS = 2 ** 42;

/**
 * Registers an endpoint, which receives events from now on. Returns the existing endpoint if one
 * has the same settings, so that a sandbox that is started again on the same file does not send
 * everything twice.
 *
 * @throws {Refusal} 400 if the secret is not base64, 404 for an unknown account
 */
export function addEndpoint(work: Change, params: EndpointParams): Endpoint {
  const { store } = work;
  const { secret, ordered = true } = params;
  // The URL parser ignores these characters, too.
  const url = params.url.trim().replaceAll(/[\t\n\r]/g, "");
  if (secret !== undefined) checkSecret(secret);
  // In the order of the contract, each once.
  const events = params.events ? eventNames.filter((name) => params.events?.includes(name)) : null;
  const { accountId: owner } = params;
  const accountId = owner === undefined ? null : accountFor(store, owner);
  const input = { url, events, accountId, ordered };
  const known = endpointsOf(store).find(({ id, ...one }) =>
    isDeepStrictEqual(one, { ...input, secret: secret ?? one.secret }),
  );
  if (known) return known;

  const random = endpointDraws(work);
  const endpoint = { ...input, id: random.id(), secret: secret ?? drawSecret(work, random) };
  store
    .sql(
      `INSERT INTO endpoints (id, seq, account_id, url, events, secret, ordered)
       VALUES (?, (SELECT coalesce(max(seq), 0) + 1 FROM endpoints), ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[endpoint.id, accountId, url, events ? JSON.stringify(events) : "*"],
      ...[endpoint.secret, Number(ordered)],
    );
  store.setMeta("endpoint-draws", String(random.drawn));
  return endpoint;
}

/**
 * Removes an endpoint and its waiting deliveries; ended ones stay in the log. Throws a Refusal 404.
 */
export function removeEndpoint({ store }: Change, id: string): void {
  const { changes } = store.sql("DELETE FROM endpoints WHERE id = ?").run(id);
  if (changes === 0) throw notFound("endpoint", id);
  store
    .sql(
      `DELETE FROM attempts WHERE delivery_seq IN
         (SELECT seq FROM deliveries WHERE endpoint_id = ? AND state = 'waiting')`,
    )
    .run(id);
  store.sql("DELETE FROM deliveries WHERE endpoint_id = ? AND state = 'waiting'").run(id);
}

/** Lists all endpoints, the oldest first. */
export function endpointsOf(store: SqliteStore): Endpoint[] {
  return store
    .sql("SELECT * FROM endpoints ORDER BY seq")
    .all()
    .map((row) => ({
      id: row["id"] as string,
      url: row["url"] as string,
      events: row["events"] === "*" ? null : JSON.parse(row["events"] as string),
      secret: row["secret"] as string,
      accountId: row["account_id"] as string | null,
      ordered: row["ordered"] === 1,
    }));
}

/** Checks the padding, which the pattern does not. The message must not contain the secret. */
function checkSecret(secret: string): void {
  const text = secret.slice(SECRET_PREFIX.length);
  const isBase64 = text !== "" && Buffer.from(text, "base64").toString("base64") === text;
  if (secret.startsWith(SECRET_PREFIX) && isBase64) return;
  throw badRequest(`secret must be ${SECRET_PREFIX} and base64 with padding`);
}

function endpointDraws({ store, random }: Change): SeededRandom {
  return new SeededRandom(random.seed, Number(store.meta("endpoint-draws") ?? ENDPOINT_DRAWS));
}

function drawSecret(work: Change, random: SeededRandom): string {
  const bytes = Buffer.from(work.secretOf(random.hex(2 * SECRET_BYTES)), "hex");
  return SECRET_PREFIX + bytes.toString("base64");
}

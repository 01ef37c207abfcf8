import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { eventNames } from "../../../generated/events.ts";
import { accountFor } from "../../world/accounts.ts";
import { EventName, Id, textLike } from "../../world/fields.ts";
import { badRequest, notFound } from "../../world/refusal.ts";
import type { Of } from "../../world/schema.ts";
import type { Change } from "../engine.ts";
import { SeededRandom } from "../seeded-random.ts";
import type { SqliteStore } from "../store/store.ts";
import { SECRET_PREFIX } from "./request.ts";

export const EndpointParams = z
  .strictObject({
    url: textLike(
      isReceiverUrl,
      "an http or https URL, with credentials that are percent-encoded",
      { format: "uri" },
    ).describe("An http or https URL."),
    events: z
      .array(EventName)
      .min(1)
      .describe("The events to deliver (WHK-06). Default: all.")
      .optional(),
    secret: textLike(/^whsec_[A-Za-z0-9+/]+={0,2}$/, "whsec_ and base64")
      .describe("The signing secret: `whsec_` and base64. Default: random.")
      .optional(),
    accountId: Id.describe(
      "The account whose events are delivered. Default: all accounts.",
    ).optional(),
    ordered: z
      .boolean()
      .describe("Whether the deliveries of a resource are sent in order. Default: true.")
      .optional(),
  })
  .describe("A webhook endpoint to register.");
export type EndpointParams = Of<typeof EndpointParams>;

export const Endpoint = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(EventName).nullable().describe("The events to deliver; null for all."),
    secret: z.string().describe("The signing secret: `whsec_` and base64."),
    accountId: z
      .string()
      .nullable()
      .describe("The account whose events are delivered; null for all accounts."),
    ordered: z.boolean(),
  })
  .describe("A registered webhook endpoint.");
export type Endpoint = Of<typeof Endpoint>;

/** Whether a request can be sent to a URL: http or https, and credentials that Node can decode. */
function isReceiverUrl(text: string): boolean {
  const trimmed = text.trim();
  const url = URL.parse(trimmed);
  if (!url || !/^https?:\/\//i.test(trimmed) || !/^https?:$/.test(url.protocol)) return false;
  try {
    for (const part of [url.username, url.password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

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

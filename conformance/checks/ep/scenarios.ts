import { contentHash } from "../../../src/contract/history/content-hash.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { once } from "../../assert.ts";
import type { Check } from "../../check.ts";
import { referencedResources } from "../../observe/deliveries/referenced-resources.ts";
import { WRITES_HINT } from "../../run/capabilities.ts";
import type { Session } from "../../run/session.ts";
import { Skip } from "../../run/skip.ts";
import { allDeliveries } from "../../scenarios/act.ts";
import { type Delivery, type Exchange, outcomeOf } from "../../wire/exchange.ts";

/** Checks of EP-07 and BLK-02 that complete the bank link of `--bank-link`. */
export const bankLinkCompletion: readonly Check[] = [
  // EP-07: PATCH /bank-links/{bankLinkId} completes a bank-link enrollment manually, and triggers
  // banklink.completed.
  {
    claims: ["EP-07.accepted"],
    title: "PATCH of an incomplete bank link returns 2xx",
    requires: ["writes", "bankLinkId", "state"],
    run: async (session) => {
      const { first } = await patched(session);
      const refusal = refusalOf(first);
      if (refusal) return refusal;
      return once(
        isSuccess(first) ? [] : [{ expected: "2xx", actual: outcomeOf(first), evidence: [first] }],
      );
    },
  },
  {
    claims: ["EP-07.triggers", "EP-07.names-link"],
    title: "PATCH of a bank link triggers its banklink.completed",
    requires: ["writes", "bankLinkId", "deliveries", "state"],
    run: async (session) => {
      const { first, sent } = await patched(session);
      if (!isSuccess(first)) return new Skip(`PATCH returned ${outcomeOf(first)}`);
      if (sent.length > 0) return once([]);
      const expected = `a banklink.completed of ${session.capabilities.bankLinkId}`;
      return once([{ expected, actual: "none was delivered", evidence: [first] }]);
    },
  },
  // BLK-02: Exactly one banklink.completed per completion, whether completed by PATCH, by the
  // hosted flow's notification or by the polling fallback.
  {
    claims: ["BLK-02.exactly-one"],
    title: "a completion by PATCH sends one banklink.completed",
    requires: ["writes", "bankLinkId", "deliveries", "state"],
    run: async (session) => {
      const { first, sent } = await patched(session);
      const [delivery] = sent;
      if (!delivery) return new Skip("PATCH sent no banklink.completed");
      // A duplicate delivery is not a second event.
      const contents = new Set(sent.map(({ json }) => contentHash(json)));
      if (contents.size === 1) return { ...once([]), situations: ["by-patch"] };
      const actual = `${contents.size} different events`;
      return once([
        { expected: "one event", actual, evidence: [delivery, ...sent.slice(1), first] },
      ]);
    },
  },
  {
    claims: ["BLK-02.exactly-one"],
    title: "PATCH of a completed bank link sends no second banklink.completed",
    requires: ["bankLinkId", "deliveries", "state"],
    run: async (session) => {
      if (!session.capabilities.writes) return new Skip("changes the target", WRITES_HINT);
      const { first, second, sent } = await patched(session);
      if (!isSuccess(first) || !second?.response || sent.length === 0) {
        return new Skip("no bank link was completed by PATCH");
      }
      // Fetching the referenced resources first leaves time for late deliveries.
      await referencedResources(session);
      const all = await allDeliveries(session);
      const more = completionsIn(all, session).filter(
        ({ nr }) => !sent.some((delivery) => delivery.nr === nr),
      );
      // A target that sends duplicates may send a duplicate of this delivery at any time.
      const areDuplicates = more.every((delivery) =>
        sent.some((one) => isDuplicateOf(one, delivery)),
      );
      if (more.length > 0 && areDuplicates && sendsDuplicates(all)) {
        return new Skip("the target sends duplicates, and this may be one");
      }
      return once(
        more.map((delivery) => {
          const expected = "no second banklink.completed after a second PATCH";
          return { expected, actual: "one was delivered", evidence: [delivery, second, ...sent] };
        }),
      );
    },
  },
];

/** The results of two PATCH requests to the bank link. */
interface Patched {
  readonly first: Exchange;
  /** The deliveries of banklink.completed before the second PATCH. */
  readonly sent: readonly Delivery[];
  /** Undefined if the first PATCH failed. */
  readonly second?: Exchange;
}

/** Completes the bank link once for all checks. Sends `{}`: the interface defines no body. */
function patched(session: Session): Promise<Patched> {
  return session.share("the bank link completed by PATCH", async (shared) => {
    const { bankLinkId = "", deliveries: receivesDeliveries } = shared.capabilities;
    const patch = () =>
      shared.call("PATCH /bank-links/{bankLinkId}", { path: { bankLinkId }, body: {} });
    const first = await patch();
    if (!isSuccess(first)) return { first, sent: [] };
    const sent = receivesDeliveries
      ? completionsIn(
          await allDeliveries(shared, (now) => completionsIn(now, shared).length > 0),
          shared,
        )
      : [];
    const second = await patch();
    // Settle, so that an unexpected second event arrives before the checks compare.
    if (shared.capabilities.verbs.includes("settle")) {
      await shared.drive("settle", undefined).catch(rethrowUnlessSkip);
    }
    return { first, sent, second };
  });
}

/** Ignores skips: a failed wait proves nothing. */
function rethrowUnlessSkip(error: unknown): void {
  if (!(error instanceof Skip)) throw error;
}

function completionsIn(deliveries: readonly Delivery[], { capabilities }: Session): Delivery[] {
  return deliveries.filter(
    ({ name, json }) =>
      name === "banklink.completed" && memberOf(json, "bankLinkId") === capabilities.bankLinkId,
  );
}

function isSuccess({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300;
}

/** Statuses that reject the request's body, which the interface does not define. */
const BODY_REJECTED = new Set([400, 409, 415, 422]);

function refusalOf({ response }: Exchange): Skip | undefined {
  const status = response?.status ?? 0;
  if (!BODY_REJECTED.has(status)) return undefined;
  return new Skip(
    `PATCH with an empty object returned ${status}: the interface leaves the body open`,
  );
}

/** Whether two deliveries have the same content and `webhook-id`. */
function isDuplicateOf(one: Delivery, other: Delivery): boolean {
  const id = (delivery: Delivery) => delivery.request.headers["webhook-id"];
  return contentHash(one.json) === contentHash(other.json) && id(one) === id(other);
}

/** Events that may legitimately occur twice. */
const REPEATABLE = ["banklink.completed", "bankaccount.state_changed"];

/** Whether the target has sent duplicate deliveries. */
function sendsDuplicates(deliveries: readonly Delivery[]): boolean {
  const contents = deliveries
    .filter(({ json, name }) => json !== undefined && !REPEATABLE.includes(name))
    .map(({ name, json }) => `${name} ${contentHash(json)}`);
  return new Set(contents).size < contents.length;
}

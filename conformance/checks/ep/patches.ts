import type { Situation } from "../../../generated/requirements.ts";
import { contentHash } from "../../../src/contract/history/content-hash.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, ClaimAssertions, once } from "../../assert.ts";
import type { Check, Session, SeveralClaims } from "../../check.ts";
import { referencedResources } from "../../observe/deliveries/api-lookups.ts";
import { findEvents, findEventsOf, textAt } from "../../observe/deliveries/find.ts";
import { isForSecondSubscription } from "../../observe/deliveries/reading.ts";
import { listAt } from "../../observe/feed.ts";
import type { CollectionOperation } from "../../observe/operations.ts";
import { isGone, itemsWithIds, listedSoon, MAX_PAGES } from "../../observe/pages.ts";
import { ordinalAt } from "../../observe/situations.ts";
import { LINK_STARTED } from "../../scripts/accounts.ts";
import { orSkip, Refused, Skip } from "../../skip.ts";
import { WRITES_HINT } from "../../target.ts";
import { allDeliveries, deliveriesSince, drive, hasVerbs, patchLink } from "../../verbs/drive.ts";
import { playedScript, requiredBy } from "../../verbs/script-checks.ts";
import { type Delivery, type Exchange, isSuccess, outcomeOf } from "../../wire/exchange.ts";

const PATCHED = ["incompleteLink", "deliveries", "state"] as const;
const NO_PATCH = "no bank link was completed by PATCH";

/** Checks of EP-06, EP-07 and BLK-02 that complete bank links. */
export const bankLinkCompletion: readonly Check[] = [
  // EP-07: PATCH /bank-links/{bankLinkId} completes a bank-link enrollment manually, and triggers
  // banklink.completed.
  {
    claims: ["EP-07.accepted"],
    title: "PATCH of an incomplete bank link returns 2xx",
    requires: ["writes", "incompleteLink", "state"],
    run: async (session) => {
      const { completed, missing } = await patchedLinks(session);
      const answered = completed.filter(({ first }) => !refusalOf(first));
      const skip = completed.map(({ first }) => refusalOf(first)).find((one) => one);
      const assertions = new Assertions();
      for (const { first } of answered) {
        const found = { expected: "2xx", actual: outcomeOf(first) };
        assertions.check(isSuccess(first), { ...found, evidence: [first] });
      }
      return answered.length === 0 && skip ? skip : assertions.result(NO_PATCH, missing);
    },
  },
  ofPatches(
    ["EP-07.triggers", "EP-07.names-link", "EP-07.only-that-link"],
    "PATCH of a bank link triggers the banklink.completed of that link",
    (assertions, { bankLinkId, first, sent, strays, incompleteId }, ordinal) => {
      const expected = `a banklink.completed of ${bankLinkId}`;
      assertions.of("EP-07.triggers", ...ordinal).wasDelivered(sent, expected, first);
      const [stray] = strays;
      if (sent.length > 0 || stray) {
        assertions.of("EP-07.names-link").check(sent.length > 0, {
          path: "/bankLinkId",
          expected: `${bankLinkId}, the link of the PATCH`,
          actual: String(memberOf(stray?.json, "bankLinkId")),
          evidence: [stray ?? first, first],
        });
      }
      if (incompleteId === undefined) return;
      const other = strays.find(({ json }) => memberOf(json, "bankLinkId") === incompleteId);
      assertions.of("EP-07.only-that-link").check(other === undefined, {
        expected: `no banklink.completed of ${incompleteId}, another link`,
        actual: "one was delivered",
        evidence: [other ?? first, first],
      });
    },
  ),
  {
    claims: ["EP-07.lists-accounts"],
    title: "the accounts of a link completed by PATCH are in GET /bank-accounts",
    requires: ["writes", ...PATCHED],
    run: async (session) => {
      const { completed, missing } = await patchedLinks(session);
      const events = completed.flatMap(({ sent }) => sent.slice(0, 1));
      const ids = events.flatMap(({ json }) => listAt(json, "bankAccounts").map(idIn));
      if (ids.length === 0) return new Skip(NO_PATCH);
      const assertions = new Assertions();
      for (const one of await listed(session, "GET /bank-accounts", ids)) {
        const expected = `bank account ${one.id} of the completed link`;
        const evidence = [one.page, ...events] as const;
        assertions.check(!isGone(one), { expected, actual: "not listed", evidence });
      }
      return assertions.result(NO_PATCH, missing);
    },
  },
  // EP-06: GET /bank-links is a collection of bank links.
  {
    claims: ["EP-06.lists-started"],
    title: "a bank link is listed after its start",
    requires: requiredBy(LINK_STARTED),
    run: async (session) => {
      const { world } = await playedScript(session, LINK_STARTED);
      const { bankLinkId } = world.idsOf("link 1");
      const [found] = await listed(session, "GET /bank-links", [bankLinkId]);
      if (!found || !isGone(found)) return once([]);
      const expected = `bank link ${bankLinkId}, which was started`;
      return once([{ expected, actual: "not listed", evidence: [found.page] }]);
    },
  },
  // BLK-02: Exactly one banklink.completed per completion, whether completed by PATCH, by the
  // hosted flow's notification or by the polling fallback.
  ofPatches(
    ["BLK-02.exactly-one"],
    "a completion by PATCH sends one banklink.completed",
    (assertions, { first, sent }) => {
      const [delivery] = sent;
      if (!delivery) return;
      // A duplicate delivery is not a second event.
      const contents = new Set(sent.map(({ json }) => contentHash(json)));
      assertions.of("BLK-02.exactly-one", "by-patch").check(contents.size === 1, {
        expected: "one event",
        actual: `${contents.size} different events`,
        evidence: [delivery, ...sent.slice(1), first],
      });
    },
  ),
  {
    claims: ["BLK-02.exactly-one"],
    title: "PATCH of a completed bank link sends no second banklink.completed",
    requires: PATCHED,
    run: async (session) => {
      if (!session.capabilities.writes) return new Skip("changes the target", WRITES_HINT);
      const { completed } = await patchedLinks(session);
      // Fetching the referenced resources first leaves time for late deliveries.
      await referencedResources(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      for (const { bankLinkId, second, sent } of completed) {
        if (!second?.response || sent.length === 0) continue;
        const events = findEventsOf(all, "banklink.completed", bankLinkId);
        const more = events.filter(({ nr }) => !sent.some((delivery) => delivery.nr === nr));
        // A target that sends duplicates may send a duplicate of this delivery at any time.
        const areDuplicates = more.every((delivery) =>
          sent.some((one) => isDuplicateOf(one, delivery)),
        );
        if (more.length > 0 && areDuplicates && sendsDuplicates(all)) {
          return new Skip("the target sends duplicates, and this may be one");
        }
        const expected = `no second banklink.completed of ${bankLinkId} after a second PATCH`;
        assertions.all(
          more.map((delivery) => {
            const evidence = [delivery, second, ...sent] as const;
            return { expected, actual: "one was delivered", evidence };
          }),
        );
      }
      return assertions.result(NO_PATCH);
    },
  },
];

/** Creates a check of the links that the run completed by PATCH. */
function ofPatches(
  claims: Check["claims"],
  title: string,
  inspect: (
    assertions: Pick<Assertions, "of">,
    link: PatchedLink,
    ordinal: readonly Situation[],
  ) => void,
): Check {
  return {
    claims: claims as SeveralClaims,
    title,
    requires: ["writes", ...PATCHED],
    run: async (session) => {
      const { completed, missing } = await patchedLinks(session);
      const assertions = new ClaimAssertions();
      const accepted = completed.filter(({ first }) => isSuccess(first));
      for (const [at, link] of accepted.entries()) {
        inspect(assertions, link, ordinalAt(at));
      }
      return assertions.result(NO_PATCH, missing);
    },
  };
}

/**
 * Looks for items in a list, which may lag.
 *
 * @throws {Skip} if the list can't be read to its end
 */
async function listed(session: Session, operation: CollectionOperation, ids: readonly string[]) {
  const found = await listedSoon(
    session,
    () => itemsWithIds(session, operation, ids, MAX_PAGES),
    (all) => !all.some(isGone),
  );
  if (found.every(({ isWhole }) => isWhole)) return found;
  throw new Skip(`${operation} could not be read to its end`);
}

function idIn(account: unknown): string {
  return String(memberOf(account, "id"));
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
    .filter((one) => one.json !== undefined && !REPEATABLE.includes(one.name))
    .filter((one) => !isForSecondSubscription(one))
    .map(({ name, json }) => `${name} ${contentHash(json)}`);
  return new Set(contents).size < contents.length;
}

/** A bank link that a PATCH completed, and that a second PATCH may not complete again. */
interface PatchedLink {
  readonly bankLinkId: string;
  readonly first: Exchange;
  /** The events of its completion before the second PATCH. */
  readonly sent: readonly Delivery[];
  /** The completions of other links until the second PATCH had its effect. */
  readonly strays: readonly Delivery[];
  /** A link that was incomplete all the time. */
  readonly incompleteId?: string;
  /** Undefined if the first PATCH failed. */
  readonly second?: Exchange;
}

/** Completes the link of `--bank-link`, and two links that the driver starts together. */
function patchedLinks(session: Session): Promise<PatchedLinks> {
  return session.share("bank links are completed by PATCH", async (own) => {
    const { bankLinkId } = own.capabilities;
    const completed: PatchedLink[] = [];
    let missing: Skip | undefined;
    const add = async (link: Promise<PatchedLink>) => {
      const found = await orSkip(link);
      if (found instanceof Skip) missing ??= found;
      else completed.push(found);
    };
    if (bankLinkId !== undefined) await add(patchGiven(own, bankLinkId));
    if (hasVerbs(own, "startLink")) {
      const pair = Promise.all([startLink(own), startLink(own)]);
      await add(pair.then(([one, other]) => patchTwice(own, one, other)));
      await add(pair.then(([, other]) => patchTwice(own, other)));
    }
    if (completed.length === 0 && missing) throw missing;
    return { completed, missing: missing instanceof Refused ? missing : undefined };
  });
}

/** The links that were patched, and the target's refusal of another one. */
interface PatchedLinks {
  readonly completed: readonly PatchedLink[];
  readonly missing: Skip | undefined;
}

async function startLink(session: Session): Promise<string> {
  return (await drive(session, "startLink", { accounts: [{ type: "depository" }] })).bankLinkId;
}

function isCompleted(bankLinkId: string) {
  return (deliveries: readonly Delivery[]) =>
    findEventsOf(deliveries, "banklink.completed", bankLinkId).length > 0;
}

/** Patches the link of `--bank-link`, unless something else has completed it. */
async function patchGiven(session: Session, bankLinkId: string): Promise<PatchedLink> {
  const earlier = session.capabilities.deliveries ? await session.deliveries() : [];
  if (isCompleted(bankLinkId)(earlier)) {
    throw new Skip(`bank link ${bankLinkId} was completed before the PATCH`);
  }
  return patchTwice(session, bankLinkId);
}

async function patchTwice(
  session: Session,
  bankLinkId: string,
  incompleteId?: string,
): Promise<PatchedLink> {
  const hasDeliveries = session.capabilities.deliveries;
  const since = hasDeliveries ? (await session.deliveries()).length : 0;
  const first = await patchLink(session, bankLinkId);
  if (!isSuccess(first)) return { bankLinkId, first, sent: [], strays: [] };
  const sent = hasDeliveries ? await deliveriesSince(session, since, isCompleted(bankLinkId)) : [];
  const second = await patchLink(session, bankLinkId);
  // An undue event of the second PATCH arrives before the checks compare.
  const all = hasDeliveries ? await deliveriesSince(session, since, () => true) : [];
  return {
    ...{ bankLinkId, first, second },
    sent: findEventsOf(sent, "banklink.completed", bankLinkId),
    strays: findEvents(all, "banklink.completed").filter(({ json }) => {
      return textAt(json, "/bankLinkId") !== bankLinkId;
    }),
    ...(incompleteId !== undefined && { incompleteId }),
  };
}

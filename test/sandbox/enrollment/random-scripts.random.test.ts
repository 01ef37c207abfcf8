import fc from "fast-check";
import { expect, test } from "vitest";
import { checkHistory, validateResponse } from "../../../src/contract/index.ts";
import { eventsOf } from "../../../src/sandbox/event-log.ts";
import { completeBankLink } from "../../../src/world/enrollment/bank-links.ts";
import type { VerbParams } from "../../../src/world/verbs/index.ts";
import { EnrollmentSandbox, type EnrollmentVerb } from "./enrollment-sandbox.ts";

/** Only a few last four digits, so that cards match accounts. */
const digits = fc.constantFrom("1111", "2222", "3333");
const network = fc.constantFrom("NETWORK_A", "NETWORK_C");
const place = fc.nat({ max: 5 });

/** Verbs with their resources, identified by position. */
const step = fc.oneof(
  fc.record({ verb: fc.constant("enroll" as const), last4: digits, network, place }),
  fc.record({
    verb: fc.constant("link-start" as const),
    accounts: fc.array(
      fc.record({ mask: digits, type: fc.constantFrom("CREDIT", "checking"), network }),
      { minLength: 1, maxLength: 3 },
    ),
    place,
  }),
  fc.record({
    verb: fc.constant("link-complete" as const),
    by: fc.constantFrom("notification" as const, "polling" as const),
    place,
  }),
  fc.record({ verb: fc.constant("link-card" as const), place }),
  fc.record({ verb: fc.constant("patch" as const), place }),
  fc.record({ verb: fc.constant("wait" as const), ms: fc.nat({ max: 40_000 }) }),
  fc.record({
    verb: fc.constantFrom("sca-pass" as const, "sca-fail", "upgrade", "deactivate"),
    place,
  }),
  fc.record({ verb: fc.constantFrom("feed-accept" as const, "feed-reject", "feed-submit"), place }),
  fc.record({ verb: fc.constantFrom("consent-expire" as const, "disconnect", "recover"), place }),
  fc.record({ verb: fc.constant("open-subaccount" as const), place }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const ABOUT = {
  enroll: ["subaccounts", "subaccountId"],
  "link-start": ["subaccounts", "subaccountId"],
  "link-complete": ["bank-links", "bankLinkId"],
  "link-card": ["cards", "cardId"],
  "sca-pass": ["card-subscriptions", "subscriptionId"],
  "sca-fail": ["card-subscriptions", "subscriptionId"],
  upgrade: ["card-subscriptions", "subscriptionId"],
  deactivate: ["card-subscriptions", "subscriptionId"],
  "feed-submit": ["subaccounts", "subaccountId"],
  "feed-accept": ["network-bulk-feeds", "feedId"],
  "feed-reject": ["network-bulk-feeds", "feedId"],
  "consent-expire": ["bank-accounts", "bankAccountId"],
  disconnect: ["bank-accounts", "bankAccountId"],
  recover: ["bank-accounts", "bankAccountId"],
} as const;

/** Runs a step, and checks that a refused step changes nothing. */
async function take(sandbox: EnrollmentSandbox, one: Step): Promise<void> {
  if (one.verb === "wait") return sandbox.scheduler.advance(one.ms);
  if (one.verb === "patch") {
    const link = sandbox.engine.store.latest("bank-links").at(one.place);
    if (link) sandbox.engine.commit((work) => completeBankLink(work, link.id));
    return;
  }
  const { verb, place, ...rest } = one;
  const params: Record<string, unknown> = { ...rest };
  if ("last4" in rest) {
    delete params["last4"];
    params["cardNumber"] = `40000000${rest.last4}`;
  }
  if (verb === "open-subaccount") params["accountId"] = sandbox.accountIds[place % 2];
  else {
    const [kind, member] = ABOUT[verb];
    const resource = sandbox.engine.store.latest(kind).at(place);
    // Use the verb's default if there is no such resource, and sometimes at random.
    if (resource && place !== 5) params[member] = resource.id;
  }
  sandbox.refusal(verb as EnrollmentVerb, params as VerbParams[EnrollmentVerb]);
}

/** Checks that every served body is valid and that links agree in both directions. */
function checkState({ engine: { store } }: EnrollmentSandbox): void {
  const findings = [
    ...store.latest("card-subscriptions").map(({ body }) => {
      return validateResponse("GET /card-subscriptions/{id}", 200, body).findings;
    }),
    ...store.latest("network-bulk-feeds").map(({ body }) => {
      return validateResponse("GET /network-bulk-feeds/{id}", 200, body).findings;
    }),
    ...store.latest("cards").map(({ body }) => {
      return validateResponse("GET /cards/{id}", 200, body).findings;
    }),
    ...store.latest("bank-accounts").map(({ body }) => {
      return validateResponse("GET /bank-accounts/{id}", 200, body).findings;
    }),
    ...store.latest("subaccounts").map(({ body }) => {
      return validateResponse("GET /subaccounts/{id}", 200, body).findings;
    }),
  ];
  expect(findings.flat().filter(({ level }) => level !== "notice")).toEqual([]);
  const byAccount = store
    .latest("bank-accounts")
    .flatMap(({ id, internal }) => internal.cardIds.map((cardId) => `${cardId} on ${id}`));
  const bySubscription = store
    .latest("card-subscriptions")
    .map(({ body }) => body)
    .filter(({ bankAccountId }) => bankAccountId !== undefined)
    .map(({ cardId, bankAccountId }) => `${cardId} on ${bankAccountId}`);
  expect(byAccount.toSorted()).toEqual(bySubscription.toSorted());
}

/** Checks that each announced resource matches its latest event. */
function checkLatest(sandbox: EnrollmentSandbox): void {
  const latest = new Map<string, unknown>();
  for (const { name, resource, body } of eventsOf(sandbox.engine.store, { limit: 100_000 })) {
    if (name.startsWith("cardsubscription")) latest.set(resource, body);
  }
  for (const { id, body } of sandbox.engine.store.latest("card-subscriptions")) {
    expect(latest.get(id)).toEqual(body);
  }
}

test("random scripts end in a state and a history without findings", () => {
  return fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 60, size: "max" }),
      async (steps) => {
        const sandbox = new EnrollmentSandbox();
        for (const one of steps) await take(sandbox, one);
        checkState(sandbox);
        checkLatest(sandbox);
        for (const accountId of sandbox.accountIds) {
          const events = eventsOf(sandbox.engine.store, { accountId, limit: 100_000 });
          const deliveries = events.map(({ name, body }) => {
            return { headers: { "webhook-event-type": name }, body };
          });
          const { findings } = await checkHistory(deliveries, { complete: true });
          expect(findings.filter(({ level }) => level !== "notice")).toEqual([]);
        }
      },
    ),
    { seed: 1, numRuns: 200 },
  );
});

test("the same seed and script give identical events, byte for byte", async () => {
  const [script = []] = fc.sample(fc.array(step, { minLength: 60, maxLength: 60 }), {
    seed: 7,
    numRuns: 1,
  });
  const logs: string[] = [];
  for (const seed of [3, 3, 4]) {
    const sandbox = new EnrollmentSandbox(seed);
    for (const one of script) await take(sandbox, one);
    logs.push(JSON.stringify(eventsOf(sandbox.engine.store, { limit: 100_000 })));
  }
  expect(logs[1]).toBe(logs[0]);
  expect(logs[2]).not.toBe(logs[0]);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { type AnsweringOperation, validateResponse } from "../../src/contract/index.ts";
import { Refusal } from "../../src/sandbox/refusal.ts";
import type { Kind } from "../../src/sandbox/store/resources.ts";
import type { VerbName, VerbParams } from "../../src/sandbox/verbs/params.ts";
import { Stage } from "./stage.ts";

const SCRIPTS = Number(process.env["TXFEED_SCRIPTS"] ?? 1000);

const GETS: Record<Kind, AnsweringOperation> = {
  subaccounts: "GET /subaccounts/{id}",
  cards: "GET /cards/{id}",
  "card-subscriptions": "GET /card-subscriptions/{id}",
  "network-bulk-feeds": "GET /network-bulk-feeds/{id}",
  "bank-links": "GET /bank-links" as AnsweringOperation,
  "bank-accounts": "GET /bank-accounts/{id}",
  "bank-transactions": "GET /bank-transactions/{subaccountId}/{id}",
  transactions: "GET /transactions/{transactionId}",
  "transaction-messages": "GET /transaction-messages/{id}",
  "transaction-matches": "GET /transaction-matches/{subaccountId}/{matchId}",
};

/** A step: a verb with some of its parameters, or the turn of the clock. */
type Step = { verb: VerbName; params: object } | { advance: string };

const amount = fc.constantFrom(10, 20, 30, 42.5, 60, 90, 100);
const merchant = fc.record({ descriptor: fc.constantFrom("CORNER CAFE 12", "HAFEN ELEKTRO GMBH") });
const description = fc.constantFrom("CORNER CAFE DUBLIN", "HAFEN ELEKTRO", "CARD PAYMENT 1234");
const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(shape, { requiredKeys: [] });

const params: { [Name in VerbName]: fc.Arbitrary<Partial<VerbParams[Name]>> } = {
  purchase: some({
    amount,
    merchant,
    result: fc.constantFrom("APPROVED" as const, "APPROVED" as const, "DECLINED" as const),
    currency: fc.constantFrom("EUR", "USD", "JPY"),
    billingCurrency: fc.constant("EUR"),
  }),
  clear: some({ amount }),
  "clear-partial": some({ amount }),
  "bank-post": some({
    amount,
    description,
    pending: fc.boolean(),
    transactionType: fc.constantFrom("debit" as const, "debit" as const, "credit" as const),
  }),
  "late-card-data": some({ amount, merchant }),
  "retire-duplicate": fc.constant({}),
  "provider-remove": fc.constant({}),
  rematch: fc.constant({}),
  enrich: fc.constant({}),
  enroll: some({
    cardNumber: fc.constantFrom("4000000000001111", "4000000000002222", "4000000000003333"),
  }),
  "sca-pass": fc.constant({}),
  "sca-fail": fc.constant({}),
  upgrade: fc.constant({}),
  deactivate: fc.constant({}),
  "feed-submit": some({ expectedCardCount: fc.constantFrom(1, 2) }),
  "feed-accept": some({ cards: fc.constantFrom(1, 2) }),
  "feed-reject": fc.constant({}),
  "link-start": some({
    accounts: fc.constantFrom(
      [{ mask: "1111", type: "Credit Card" }],
      [
        { mask: "2222", type: "depository/checking" },
        { mask: "0001", type: "credit" },
      ],
    ),
  }),
  "link-complete": some({ by: fc.constantFrom("notification" as const, "polling" as const) }),
  "link-card": fc.constant({}),
  "consent-expire": fc.constant({}),
  disconnect: fc.constant({}),
  recover: fc.constant({}),
  "open-subaccount": fc.constant({}),
  "switch-projection": fc.record({ on: fc.boolean() }),
};

/** Money moves more often than the rest. */
const often: readonly VerbName[] = ["purchase", "bank-post", "bank-post", "clear", "clear-partial"];

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .constantFrom(...(Object.keys(params) as VerbName[]), ...often, ...often)
      .chain((verb) => params[verb].map((told) => ({ verb, params: told }))),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("10s", "9h", "2d", "15d").map((advance) => ({ advance })),
  },
);

/** What there has to be before anything can move. */
const opening: readonly Step[] = [
  { verb: "enroll", params: { cardNumber: "4000000000001111" } },
  { verb: "sca-pass", params: {} },
  {
    verb: "link-complete",
    params: {},
  },
];

async function play(stage: Stage, steps: readonly Step[]): Promise<number> {
  let done = 0;
  for (const next of steps) {
    try {
      if ("advance" in next) await stage.advance(next.advance);
      else stage.do(next.verb, next.params as never);
      done += 1;
    } catch (error) {
      // A verb that does not apply is refused, and changes nothing.
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return done;
}

/** What the contract holds against the resources as they are served. */
function brokenResources({ engine }: Stage): string[] {
  return (Object.keys(GETS) as Kind[]).flatMap((kind) =>
    kind === "bank-links"
      ? []
      : engine.store.latest(kind).flatMap(({ id, body }) =>
          validateResponse(GETS[kind], 200, body)
            .findings.filter(({ level }) => level !== "notice")
            .map(({ requirement, message }) => `${kind} ${id}: ${requirement} ${message}`),
        ),
  );
}

/** Where what was sent last, or once, is not what is served (MSG-09, TXN-11, CONV-09). */
function differences(stage: Stage): string[] {
  const { store } = stage.engine;
  const last = new Map<string, unknown>();
  for (const { name, body } of stage.events()) {
    const { id } = body as { id: string };
    if (name === "transactionmessage.created") last.set(`transaction-messages/${id}`, body);
    if (name.startsWith("transaction.") && !name.includes("match")) {
      last.set(`transactions/${id}`, body);
    }
    if (name.startsWith("cardsubscription.")) last.set(`card-subscriptions/${id}`, body);
  }
  return [...last].flatMap(([path, body]) => {
    const [kind = "", id = ""] = path.split("/");
    const { _embedded: _, ...served } = store.find(kind as Kind, id).body as {
      _embedded?: unknown;
    };
    const { _embedded: __, ...sent } = body as { _embedded?: unknown };
    return JSON.stringify(served) === JSON.stringify(sent) ? [] : [path];
  });
}

/** Where money is counted twice or not at all: a movement is a card's, or its own, or gone. */
function miscounted({ engine: { store } }: Stage): string[] {
  return store.latest("bank-transactions").flatMap(({ id, hidden }) => {
    const { posting, matchId, standaloneId, deleted } = hidden;
    const standalone = standaloneId === null ? undefined : store.find("transactions", standaloneId);
    const isAlone = standalone !== undefined && !standalone.hidden.netted;
    const settling = store
      .latest("transactions")
      .filter((one) => one.hidden.authorized !== null)
      .flatMap((one) => one.hidden.messages)
      .filter((note) => note.bankTransactionId === id && !note.superseded);
    const problems: string[] = [];
    if (posting.pending && (matchId !== null || standalone))
      problems.push("is pending, and counts");
    if (!posting.pending && !deleted && (matchId !== null) === isAlone) {
      problems.push(isAlone ? "is matched, and stands alone" : "counts nowhere");
    }
    if (isAlone && settling.length > 0) problems.push("stands alone, and settles a purchase");
    if (settling.length > 1) problems.push("settles twice");
    return problems.map((problem) => `bank transaction ${id} ${problem}`);
  });
}

test(`${SCRIPTS} random scripts end in a state that the contract finds nothing wrong with`, async () => {
  let steps = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (script) => {
      const stage = new Stage();
      steps += await play(stage, [...opening, ...script]);
      expect(await stage.faults()).toEqual([]);
      expect(brokenResources(stage)).toEqual([]);
      expect(differences(stage)).toEqual([]);
      expect(miscounted(stage)).toEqual([]);
      stage.engine.store.database.close();
    }),
    { numRuns: SCRIPTS, seed: 5 },
  );
  expect(steps).toBeGreaterThan(SCRIPTS * 5);
}, 600_000);

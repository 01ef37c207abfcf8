import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkHistory } from "../../../conformance/deliveries/history.ts";
import { validatedResponse } from "../../../conformance/feed/validation.ts";
import { arbitraryScenario } from "../../../src/fixtures/arbitraries.ts";
import { type ScenarioName, scenario, scenarioNames } from "../../../src/fixtures/index.ts";
import {
  brokenBy,
  capabilitiesWith,
  captured,
  emptyFeed,
  requirementsBrokenBy,
  type Sent,
} from "./captured.ts";

const DRIVEN = { verbs: ["authorize", "settle"] } as const;

describe("a history that nothing is wrong with", () => {
  test.each(scenarioNames)("%s breaks nothing as it was sent, be the run driven or not", (name) => {
    expect(brokenBy(captured(scenario(name)))).toEqual([]);
    expect(brokenBy(captured(scenario(name)), DRIVEN)).toEqual([]);
  });

  test("breaks nothing in any order, with any repeats", () => {
    fc.assert(
      fc.property(
        arbitraryScenario().chain((deliveries) =>
          fc.record({
            once: fc.shuffledSubarray(deliveries, { minLength: deliveries.length }),
            again: fc.subarray(deliveries),
            atOnce: fc.boolean(),
            seed: fc.nat(),
          }),
        ),
        ({ once, again, atOnce, seed }) => {
          const all = [...once];
          for (const one of again) all.splice(seed % (all.length + 1), 0, one);
          expect(brokenBy(captured(all, { atOnce }))).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("breaks nothing of what a run heard from the middle on, as the API had it before", () => {
    fc.assert(
      fc.property(arbitraryScenario(), fc.nat(), (deliveries, seed) => {
        const from = seed % deliveries.length;
        const heard = captured(deliveries).slice(from);
        const feed = feedWith(deliveries.slice(0, from));
        expect(brokenBy(heard, { feed })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

/** What the API tells where all this had happened before it was asked. */
function feedWith(sent: readonly Sent[]) {
  const exchange = {
    nr: 1,
    request: { method: "GET", url: "http://127.0.0.1/transactions", headers: {} },
    response: { status: 200, headers: {}, body: JSON.stringify(sent) },
    durationMs: 1,
  };
  return emptyFeed([validatedResponse("GET /transactions", exchange, capabilitiesWith())]);
}

/** A story without its nth delivery of a name, from 0. */
function without(name: ScenarioName, event: string, nth = 0): Sent[] {
  let seen = -1;
  return scenario(name).filter(({ headers }) => {
    if (headers["webhook-event-type"] === event) seen += 1;
    return headers["webhook-event-type"] !== event || seen !== nth;
  });
}

test.each<[ScenarioName, string, number, string]>([
  ["purchase-settled-by-bank", "transactionmessage.created", 0, "CONV-09"],
  ["purchase-settled-by-bank", "transaction.created", 0, "WHK-05"],
  ["purchase-settled-by-bank", "banktransaction.created", 0, "MAT-04"],
  ["purchase-settled-by-bank", "transaction.updated", 0, "TXN-12"],
  ["bank-only-movement", "banktransaction.created", 0, "MSG-11"],
  ["bank-only-movement", "transactionmessage.created", 0, "TXN-15"],
  ["bank-only-movement", "transaction.created", 0, "TXN-15"],
  ["late-card-match-settle-first", "transaction.updated", 1, "TXN-14"],
  ["deletion-of-matched-bank-transaction", "transaction.match.deleted", 0, "BTX-05"],
  ["deletion-of-matched-bank-transaction", "banktransaction.deleted", 0, "BTX-05"],
  ["deletion-of-matched-bank-transaction", "transaction.match.created", 0, "MAT-05"],
  ["deletion-of-twin", "banktransaction.created", 1, "BTX-04"],
  ["forced-rematch", "transaction.match.deleted", 0, "MAT-07"],
  ["cardholder-enrollment", "cardsubscription.created", 0, "SUB-09"],
  ["cardholder-enrollment", "cardsubscription.updated", 0, "SUB-05"],
  ["link-with-bank-feed-cards", "cardsubscription.created", 1, "BLK-05"],
])("of %s without its %s, number %i, %s tells", (name, event, nth, requirement) => {
  const heard = without(name, event, nth);
  expect(requirementsBrokenBy(captured(heard))).toContain(requirement);
  expect(brokenBy(captured(heard.toReversed(), { atOnce: true }))).not.toEqual([]);
});

describe("a second match", () => {
  /** The one match of a story again, with other ids. */
  const twice = (match: object, side: object, confidence: object): Sent[] => {
    const sent: Sent[] = scenario("purchase-settled-by-bank");
    const created = sent.filter(
      ({ headers }) => headers["webhook-event-type"] === "transaction.match.created",
    );
    const again = created.map(({ headers, body }): Sent => {
      const { cardTransaction, ...rest } = body as { cardTransaction: object };
      const other = { ...rest, ...match, ...confidence };
      return { headers, body: { ...other, cardTransaction: { ...cardTransaction, ...side } } };
    });
    return [...sent, ...again];
  };
  const other = { matchId: "5d1b3f0c-0000-4000-8000-000000000002" };
  const purchase = { id: "5d1b3f0c-0000-4000-8000-000000000003" };
  const low = { confidence: "LOW", score: 0.3 };

  test("of the same posting and purchase is one too many, however sure", () => {
    expect(requirementsBrokenBy(captured(twice(other, {}, low)))).toContain("MAT-07");
    expect(requirementsBrokenBy(captured(twice(other, {}, {})))).toContain("MAT-07");
  });

  test("with another purchase may be a candidate where it is not sure", () => {
    expect(requirementsBrokenBy(captured(twice(other, purchase, {})))).toContain("MAT-07");
    expect(brokenBy(captured(twice(other, purchase, low)))).toEqual([]);
  });
});

test("a settlement by a match below HIGH is a warning", () => {
  const unsure = scenario("purchase-settled-by-bank").map(({ headers, body }): Sent => {
    const isMatch = headers["webhook-event-type"] === "transaction.match.created";
    return { headers, body: isMatch ? { ...body, confidence: "LOW", score: 0.3 } : body };
  });
  const { breaches } = checkHistory(captured(unsure), emptyFeed(), capabilitiesWith());
  expect([...breaches.keys()]).toEqual(["TXN-12"]);
  expect(breaches.get("TXN-12")?.map(({ isWarning }) => isWarning)).toEqual([true]);
});

test("what is missing of what the API had before is not owed", () => {
  const heard = without("purchase-settled-by-bank", "transaction.created");
  const feed = feedWith(scenario("purchase-settled-by-bank").slice(4, 6));
  expect(brokenBy(captured(heard), { feed })).toEqual([]);
});

test("nothing is owed where the API could not be walked to its end", () => {
  const feed = { ...emptyFeed(), walks: new Map() };
  const heard = without("bank-only-movement", "transaction.created");
  expect(brokenBy(captured(heard), { feed })).toEqual([]);
});

test("nothing is owed where a delivery could not be read: it may have been that one", () => {
  const heard = captured(without("bank-only-movement", "transaction.created"));
  const [{ json: _, ...unreadable }] = captured(scenario("bank-only-movement")) as [
    (typeof heard)[0],
  ];
  expect(brokenBy([...heard, unreadable])).toEqual([]);
});

test("a contradiction is told whatever the API had before", () => {
  const message = scenario("bank-only-movement")[2] as Sent;
  const other = { ...message, body: { ...Object(message.body), result: "DECLINED" } };
  const heard = captured([message, other]);
  expect(requirementsBrokenBy(heard, { feed: feedWith([message]) })).toEqual(["MSG-09"]);
});

describe("the order of arrival", () => {
  const swapped = (name: ScenarioName, one: number, other: number) => {
    const all: Sent[] = scenario(name);
    [all[one], all[other]] = [all[other] as Sent, all[one] as Sent];
    return all;
  };

  test.each<[string, ScenarioName, number, number]>([
    ["SUB-09", "cardholder-enrollment", 0, 1],
    ["TXN-15", "bank-only-movement", 2, 3],
    ["BTX-05", "deletion-of-matched-bank-transaction", 10, 11],
  ])("breaks %s only where the run is driven, and the deliveries are apart", (id, name, a, b) => {
    const sent = swapped(name, a, b);
    expect(brokenBy(captured(sent))).toEqual([]);
    expect(brokenBy(captured(sent, { atOnce: true }), DRIVEN)).toEqual([]);
    expect(requirementsBrokenBy(captured(sent), DRIVEN)).toEqual([id]);
  });

  test("tells nothing where it is now the one and now the other of the same kind", () => {
    const some = [1, 2, 3].map((seed) => scenario("purchase-cleared-by-network-alone", { seed }));
    const [first = []] = some;
    const early = [first[1], first[0], ...first.slice(2)] as Sent[];
    const late = swapped("cardholder-enrollment", 0, 1);
    const all = [...early, ...some.slice(1).flat(), ...late];
    expect(brokenBy(captured(all), DRIVEN)).toEqual([]);
  });
});

describe("the turns of a bank account", () => {
  const id = "5d1b3f0c-0000-4000-8000-000000000001";
  const turns = (...states: string[]): Sent[] =>
    states.map((turn) => {
      const [previousState, state] = turn.split(" ");
      const body = { bankAccountId: id, state, previousState, reason: null, expiresAt: null };
      return { headers: { "webhook-event-type": "bankaccount.state_changed" }, body };
    });
  const [LOST, BACK, ENDED, CUT] = [
    ...["active disconnected", "disconnected active"],
    ...["active auth_required", "auth_required disconnected"],
  ] as [string, string, string, string];

  test.each([
    [[LOST, BACK]],
    [[BACK, LOST]],
    [[LOST, LOST, BACK]],
    [[BACK, ENDED, CUT]],
    [[CUT, BACK, LOST]],
    [[LOST, BACK, LOST, BACK, LOST]],
  ])("%j can have happened in some order", (states) => {
    expect(brokenBy(captured(turns(...states)))).toEqual([]);
  });

  test.each([[[LOST, ENDED]], [[LOST, CUT]]])("%j can't have happened in any", (states) => {
    expect(requirementsBrokenBy(captured(turns(...states)))).toEqual(["BAC-03"]);
  });

  test("are judged in the order of arrival where the run is driven", () => {
    const states = [ENDED, "active disconnected", BACK];
    expect(brokenBy(captured(turns(...states)))).toEqual([]);
    expect(requirementsBrokenBy(captured(turns(...states)), DRIVEN)).toEqual(["BAC-03"]);
  });
});

const EXAMPLES = "/work/shared/examples/histories/";

describe.skipIf(!existsSync(EXAMPLES))("the labelled examples", () => {
  const index = existsSync(EXAMPLES)
    ? (JSON.parse(readFileSync(`${EXAMPLES}histories.json`, "utf8")) as Example[])
    : [];
  interface Example {
    readonly file: string;
    readonly expect: string;
    readonly requirement?: string;
  }
  test.each(index)("$file is judged as its label says", ({ file, requirement, ...label }) => {
    const lines = readFileSync(EXAMPLES + file, "utf8")
      .trim()
      .split("\n");
    const found = requirementsBrokenBy(captured(lines.map((line) => JSON.parse(line) as Sent)));
    if (label.expect === "valid" || label.expect === "notice") expect(found).toEqual([]);
    else expect(found).toContain(requirement);
  });
});

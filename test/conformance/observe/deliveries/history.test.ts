import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Verb } from "../../../../conformance/driver.ts";
import { checkHistory } from "../../../../conformance/observe/deliveries/history.ts";
import { validatedResponse } from "../../../../conformance/observe/validation.ts";
import { arbitraryScenario } from "../../../../src/fixtures/arbitraries.ts";
import { type ScenarioName, scenario, scenarioNames } from "../../../../src/fixtures/index.ts";
import { ROOT } from "../../../document.ts";
import {
  brokenBy,
  capabilitiesWith,
  captured,
  emptyFeed,
  requirementsBrokenBy,
  type Sent,
} from "./captured.ts";

const DRIVEN = { verbs: ["authorize", "settle"] } as const;

describe("a valid history", () => {
  test.each(scenarioNames)("%s in order has no breaches, with or without a driver", (name) => {
    expect(brokenBy(captured(scenario(name)))).toEqual([]);
    expect(brokenBy(captured(scenario(name)), DRIVEN)).toEqual([]);
  });

  test("has no breaches in any order, with duplicates", () => {
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

  test.each<[ScenarioName, string, object]>([
    ["purchase-cleared-by-network", "transaction.updated", {}],
    ["purchase-cleared-by-network-alone", "transaction.updated", {}],
    [
      "bulk-feed-with-expected-card-count",
      "networkbulkfeed.statechanged",
      { oldState: "active", newState: "ended" },
    ],
  ])("%s may have another, later %s", (name, event, change) => {
    const sent: Sent[] = scenario(name);
    const last = sent.findLast(({ headers }) => headers["webhook-event-type"] === event) as Sent;
    const body = { ...Object(last.body), ...change, updatedAt: "2030-01-01T00:00:00.000Z" };
    expect(brokenBy(captured([...sent, { ...last, body }]))).toEqual([]);
  });

  test("has no breaches if the run starts in the middle", () => {
    fc.assert(
      fc.property(arbitraryScenario(), fc.nat(), (deliveries, seed) => {
        const from = seed % deliveries.length;
        const capture = captured(deliveries).slice(from);
        const feed = feedWith(deliveries.slice(0, from));
        expect(brokenBy(capture, { feed })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

/** A feed as if these deliveries had been sent before the API was read. */
function feedWith(sent: readonly Sent[]) {
  const exchange = {
    nr: 1,
    request: { method: "GET", url: "http://127.0.0.1/transactions", headers: {} },
    response: { status: 200, headers: {}, body: JSON.stringify(sent) },
    durationMs: 1,
  };
  return emptyFeed([validatedResponse("GET /transactions", exchange, capabilitiesWith())]);
}

/** A scenario without its nth delivery of an event, starting at 0. */
function without(name: ScenarioName, event: string, nth = 0): Sent[] {
  let seen = -1;
  return scenario(name).filter(({ headers }) => {
    if (headers["webhook-event-type"] === event) seen += 1;
    return headers["webhook-event-type"] !== event || seen !== nth;
  });
}

test.each<[ScenarioName, string, number, string]>([
  ["purchase-settled-by-bank", "transactionmessage.created", 0, "CONV-09"],
  ["purchase-settled-by-bank", "transaction.updated", 0, "TXN-12"],
  ["bank-only-movement", "banktransaction.created", 0, "MSG-11"],
  ["bank-only-movement", "transaction.created", 0, "TXN-15"],
  ["deletion-of-matched-bank-transaction", "transaction.match.deleted", 0, "BTX-05"],
  ["deletion-of-matched-bank-transaction", "transaction.match.created", 0, "MAT-05"],
  ["deletion-of-twin", "banktransaction.created", 1, "BTX-04"],
  ["forced-rematch", "transaction.match.deleted", 0, "MAT-07"],
  ["cardholder-enrollment", "cardsubscription.updated", 0, "SUB-05"],
  ["link-with-bank-feed-cards", "cardsubscription.created", 1, "BLK-05"],
])("%s without its %s number %i breaks %s", (name, event, nth, requirement) => {
  const capture = without(name, event, nth);
  expect(requirementsBrokenBy(captured(capture))).toContain(requirement);
  expect(brokenBy(captured(capture.toReversed(), { atOnce: true }))).not.toEqual([]);
});

test("without a driver, a missing event of a resource from before the run is a notice", () => {
  const capture = captured(without("purchase-settled-by-bank", "transaction.created"));
  const feed = feedWith(scenario("purchase-settled-by-bank").slice(4, 6));
  const noticesWith = (...verbs: Verb[]) =>
    checkHistory(capture, feed, capabilitiesWith(verbs)).notices;
  const [notice] = noticesWith().filter(({ claim }) => claim === "WHK-05.before-updated");
  expect(notice?.evidence[0]).toMatchObject({ name: "transaction.updated" });
  expect(noticesWith("authorize")).toEqual([]);
});

test("events of resources from before the run are not required", () => {
  const capture = without("purchase-settled-by-bank", "transaction.created");
  const feed = feedWith(scenario("purchase-settled-by-bank").slice(4, 6));
  expect(brokenBy(captured(capture), { feed })).toEqual([]);
});

test("no event is required if the API was not read to its end, or a delivery is unreadable", () => {
  const capture = captured(without("bank-only-movement", "transaction.created"));
  expect(brokenBy(capture)).not.toEqual([]);
  expect(brokenBy(capture, { feed: { ...emptyFeed(), walks: new Map() } })).toEqual([]);
  const [{ json: _, ...unreadable } = Object()] = capture;
  expect(brokenBy([...capture, unreadable])).toEqual([]);
});

test("a contradiction is reported even for older resources", () => {
  const message = scenario("bank-only-movement")[2] as Sent;
  const other = { ...message, body: { ...Object(message.body), result: "DECLINED" } };
  const capture = captured([message, other]);
  expect(requirementsBrokenBy(capture, { feed: feedWith([message]) })).toEqual(["MSG-09"]);
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
  ])("breaks %s only for sequential deliveries of a driven run", (id, name, a, b) => {
    const sent = swapped(name, a, b);
    expect(brokenBy(captured(sent))).toEqual([]);
    expect(brokenBy(captured(sent, { atOnce: true }), DRIVEN)).toEqual([]);
    expect(requirementsBrokenBy(captured(sent), DRIVEN)).toEqual([id]);
  });

  test("is ignored if it varies between deliveries of one kind", () => {
    // Without the enrollment of the card.
    const some = [1, 2, 3].map((seed) =>
      scenario("purchase-cleared-by-network-alone", { seed }).slice(2),
    );
    const [first = []] = some;
    const early = [first[1], first[0], ...first.slice(2)] as Sent[];
    const late = swapped("cardholder-enrollment", 0, 1);
    const all = [...early, ...some.slice(1).flat(), ...late];
    expect(brokenBy(captured(all), DRIVEN)).toEqual([]);
  });
});

describe("the state changes of a bank account", () => {
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
  ])("%j are possible in some order", (states) => {
    expect(brokenBy(captured(turns(...states)))).toEqual([]);
  });

  test.each([[[LOST, ENDED]], [[LOST, CUT]]])("%j are impossible in any order", (states) => {
    expect(requirementsBrokenBy(captured(turns(...states)))).toEqual(["BAC-03"]);
  });

  test("are checked in order of arrival in a driven run", () => {
    const states = [ENDED, "active disconnected", BACK];
    expect(brokenBy(captured(turns(...states)))).toEqual([]);
    expect(requirementsBrokenBy(captured(turns(...states)), DRIVEN)).toEqual(["BAC-03"]);
  });
});

const EXAMPLES = `${ROOT}../shared/examples/histories/`;

describe.skipIf(!existsSync(EXAMPLES))("the labelled examples", () => {
  const index = existsSync(EXAMPLES)
    ? (JSON.parse(readFileSync(`${EXAMPLES}histories.json`, "utf8")) as Example[])
    : [];
  interface Example {
    readonly file: string;
    readonly expect: string;
    readonly requirement?: string;
  }
  test.each(index)("$file has the findings of its label", ({ file, requirement, ...label }) => {
    const lines = readFileSync(EXAMPLES + file, "utf8")
      .trim()
      .split("\n");
    const found = requirementsBrokenBy(captured(lines.map((line) => JSON.parse(line) as Sent)));
    if (label.expect === "valid" || label.expect === "notice") expect(found).toEqual([]);
    else expect(found).toContain(requirement);
  });
});

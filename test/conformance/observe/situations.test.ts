import { expect, test } from "vitest";
import { situationsIn, situationsOf } from "../../../conformance/observe/situations.ts";
import { DEFAULT_NETWORKS } from "../../../src/contract/networks.ts";

const exchange = (json: object) => ({
  nr: 1,
  request: { method: "GET", url: "http://127.0.0.1/feed/v2/transactions", headers: {} },
  durationMs: 1,
  response: { status: 200, headers: {}, body: JSON.stringify(json), json },
});

test.each([
  [{ network: "NETWORK_C", messageType: "AUTH_REQU" }, ["network-c", "authorization"]],
  [{ network: "OPEN_BANKING", cardId: null }, ["bank-only", "cardless"]],
  [{ network: "OPEN_BANKING", cardId: "1" }, ["bank-only", "linked-card"]],
  [{ enrollmentType: "bank-feed" }, ["bank-feed"]],
  [{ confidence: "LOW" }, ["confidence-low"]],
  [{ supersededMessageIds: ["1", "2"] }, ["superseded-one", "superseded-two"]],
  [{ network: "ANOTHER" }, []],
  [null, []],
])("%j shows %j", (body, situations) => {
  expect(situationsOf(body, DEFAULT_NETWORKS)).toEqual(situations);
});

test("a list shows the situations of its items, a single resource its own", () => {
  const cards = [{ network: "NETWORK_A" }, { network: "NETWORK_B" }];
  const list = exchange({ _embedded: { cards } });
  expect(situationsIn(list, DEFAULT_NETWORKS)).toEqual(["listed", "network-a", "network-b"]);
  const single = exchange({ network: "NETWORK_A", _embedded: { messages: [{}] } });
  expect(situationsIn(single, DEFAULT_NETWORKS)).toEqual(["alone", "network-a", "projected"]);
});

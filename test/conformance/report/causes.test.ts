import { expect, test } from "vitest";
import { causesOf } from "../../../conformance/report/causes.ts";
import type { Cause } from "../../../conformance/report/report.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { broken, delivery, exchange, finding } from "./some-report.ts";

const ID = "4b6172b3-39b6-49d9-a1ed-224ccd57488a";
const TXN = `/transactions/${ID}`;

/** The exchange or the delivery that `/cards`, `/cards 500`, `/cards lost` or an event name means. */
function trafficOf(where: string, nr: number) {
  if (!where.startsWith("/")) return delivery(nr, where);
  const [path = "", status = "200"] = where.replace("{id}", ID).split(" ");
  return exchange(nr, path, status === "lost" ? "no response" : Number(status));
}

/** The causes of findings in the form `ID | where | path | actual | expected`. */
function causesIn(...findings: readonly string[]): readonly Cause[] {
  const seen = findings.map((text) => text.split(" | "));
  const places = [...new Set(seen.map(([, where = ""]) => where))];
  const reports = [...Map.groupBy(seen, ([id]) => id as RequirementId)].map(([id, own]) =>
    broken(
      id,
      own.map(([, where = "", path, actual, expected]) =>
        finding(id, { path, actual, expected, evidence: [places.indexOf(where) + 1] }),
      ),
    ),
  );
  const traffic = places.map((where, at) => trafficOf(where, at + 1));
  return causesOf(reports, traffic);
}

test.each<[why: string, findings: string[], causes: string]>([
  [
    "two failing endpoints are two",
    ["PAGE-03 | /cards 500", "PAGE-03 | /bank-links 500"],
    "PAGE-03, PAGE-03",
  ],
  [
    "three that fail alike are one",
    ["PAGE-03 | /cards 500", "PAGE-03 | /bank-links 500", "PAGE-03 | /transactions 500"],
    "PAGE-03",
  ],
  [
    "three that fail differently are three",
    ["PAGE-03 | /cards 500", "PAGE-03 | /bank-links 500", "PAGE-03 | /cards/{id} 404 |  | 404"],
    "PAGE-03, PAGE-03, PAGE-03",
  ],
  [
    "an endpoint without a response is one",
    [
      "EP-02 | /cards?limit=1 lost |  | no response (reset)",
      "PAGE-01 | /cards lost |  | no response (reset)",
    ],
    "EP-02 PAGE-01",
  ],
  [
    "of two requirements at one place, a malformed value comes first",
    [
      'CONV-03 | event | /transactionDate | string "now" | a date',
      'TXN-01 | event | /transactionDate | string "now" | a date',
    ],
    "CONV-03 TXN-01",
  ],
  [
    "but a missing value last",
    [
      "CONV-03 | event | /transactionDate | nothing | a date",
      "TXN-01 | event | /transactionDate | nothing | a date",
    ],
    "TXN-01 CONV-03",
  ],
  [
    "as does an empty string",
    [
      'CONV-03 | event | /transactionDate | string "" | a date',
      'TXN-01 | event | /transactionDate | string "" | a date',
    ],
    "TXN-01 CONV-03",
  ],
  [
    "the requirement whose sentence names the member comes first",
    ["BAC-03 | event | /expiresAt | b | a", "BAC-04 | event | /expiresAt | b | a"],
    "BAC-04 BAC-03",
  ],
  [
    "two missing members are two",
    ["TXN-01 | event | /id | nothing", "TXN-01 | event | /status | nothing"],
    "TXN-01, TXN-01",
  ],
  [
    "three missing members are one",
    [
      "TXN-01 | event | /a | nothing",
      "TXN-01 | event | /b | nothing",
      "TXN-01 | event | /c | nothing",
    ],
    "TXN-01",
  ],
  [
    "both settled amounts of one wrong sum are one",
    [
      "TXN-09 | event | /transactionSettledAmount | 20 | 31.19",
      "TXN-09 | event | /cardholderBillingSettledAmount | 20 | 31.19",
    ],
    "TXN-09",
  ],
  [
    "timestamps of one wrong form are one",
    [
      'CONV-02 | /cards/{id} | /createdAt | string "2025" | milliseconds',
      'CONV-02 | event | /updatedAt | string "2025" | milliseconds',
    ],
    "CONV-02",
  ],
  [
    "a missing and a wrong member are two",
    ["TXN-01 | event | /status | nothing | x", 'TXN-10 | event | /status | string "X" | x'],
    "TXN-01, TXN-10",
  ],
  [
    "a token that is accepted everywhere is one",
    [
      ...["/cards", "/bank-links", "/transactions"].map(
        (path) => `AUTH-07 | ${path} |  | 200 | 401`,
      ),
      "ERR-01 | /transactions |  | 200 | 401",
    ],
    "AUTH-07 ERR-01",
  ],
  [
    "an outcome that joins two causes merges them",
    [
      "CONV-06 | /cards | /_links/self | nothing | a value",
      "PAGE-04 | /bank-links | /_links/self | nothing | a value",
      "PAGE-04 | /cards | /_links/self | nothing | a value",
    ],
    "PAGE-04 CONV-06",
  ],
  [
    "errors come before warnings",
    ["CONV-07 | /cards | /a | x", "EP-06 | /bank-links | /b | x"],
    "EP-06, CONV-07",
  ],
  [
    "of two requirements that need each other, the one with more findings comes first",
    ["BAC-01 | /cards/{id} | /a", "BAC-04 | event | /b", "BAC-04 | event | /b"],
    "BAC-04, BAC-01",
  ],
  [
    "in either direction",
    ["BAC-01 | /cards/{id} | /a", "BAC-01 | /cards/{id} | /a", "BAC-04 | event | /b"],
    "BAC-01, BAC-04",
  ],
])("%s", (_, findings, causes) => {
  const requirements = causesIn(...findings).map((cause) => cause.requirements.join(" "));
  expect(requirements.join(", ")).toBe(causes);
});

test("a cause has a message, its worst level, its places and its findings", () => {
  const failing = causesIn(
    "CONV-09 | /api/cards 500 | /_links/card",
    "CONV-09 | /api/cards/{id} 500 | /_links/card",
    "EP-02 | /api/cards 500",
    "PAGE-02 | /api/cards 500 |  | 500 | a 4xx, or a page",
  );
  expect(failing).toMatchObject([
    {
      ...{ message: "GET /cards returned 500", level: "error", findings: 4, evidence: [1] },
      requirements: ["EP-02", "PAGE-02", "CONV-09"],
      places: ["GET /cards", "GET /cards/{id}"],
    },
  ]);
  const mcc = causesIn(
    "TXN-05 | /transactions | /_embedded/transactions/0/acceptor/mcc | number 5812 | string",
    "TXN-05 | /transactions | /_embedded/transactions/17/acceptor/mcc | number 5812 | string",
    "TXN-05 | /transactions/{id} | /acceptor/mcc | number 5812 | string",
    "TXN-05 | transaction.created | /acceptor/mcc | number 5812 | string",
  );
  const places = [
    "GET /transactions /_embedded/transactions/[]/acceptor/mcc",
    "GET /transactions/{transactionId} /acceptor/mcc",
    "transaction.created /acceptor/mcc",
  ];
  expect(mcc).toMatchObject([{ findings: 4, places }]);
});

test("a cause whose requirement needs another one is its consequence, and gives it its level", () => {
  const causes = causesIn("MAT-08 | event | /a", "TXN-07 | /cards | /b");
  expect(causes).toMatchObject([
    { requirements: ["TXN-07"] },
    { requirements: ["MAT-08"], consequenceOf: "TXN-07" },
  ]);
  expect(causes[0]).not.toHaveProperty("consequenceOf");
  // MSG-12 is derived: alone, it is a warning.
  expect(causesIn("TXN-09 | event | /a", "MSG-12 | /cards | /b")).toMatchObject([
    { requirements: ["MSG-12"], level: "error" },
    { requirements: ["TXN-09"], consequenceOf: "MSG-12" },
  ]);
});

test("a comparison names the other body", () => {
  const traffic = [exchange(1, TXN), delivery(2, "transaction.match.created")];
  const compared = finding("MSG-09", { path: "/traceId", evidence: [1, 2] });
  expect(causesOf([broken("MSG-09", [compared])], traffic)).toMatchObject([
    { details: ["compared with transaction.match.created"] },
  ]);
});

test("the shortest exchange shows a cause, with the id and the addends of a sum", () => {
  const message = (amount: number, superseded: boolean) => ({
    ...{ id: `m-${amount}`, messageType: "FINL_ADVC", transactionAmount: amount, superseded },
  });
  const transaction = {
    ...{ id: ID, transactionSettledAmount: 3 },
    _embedded: { messages: [message(1, false), message(2, true)] },
  };
  const list = { _embedded: { transactions: [transaction, transaction] } };
  const traffic = [
    exchange(1, "/transactions", 200, JSON.stringify(list)),
    exchange(2, TXN, 200, JSON.stringify(transaction)),
  ];
  const found = ["/_embedded/transactions/0", ""].map((at, nr) =>
    finding("TXN-09", { path: `${at}/transactionSettledAmount`, actual: "3", evidence: [nr + 1] }),
  );
  expect(causesOf([broken("TXN-09", found)], traffic)).toMatchObject([
    {
      evidence: [2],
      details: [
        `id ${ID}`,
        "transactionAmount of its messages:",
        "  1  FINL_ADVC m-1",
        "  2  FINL_ADVC m-2, superseded",
      ],
    },
  ]);
});

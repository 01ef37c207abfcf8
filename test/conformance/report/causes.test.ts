import { expect, test } from "vitest";
import { causesOf } from "../../../conformance/report/causes.ts";
import type { RequirementReport } from "../../../conformance/report/report.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { broken, delivery, exchange, finding } from "./some-report.ts";

const ID = "4b6172b3-39b6-49d9-a1ed-224ccd57488a";

/** The requirements of each cause. */
const idsOf = (reports: readonly RequirementReport[], traffic: Parameters<typeof causesOf>[1]) =>
  causesOf(reports, traffic).map(({ requirements }) => requirements);

test("all failures of an endpoint that responds 500 are one cause", () => {
  const traffic = [exchange(1, "/api/cards", 500), exchange(2, `/api/cards/${ID}`, 500)];
  const reports = [
    broken(
      "CONV-09",
      [1, 2].map((nr) => finding("CONV-09", { path: "/_links/card", evidence: [nr] })),
    ),
    broken("EP-02", [finding("EP-02", { evidence: [1] })]),
    broken("PAGE-02", [finding("PAGE-02", { expected: "a 4xx, or a page", evidence: [1] })]),
  ];
  expect(causesOf(reports, traffic)).toMatchObject([
    {
      message: "GET /cards returned 500",
      level: "error",
      requirements: ["EP-02", "PAGE-02", "CONV-09"],
      findings: 4,
      places: ["GET /cards", "GET /cards/{id}"],
      evidence: [1],
    },
  ]);
});

test("two failing endpoints are two causes, three alike are one", () => {
  const paths = ["/cards", "/bank-links", "/transactions"];
  const traffic = paths.map((path, at) => exchange(at + 1, path, 500));
  const page = (count: number) =>
    broken(
      "PAGE-03",
      traffic.slice(0, count).map(({ nr }) => finding("PAGE-03", { evidence: [nr] })),
    );
  expect(idsOf([page(2)], traffic)).toHaveLength(2);
  expect(idsOf([page(3)], traffic)).toHaveLength(1);
  const different = [...traffic.slice(0, 2), exchange(3, "/transactions", 404)];
  const found = different.map(({ nr }, at) =>
    finding("PAGE-03", { actual: at === 2 ? "404" : "500", evidence: [nr] }),
  );
  expect(idsOf([broken("PAGE-03", found)], different)).toHaveLength(3);
});

test("an endpoint without a response is one cause", () => {
  const traffic = [
    exchange(1, "/cards?limit=1", "no response"),
    exchange(2, "/cards", "no response"),
  ];
  const actual = "no response (reset)";
  const reports = [
    broken("EP-02", [finding("EP-02", { actual, evidence: [1] })]),
    broken("PAGE-01", [finding("PAGE-01", { actual, evidence: [2] })]),
  ];
  expect(causesOf(reports, traffic)).toMatchObject([
    { message: "GET /cards sent no response", requirements: ["EP-02", "PAGE-01"] },
  ]);
});

test("a wrong member in lists, resources and deliveries is one cause", () => {
  const traffic = [
    exchange(1, "/transactions"),
    exchange(2, `/transactions/${ID}`),
    delivery(3, "transaction.created"),
  ];
  const at = (path: string, nr: number) =>
    finding("TXN-05", { path, expected: "string", actual: "number 5812", evidence: [nr] });
  const reports = [
    broken("TXN-05", [
      at("/_embedded/transactions/0/acceptor/mcc", 1),
      at("/_embedded/transactions/17/acceptor/mcc", 1),
      at("/acceptor/mcc", 2),
      at("/acceptor/mcc", 3),
    ]),
  ];
  expect(causesOf(reports, traffic)).toMatchObject([
    {
      findings: 4,
      places: [
        "GET /transactions /_embedded/transactions/[]/acceptor/mcc",
        "GET /transactions/{transactionId} /acceptor/mcc",
        "transaction.created /acceptor/mcc",
      ],
    },
  ]);
});

test("requirements at one location are one cause; a malformed value comes first", () => {
  const traffic = [exchange(1, `/transactions/${ID}`)];
  const of = { path: "/transactionDate", expected: "a date", evidence: [1] };
  const reports = (actual: string) =>
    (["CONV-03", "TXN-01"] as const).map((id) => broken(id, [finding(id, { ...of, actual })]));
  expect(idsOf(reports('string "now"'), traffic)).toEqual([["CONV-03", "TXN-01"]]);
  expect(idsOf(reports("nothing"), traffic)).toEqual([["TXN-01", "CONV-03"]]);
  // An empty string stands for no value.
  expect(idsOf(reports('string ""'), traffic)).toEqual([["TXN-01", "CONV-03"]]);
});

test("the requirement whose sentence names the member comes first", () => {
  const traffic = [delivery(1, "bankaccount.state_changed")];
  const of = { path: "/expiresAt", expected: "a time", actual: "another", evidence: [1] };
  const reports = (["BAC-03", "BAC-04"] as const).map((id) => broken(id, [finding(id, of)]));
  expect(idsOf(reports, traffic)).toEqual([["BAC-04", "BAC-03"]]);
});

test("a body that lacks several members is one cause", () => {
  const traffic = [delivery(1, "transaction.updated")];
  const lacking = (...members: string[]) => [
    broken(
      "TXN-01",
      members.map((name) =>
        finding("TXN-01", { path: `/${name}`, actual: "nothing", evidence: [1] }),
      ),
    ),
  ];
  expect(idsOf(lacking("id", "status", "descriptor"), traffic)).toHaveLength(1);
  expect(idsOf(lacking("id", "status"), traffic)).toHaveLength(2);
});

test("both settled amounts of one wrong sum are one cause", () => {
  const traffic = [exchange(1, `/transactions/${ID}`)];
  const found = ["/transactionSettledAmount", "/cardholderBillingSettledAmount"].map((path) =>
    finding("TXN-09", { path, expected: "31.19", actual: "20", evidence: [1] }),
  );
  expect(idsOf([broken("TXN-09", found)], traffic)).toEqual([["TXN-09"]]);
});

test("timestamps of one wrong form are one cause", () => {
  const traffic = [exchange(1, `/cards/${ID}`), exchange(2, `/transactions/${ID}`)];
  const at = (path: string, nr: number) =>
    finding("CONV-02", { path, expected: "milliseconds", actual: 'string "2025"', evidence: [nr] });
  const reports = [broken("CONV-02", [at("/createdAt", 1), at("/updatedAt", 2)])];
  expect(causesOf(reports, traffic)).toMatchObject([{ findings: 2 }]);
});

/** MAT-08 needs TXN-07; BAC-01 and BAC-04 need each other. */
const at = (id: RequirementId, evidence: number, count: number, verdict?: "warned") =>
  broken(id, Array(count).fill(finding(id, { path: `/${id}`, evidence: [evidence] })), verdict);
const bodies = [exchange(1, `/transactions/${ID}`), delivery(2, "transaction.match.created")];

test("a cause whose requirement needs another one is a consequence of it, and comes last", () => {
  const causes = causesOf([at("TXN-07", 1, 1), at("MAT-08", 2, 3)], bodies);
  expect(causes).toMatchObject([
    { requirements: ["TXN-07"] },
    { requirements: ["MAT-08"], consequenceOf: "TXN-07", findings: 3 },
  ]);
  expect(causesOf([at("MAT-08", 2, 3)], bodies)[0]).not.toHaveProperty("consequenceOf");
});

test("of two requirements that need each other, the one with more findings is the cause", () => {
  const firsts = [1, 3].map((count) =>
    idsOf([at("BAC-01", 1, 2), at("BAC-04", 2, count)], bodies).at(0),
  );
  expect(firsts).toEqual([["BAC-01"], ["BAC-04"]]);
});

test("a warning that explains an error is as severe", () => {
  const causes = causesOf([at("MSG-12", 1, 1, "warned"), at("TXN-09", 2, 3)], bodies);
  expect(causes).toMatchObject([
    { requirements: ["MSG-12"], level: "error" },
    { requirements: ["TXN-09"], consequenceOf: "MSG-12" },
  ]);
});

test("a comparison names the other body", () => {
  const compared = finding("MSG-09", { path: "/traceId", evidence: [1, 2] });
  expect(causesOf([broken("MSG-09", [compared])], bodies)).toMatchObject([
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
  const answer = (nr: number, path: string, body: unknown) => ({
    ...exchange(nr, path),
    response: { status: 200, headers: {}, body: JSON.stringify(body) },
  });
  const traffic = [answer(1, "/transactions", list), answer(2, `/transactions/${ID}`, transaction)];
  const sum = (path: string, nr: number) =>
    finding("TXN-09", { path, actual: "3", evidence: [nr] });
  const reports = [
    broken("TXN-09", [
      sum("/_embedded/transactions/0/transactionSettledAmount", 1),
      sum("/transactionSettledAmount", 2),
    ]),
  ];
  expect(causesOf(reports, traffic)).toMatchObject([
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

test("a missing member and a wrong member are two causes", () => {
  const traffic = [exchange(1, `/transactions/${ID}`)];
  const of = { path: "/status", expected: "string", evidence: [1] };
  const reports = [
    broken("TXN-01", [finding("TXN-01", { ...of, actual: "nothing" })]),
    broken("TXN-10", [finding("TXN-10", { ...of, actual: 'string "X"' })]),
  ];
  expect(idsOf(reports, traffic)).toHaveLength(2);
});

test("a token that is rejected everywhere is one cause", () => {
  const traffic = [exchange(1, "/cards"), exchange(2, "/bank-links"), exchange(3, "/transactions")];
  const of = (id: "AUTH-07" | "ERR-01", nr: number) =>
    finding(id, { expected: "401", actual: "200", evidence: [nr] });
  const reports = [
    broken("AUTH-07", [of("AUTH-07", 1), of("AUTH-07", 2), of("AUTH-07", 3)]),
    broken("ERR-01", [of("ERR-01", 3)]),
  ];
  expect(idsOf(reports, traffic)).toEqual([["AUTH-07", "ERR-01"]]);
});

test("an outcome that joins two causes merges them in any order", () => {
  const traffic = [exchange(1, "/cards"), exchange(2, "/bank-links")];
  const at = (id: "PAGE-04" | "CONV-06", nr: number) =>
    finding(id, { path: "/_links/self", expected: "a value", actual: "nothing", evidence: [nr] });
  const reports = [
    broken("CONV-06", [at("CONV-06", 1)]),
    broken("PAGE-04", [at("PAGE-04", 2), at("PAGE-04", 1)]),
  ];
  expect(idsOf(reports, traffic)).toEqual([["PAGE-04", "CONV-06"]]);
});

test("errors come before warnings", () => {
  const traffic = [exchange(1, "/cards"), exchange(2, "/bank-links")];
  const reports = [
    broken("CONV-07", [finding("CONV-07", { path: "/a", actual: "x", evidence: [1] })], "warned"),
    broken("EP-06", [finding("EP-06", { path: "/b", actual: "x", evidence: [2] })]),
  ];
  expect(causesOf(reports, traffic).map(({ level }) => level)).toEqual(["error", "warning"]);
});

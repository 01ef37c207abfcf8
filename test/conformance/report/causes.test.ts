import { expect, test } from "vitest";
import { causesOf } from "../../../conformance/report/causes.ts";
import { RULES } from "../../../conformance/report/consequence-rules.ts";
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
  const of = { path: "/previousState", expected: "active", actual: "disconnected", evidence: [1] };
  const reports = (["BAC-04", "BAC-03"] as const).map((id) => broken(id, [finding(id, of)]));
  expect(idsOf(reports, traffic)).toEqual([["BAC-03", "BAC-04"]]);
});

test("a field that only one operation lacks is the fault of that operation", () => {
  const path = "/supersededMessageIds";
  const lacking = (...nrs: number[]) =>
    (["TXN-06", "EP-04"] as const).map((id) =>
      broken(
        id,
        nrs.map((nr) => finding(id, { path, actual: "nothing", evidence: [nr] })),
      ),
    );
  const traffic = [exchange(1, `/transactions/${ID}`), delivery(2, "transaction.created")];
  expect(idsOf(lacking(1), traffic)).toEqual([["EP-04", "TXN-06"]]);
  expect(idsOf(lacking(1, 2), traffic)).toEqual([["TXN-06", "EP-04"]]);
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

test("a consequence comes last, names its cause, and passes its level on", () => {
  const traffic = [exchange(1, `/transactions/${ID}`)];
  const amount = { path: "/_embedded/messages/0/transactionAmount", actual: "43", evidence: [1] };
  const sum = { path: "/transactionSettledAmount", actual: "130", evidence: [1] };
  const reports = [
    broken(
      "TXN-09",
      [1, 2, 3].map(() => finding("TXN-09", sum)),
    ),
    broken("MSG-12", [finding("MSG-12", amount)], "warned"),
  ];
  expect(causesOf(reports, traffic)).toMatchObject([
    { requirements: ["MSG-12"], level: "error" },
    {
      ...{ requirements: ["TXN-09"], consequenceOf: "MSG-12", findings: 3 },
      because: "a settled amount is the sum of the messages in force",
    },
  ]);
  expect(causesOf(reports.slice(0, 1), traffic)[0]).not.toHaveProperty("consequenceOf");
});

test("an event that was not sent explains the findings about its ids", () => {
  const traffic = [exchange(1, `/transactions/${ID}`), delivery(2, "transactionmessage.created")];
  const missing = { expected: `banktransaction.created of ${ID}`, actual: "it was not delivered" };
  const unknown = { path: "/bankData/bankTransactionId", actual: "an unknown id", evidence: [2] };
  const reports = (actual: string) => [
    broken("MSG-11", [finding("MSG-11", unknown), finding("MSG-11", unknown)]),
    broken("BTX-01", [finding("BTX-01", { ...missing, actual, evidence: [1] })]),
  ];
  expect(idsOf(reports(missing.actual), traffic)).toEqual([["BTX-01"], ["MSG-11"]]);
  expect(idsOf(reports("another"), traffic)).toEqual([["MSG-11"], ["BTX-01"]]);
});

test("an endpoint that refuses every request does not make authentication fail", () => {
  const traffic = [exchange(1, "/cards", 404), exchange(2, "/cards", 404)];
  const reports = [
    broken("AUTH-08", [finding("AUTH-08", { expected: "401", actual: "404", evidence: [2] })]),
    broken("EP-02", [finding("EP-02", { actual: "404", evidence: [1] })]),
  ];
  expect(idsOf(reports, traffic)).toEqual([["EP-02"], ["AUTH-08"]]);
});

test("a body that is not HAL explains the missing items", () => {
  const traffic = [exchange(1, "/bank-links")];
  const missing = (id: RequirementId, path: string) =>
    finding(id, { path, expected: "an object", actual: "nothing", evidence: [1] });
  const item = missing("PAGE-10", "/_embedded/bankLinks");
  const items = broken("PAGE-10", [item, item]);
  const embedded = missing("CONV-06", "/_embedded");
  const hal = broken("CONV-06", [embedded, missing("CONV-06", "/_links")]);
  expect(idsOf([items, hal], traffic)).toEqual([["CONV-06"], ["PAGE-10"]]);
  expect(idsOf([items, broken("CONV-06", [embedded])], traffic)[0]).toEqual(["PAGE-10"]);
});

test("a wrong state is the fault of the step that must reach it", () => {
  const traffic = [delivery(1, "bankaccount.state_changed")];
  const at = (path: string) =>
    (["BAC-01", "BAC-04"] as const).map((id) =>
      broken(id, [finding(id, { path, expected: "active", actual: "other", evidence: [1] })]),
    );
  expect(idsOf(at("/state"), traffic)).toEqual([["BAC-04", "BAC-01"]]);
  expect(idsOf(at("/previousState"), traffic)).toEqual([["BAC-01", "BAC-04"]]);
});

test("matches that can nearly never be fetched explain the findings about their ids", () => {
  const traffic = [
    exchange(1, `/transaction-matches/${ID}/${ID}`, 404),
    delivery(2, "transaction.match.deleted"),
  ];
  const refused = finding("EP-12", { actual: "404", evidence: [1] });
  const unknown = finding("MAT-05", { path: "/matchId", actual: "x", evidence: [2] });
  const reports = (count: number) => [
    broken("MAT-05", [unknown, unknown]),
    broken("EP-12", Array(count).fill(refused)),
  ];
  expect(idsOf(reports(6), traffic)[0]).toEqual(["EP-12"]);
  expect(idsOf(reports(5), traffic)[0]).toEqual(["MAT-05"]);
});

test("a wrong status of failed authentication is ERR-01, unless one mistake alone gets it", () => {
  const traffic = [exchange(1, "/cards", 403)];
  const of = (id: RequirementId, count: number) =>
    broken(id, Array(count).fill(finding(id, { expected: "401", actual: "403", evidence: [1] })));
  const reports = (count: number) => [of("AUTH-05", 1), of("AUTH-06", count), of("ERR-01", 1)];
  expect(idsOf(reports(5), traffic)[0]?.[0]).toBe("ERR-01");
  expect(idsOf(reports(6), traffic)[0]?.[0]).toBe("AUTH-06");
});

test("a server that crashes on a token does not crash on its absence", () => {
  const withToken = exchange(1, "/cards", 500);
  const without = { ...withToken, nr: 2, request: { ...withToken.request, headers: {} } };
  const of = (id: RequirementId, ...evidence: number[]) =>
    broken(
      id,
      evidence.map((nr) => finding(id, { expected: "401", evidence: [nr] })),
    );
  const [header, token] = [of("AUTH-07", 1), of("AUTH-08", 1)];
  expect(idsOf([header, token], [withToken])).toEqual([["AUTH-08", "AUTH-07"]]);
  expect(idsOf([of("AUTH-07", 2), token], [withToken, without])).toEqual([["AUTH-07", "AUTH-08"]]);
});

test("timestamps of one wrong form are one cause", () => {
  const traffic = [exchange(1, `/cards/${ID}`), exchange(2, `/transactions/${ID}`)];
  const at = (path: string, nr: number) =>
    finding("CONV-02", { path, expected: "milliseconds", actual: 'string "2025"', evidence: [nr] });
  const reports = [broken("CONV-02", [at("/createdAt", 1), at("/updatedAt", 2)])];
  expect(causesOf(reports, traffic)).toMatchObject([{ findings: 2 }]);
});

test("the body that disagrees with all others is the wrong one", () => {
  const traffic = [
    exchange(1, `/transaction-messages/${ID}`),
    delivery(2, "transactionmessage.created"),
    exchange(3, `/transactions/${ID}`),
  ];
  const path = "/transactionAmount";
  const compare = (one: number, other: number) => ({ path, actual: "x", evidence: [one, other] });
  const reports = [
    broken("MSG-09", [finding("MSG-09", compare(2, 1)), finding("MSG-09", compare(1, 2))]),
    broken("MSG-12", [
      finding("MSG-12", { ...compare(3, 1), path: `/_embedded/messages/0${path}` }),
    ]),
  ];
  // The event and the projection agree.
  expect(causesOf(reports, traffic)).toMatchObject([
    {
      ...{ requirements: ["MSG-09"], evidence: [1, 2] },
      details: ["compared with transactionmessage.created"],
    },
    { requirements: ["MSG-12"], consequenceOf: "MSG-09" },
  ]);
});

test("a wrong event explains why the resource differs from it", () => {
  const traffic = [exchange(1, `/transactions/${ID}`), delivery(2, "transaction.updated")];
  const sum = { path: "/transactionSettledAmount", actual: "130" };
  const differing = broken(
    "EP-04",
    [1, 2, 3].map(() => finding("EP-04", { ...sum, evidence: [1, 2] })),
  );
  const reports = [differing, broken("TXN-09", [finding("TXN-09", { ...sum, evidence: [2] })])];
  expect(idsOf(reports, traffic)).toEqual([["TXN-09"], ["EP-04"]]);
  // The GET is the wrong one.
  const both = [differing, broken("TXN-09", [finding("TXN-09", { ...sum, evidence: [1] })])];
  expect(idsOf(both, traffic)[0]).toEqual(["TXN-09", "EP-04"]);
});

test("no two causes explain each other", () => {
  const edges = RULES.filter(({ when }) => when === undefined);
  const cyclic = edges.flatMap(({ causes, consequences }) =>
    causes.filter((cause) =>
      consequences.some((consequence) =>
        edges.some((one) => one.causes.includes(consequence) && one.consequences.includes(cause)),
      ),
    ),
  );
  expect(cyclic).toEqual([]);
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

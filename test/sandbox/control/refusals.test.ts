import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { controlDocument } from "../../../src/sandbox/control/document.ts";
import type { RawResponse } from "../../support/raw-request.ts";
import {
  AS_JSON,
  playALittle,
  type Sent,
  startTestServer,
  type TestServer,
} from "../test-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
const document = controlDocument() as any;

interface Operation {
  readonly method: string;
  readonly path: string;
  // biome-ignore lint/suspicious/noExplicitAny: an operation of an OpenAPI document
  readonly operation: any;
}

const operations: Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as object).map(([method, operation]) => {
    return { method: method.toUpperCase(), path, operation };
  }),
);
const writing = operations.filter(({ method }) => method === "POST" || method === "PUT");
const named = (list: Operation[]) => list.map((one) => [`${one.method} ${one.path}`, one] as const);

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, "control");
const takes = ({ method, path }: Operation) => {
  const at = ["paths", path, method.toLowerCase(), "requestBody", "content", "application/json"];
  const pointer = [...at, "schema"].map((part) => part.replaceAll("/", "~1")).join("/");
  return ajv.compile({ $ref: `control#/${pointer}` });
};

/** The members of a body according to the document. */
function membersOf({ operation }: Operation): string[] {
  const { schema } = operation.requestBody.content["application/json"];
  const { properties } = schema.$ref
    ? document.components.schemas[schema.$ref.split("/").at(-1)]
    : schema;
  return Object.keys(properties);
}

const REMEDY = { verb: expect.any(String), params: expect.any(Object) };

function expectProblem({ status, headers, json }: RawResponse, wanted?: number): void {
  if (wanted === undefined) expect(String(status)).toMatch(/^4\d\d$/);
  else expect({ status, json }).toMatchObject({ status: wanted });
  expect(headers["content-type"]).toBe("application/problem+json");
  expect(json).toEqual({
    type: "about:blank",
    title: expect.stringMatching(/./),
    status,
    detail: expect.stringMatching(/./),
    // Only a conflict may have a remedy.
    ...("remedy" in json && status === 409 && { remedy: expect.objectContaining(REMEDY) }),
  });
}

/** A server with some history, and a check that its state does not change. */
async function unchanged(work: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startTestServer();
  await playALittle(server.local);
  await server.local.snapshot("there");
  const before = server.dump();
  await work(server);
  expect(server.dump()).toBe(before);
}

const RUNS = { seed: 1, numRuns: 60 };

test.each(named(writing.filter(({ operation }) => operation.requestBody)))(
  "%s refuses each body that violates the document and changes nothing",
  async (_name, one) => {
    const fits = takes(one);
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(-1, 1.5, "", [], {}));
    const names = fc.oneof(fc.constantFrom(...membersOf(one)), fc.string());
    const misfit = fc.dictionary(names, anything, { minKeys: 1, maxKeys: 3 });
    const bodies = fc
      .oneof({ weight: 4, arbitrary: misfit }, anything)
      .filter((body) => !fits(JSON.parse(JSON.stringify(body))));
    await unchanged(({ sendJson }) => {
      const refused = fc.asyncProperty(bodies, async (body) => {
        expectProblem(await sendJson(one.method, one.path, body), 400);
      });
      return fc.assert(refused, RUNS);
    });
  },
);

const VALUES = [
  ...[0, 1, -1, 0.001, 42.5, 1e15, 1e308, true, false, null, [], {}, ["x"], [{}]],
  ...["", "x", "EUR", "\ud800", "\u0000", "5411", "4000000000001111", "9".repeat(5000)],
  ...["2026-01-05", "2026-02-30", "9999-12-31", "2026-01-05T09:00:00.000Z", "0001-01-01"],
  ...["NETWORK_A", "NETWORK_B", "debit", "DECLINED", "polling", "http://127.0.0.1:9/"],
];

test.each(named(writing.filter(({ path }) => path.startsWith("/verbs/"))))(
  "%s accepts or refuses any request, never with a 500",
  async (_name, one) => {
    const members = fc.constantFrom(...membersOf(one));
    const body = fc.dictionary(members, fc.constantFrom(...VALUES), { maxKeys: 4 });
    const { local, dump, sendJson } = await startTestServer();
    await playALittle(local);
    await local.snapshot("there");
    const answered = fc.asyncProperty(body, async (params) => {
      await local.restore("there");
      const before = dump();
      const response = await sendJson(one.method, one.path, params);
      if (response.status === 200) return;
      expectProblem(response);
      expect(dump()).toBe(before);
    });
    await fc.assert(answered, RUNS);
  },
);

/** A request, the status of its refusal, and a part of the detail. */
type Refused = readonly [path: string, sent: Sent, status: number, detail?: string];

/** Requests that each operation refuses: queries, and other sites, by Origin or Host. */
function refusedQueries({ path, operation }: Operation, port: number): Refused[] {
  const names: string[] = (operation.parameters ?? [])
    .filter((parameter: { in: string }) => parameter.in === "query")
    .map((parameter: { name: string }) => parameter.name);
  const queries: Refused[] = [
    [`${path}?frobnicate=1`, {}, 400, "frobnicate"],
    [`${path}?__proto__=1`, {}, 400],
    ...names.map((name): Refused => [`${path}?${name}=1&${name}=1`, {}, 400]),
    ...names.flatMap((name) =>
      (name === "accountId" ? [] : ["-1", "1.5", "x", ""]).map((value): Refused => {
        return [`${path}?${name}=${value}`, {}, 400, `${name}: `];
      }),
    ),
  ];
  const sites = [
    ...["http://elsewhere.example", "null", `http://localhost:${port}`].map((origin) => ({
      origin,
    })),
    { host: `elsewhere.example:${port}` },
  ];
  return [
    ...(path === "/events/stream" ? [] : queries),
    ...sites.map((headers): Refused => [path, { headers: { ...headers } }, 403]),
  ];
}

/** Requests that each writing operation refuses. */
function refusedBodies({ path, operation }: Operation): Refused[] {
  const isRequired = operation.requestBody?.required === true;
  const unknown = { headers: AS_JSON, body: '{"frobnicate":1}' };
  return [
    [path, unknown, 400, isRequired ? "" : "frobnicate"],
    ...["{", Buffer.from([0x22, 0xff, 0x22]), "[]"].map((body): Refused => {
      return [path, { headers: AS_JSON, body }, 400];
    }),
    [path, { headers: { "content-type": "text/plain" }, body: "{}" }, 415],
    [path, { body: "{}" }, 415],
    [path, { headers: AS_JSON, body: `"${"x".repeat(1_100_000)}"` }, 413],
  ];
}

test.each(named(operations))("%s refuses invalid requests and changes nothing", (_name, one) =>
  unchanged(async ({ send, port }) => {
    // The path with existing parameters.
    const path = one.path.replace("{kind}", "cards").replaceAll(/\{\w+\}/g, "there");
    const filled = { ...one, path };
    const bodies = writing.includes(one) ? refusedBodies(filled) : [];
    for (const [target, sent, status, detail] of [...refusedQueries(filled, port), ...bodies]) {
      const response = await send(one.method, `/_sandbox${target}`, sent);
      expectProblem(response, status);
      if (detail) expect(response.json.detail).toContain(detail);
    }
    const allowed = Object.keys(document.paths[one.path]).map((method) => method.toUpperCase());
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      if (allowed.includes(method)) continue;
      const refused = await send(method, `/_sandbox${path}`);
      expectProblem(refused, 405);
      expect(String(refused.headers["allow"]).split(", ")).toEqual(expect.arrayContaining(allowed));
    }
  }),
);

test("the address, localhost and the sandbox's own pages are allowed", async () => {
  const { send, port } = await startTestServer();
  for (const host of ["127.0.0.1", "localhost", "[::1]", "192.0.2.7"]) {
    const headers = { host: `${host}:${port}`, origin: `http://${host}:${port}` };
    expect((await send("GET", "/_sandbox/status", { headers })).status).toBe(200);
  }
});

test.each([
  ["GET", "/frobnicate"],
  ["POST", "/frobnicate"],
  ["POST", "/verbs/frobnicate"],
  ["POST", "/verbs/toString"],
  ["POST", "/verbs/__proto__"],
  ["GET", "/resources/frobnicate"],
  ["DELETE", "/endpoints/frobnicate"],
  ["POST", "/deliveries/frobnicate/replay"],
  ["POST", "/snapshots/frobnicate/restore"],
  ["POST", "/snapshots/%22;--/restore"],
  ["GET", "/assets/frobnicate"],
])("%s %s is 404", (method, path) =>
  unchanged(async ({ send }) => expectProblem(await send(method, `/_sandbox${path}`), 404)),
);

test("invalid names of snapshots are refused", () =>
  unchanged(async ({ send }) => {
    for (const bad of ["A", "a b", "%22", "a;b", "-a", "a".repeat(65), "%00", "%zz", "é"]) {
      const path = `/_sandbox/snapshots/${encodeURI(bad)}`.replace("%25", "%");
      const refused = await send("PUT", path);
      expectProblem(refused, 400);
      expect(refused.json.detail).toContain("name: ");
    }
  }));

test.each([
  ["PUT", "/clock", { mode: "frozen", now: "2026-02-30T00:00:00.000Z" }, "now: "],
  ["PUT", "/clock", { mode: "frozen", now: "9999-12-31T23:59:59.999Z" }, "now: "],
  ["PUT", "/clock", { now: "2026-01-05T09:00:00.000Z" }, "mode: "],
  ["POST", "/clock/advance", {}, "by: "],
  ...["", "3", "d", "-1d", "1.5h", "1w", "1d 2h", "3 days", "NaN", "Infinityd", "3651d"].map(
    (by) => ["POST", "/clock/advance", { by }, "by: "] as const,
  ),
  ["POST", "/clock/advance", { by: "9999999999s" }, "by: "],
  ["POST", "/endpoints", {}, "url: "],
  ["POST", "/endpoints", { url: "http://%ZZ@127.0.0.1/" }, "url: "],
  ["POST", "/endpoints", { url: "http://%C3:%A9@127.0.0.1/" }, "url: "],
  ["POST", "/endpoints", { url: "http://127.0.0.1/", accountId: "" }, "accountId: "],
  ["POST", "/endpoints", { url: "http://127.0.0.1/", events: ["x"] }, "events.0: "],
  ["PUT", "/faults", { api: [{ kind: "latency" }] }, "api.0.delayMs: "],
  ["PUT", "/faults", { api: [{ kind: "418" }] }, "api.0.kind: "],
  ["PUT", "/faults", { api: [{ kind: "500", rate: 2 }] }, "api.0.rate: "],
  ["PUT", "/faults", { deliveries: [{ kind: "drop", frob: 1 }] }, "deliveries.0.frob: "],
  ["PUT", "/faults", { listLagMs: -1 }, "listLagMs: "],
  ["POST", "/reset", { world: "huge" }, "world: "],
  ["POST", "/reset", { seed: "1" }, "seed: "],
  ["POST", "/verbs/purchase", { amount: "12" }, "purchase: amount: "],
  ["POST", "/verbs/switch-projection", {}, "switch-projection: on: "],
] as const)("%s %s names the error in %j", (method, path, body, wanted) =>
  unchanged(async ({ sendJson }) => {
    const refused = await sendJson(method, path, body);
    expectProblem(refused, 400);
    expect(refused.json.detail.startsWith(wanted)).toBe(true);
  }),
);

test("an inapplicable verb is refused with 409 and changes nothing", () =>
  unchanged(async ({ sendJson, accounts }) => {
    const params = { accountId: accounts[1].accountId };
    expectProblem(await sendJson("POST", "/verbs/recover", params), 409);
    expectProblem(await sendJson("POST", "/verbs/recover", {}), 409);
  }));

import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { controlDocument } from "../../../src/sandbox/control/document.ts";
import type { RawResponse } from "../../support/raw-request.ts";
import { type Harness, playALittle, sendJson, startHarness } from "./harness.ts";

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
const name = ({ method, path }: Operation) => `${method} ${path}`;
const named = (list: Operation[]) => list.map((one) => [name(one), one] as const);

/** The path with existing parameters. */
const filled = (path: string) => path.replace("{kind}", "cards").replaceAll(/\{\w+\}/g, "there");

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

const REMEDY = { verb: expect.any(String), params: expect.any(Object) };

/** A sandbox with some history, and a check that its state does not change. */
async function unchanged(work: (harness: Harness) => Promise<void>): Promise<void> {
  const harness = await startHarness();
  await playALittle(harness.local);
  await harness.local.snapshot("there");
  const before = harness.dump();
  await work(harness);
  expect(harness.dump()).toBe(before);
}

const RUNS = { seed: 1, numRuns: 60 };

test.each(named(writing.filter(({ operation }) => operation.requestBody)))(
  "%s refuses each body that violates the document and changes nothing",
  async (_name, one) => {
    const fits = takes(one);
    const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(-1, 1.5, "", [], {}));
    const misfit = fc.dictionary(
      fc.oneof(fc.constantFrom(...membersOf(one)), fc.string()),
      anything,
      { minKeys: 1, maxKeys: 3 },
    );
    const bodies = fc
      .oneof({ weight: 4, arbitrary: misfit }, anything)
      .filter((body) => !fits(JSON.parse(JSON.stringify(body))));
    await unchanged((harness) =>
      fc.assert(
        fc.asyncProperty(bodies, async (body) => {
          expectProblem(await sendJson(harness, one.method, one.path, body), 400);
        }),
        RUNS,
      ),
    );
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
    const body = fc.dictionary(fc.constantFrom(...membersOf(one)), fc.constantFrom(...VALUES), {
      maxKeys: 4,
    });
    const harness = await startHarness();
    await playALittle(harness.local);
    await harness.local.snapshot("there");
    await fc.assert(
      fc.asyncProperty(body, async (params) => {
        await harness.local.restore("there");
        const before = harness.dump();
        const response = await sendJson(harness, one.method, one.path, params);
        if (response.status === 200) return;
        expectProblem(response);
        expect(harness.dump()).toBe(before);
      }),
      RUNS,
    );
  },
);

test.each(named(writing))("%s refuses an unknown member by its name", (_name, one) =>
  unchanged(async (harness) => {
    const response = await sendJson(harness, one.method, filled(one.path), { frobnicate: 1 });
    expectProblem(response, 400);
    const required = one.operation.requestBody?.required === true;
    if (!required) expect(response.json.detail).toContain("frobnicate");
  }),
);

test.each(named(writing))("%s refuses invalid JSON and other content types", (_name, one) =>
  unchanged(async (harness) => {
    const path = filled(one.path);
    const json = { "content-type": "application/json" };
    expectProblem(await harness.send(one.method, path, json, "{"), 400);
    expectProblem(await harness.send(one.method, path, json, Buffer.from([0x22, 0xff, 0x22])), 400);
    expectProblem(await harness.send(one.method, path, json, "[]"), 400);
    expectProblem(
      await harness.send(one.method, path, { "content-type": "text/plain" }, "{}"),
      415,
    );
    expectProblem(await harness.send(one.method, path, {}, "{}"), 415);
    expectProblem(await harness.send(one.method, path, json, `"${"x".repeat(1_100_000)}"`), 413);
  }),
);

test.each(named(operations.filter(({ path }) => path !== "/events/stream")))(
  "%s refuses unknown query parameters",
  (_name, one) =>
    unchanged(async (harness) => {
      const path = filled(one.path);
      const send = (query: string) => harness.send(one.method, `${path}?${query}`);
      const { json } = await send("frobnicate=1");
      expectProblem(await send("frobnicate=1"), 400);
      expect(json.detail).toContain("frobnicate");
      expectProblem(await send("__proto__=1"), 400);
      const names: string[] = (one.operation.parameters ?? [])
        .filter((parameter: { in: string }) => parameter.in === "query")
        .map((parameter: { name: string }) => parameter.name);
      for (const parameter of names) {
        expectProblem(await send(`${parameter}=1&${parameter}=1`), 400);
        if (parameter === "accountId") continue;
        for (const value of ["-1", "1.5", "x", ""]) {
          const refused = await send(`${parameter}=${value}`);
          expectProblem(refused, 400);
          expect(refused.json.detail).toContain(`${parameter}: `);
        }
      }
    }),
);

test.each(named(operations))("%s refuses other sites, by Origin or Host", (_name, one) =>
  unchanged(async (harness) => {
    const send = (headers: Record<string, string>) =>
      harness.send(one.method, filled(one.path), headers);
    expectProblem(await send({ origin: "http://elsewhere.example" }), 403);
    expectProblem(await send({ origin: "null" }), 403);
    expectProblem(await send({ origin: `http://localhost:${harness.port}` }), 403);
    expectProblem(await send({ host: `elsewhere.example:${harness.port}` }), 403);
  }),
);

test("the address, localhost and the sandbox's own pages are allowed", async () => {
  const harness = await startHarness();
  for (const host of ["127.0.0.1", "localhost", "[::1]", "192.0.2.7"]) {
    const headers = { host: `${host}:${harness.port}`, origin: `http://${host}:${harness.port}` };
    expect((await harness.send("GET", "/status", headers)).status).toBe(200);
  }
});

test.each(named(operations))("%s allows only the methods of its path", (_name, one) =>
  unchanged(async (harness) => {
    const allowed = Object.keys(document.paths[one.path]).map((method) => method.toUpperCase());
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
      if (allowed.includes(method)) continue;
      const refused = await harness.send(method, filled(one.path));
      expectProblem(refused, 405);
      expect(String(refused.headers["allow"]).split(", ")).toEqual(expect.arrayContaining(allowed));
    }
  }),
);

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
  unchanged(async (harness) => expectProblem(await harness.send(method, path), 404)),
);

test.each(["A", "a b", "%22", "a;b", "-a", "a".repeat(65), "%00", "%zz", "é"])(
  "%s is not a valid snapshot name",
  (bad) =>
    unchanged(async (harness) => {
      const refused = await harness.send("PUT", `/snapshots/${encodeURI(bad)}`.replace("%25", "%"));
      expectProblem(refused, 400);
      expect(refused.json.detail).toContain("name: ");
    }),
);

test.each([
  ["PUT", "/clock", { mode: "frozen", now: "2026-02-30T00:00:00.000Z" }, "now: "],
  ["PUT", "/clock", { mode: "frozen", now: "9999-12-31T23:59:59.999Z" }, "now: "],
  ["PUT", "/clock", { now: "2026-01-05T09:00:00.000Z" }, "mode: "],
  ["POST", "/clock/advance", {}, "by: "],
  ["POST", "/clock/advance", { by: "3 days" }, "by: "],
  ["POST", "/clock/advance", { by: "99999d" }, "by: "],
  ["POST", "/endpoints", {}, "url: "],
  ["POST", "/endpoints", { url: "ftp://127.0.0.1/" }, "url: "],
  ["POST", "/endpoints", { url: "http://%ZZ@127.0.0.1/" }, "url: "],
  ["POST", "/endpoints", { url: "http://%C3:%A9@127.0.0.1/" }, "url: "],
  ["PUT", "/faults", { api: [{ kind: "latency" }] }, "api.0.delayMs: "],
  ["POST", "/endpoints", { url: "http://127.0.0.1/", secret: "x" }, "secret: "],
  ["POST", "/endpoints", { url: "http://127.0.0.1/", accountId: "" }, "accountId: "],
  ["POST", "/endpoints", { url: "http://127.0.0.1/", events: [] }, "events: "],
  ["POST", "/endpoints", { url: "http://127.0.0.1/", events: ["x"] }, "events.0: "],
  ["PUT", "/faults", { api: [{ kind: "418" }] }, "api.0.kind: "],
  ["PUT", "/faults", { api: [{ kind: "500", rate: 2 }] }, "api.0.rate: "],
  ["PUT", "/faults", { deliveries: [{ kind: "drop", frob: 1 }] }, "deliveries.0.frob: "],
  ["PUT", "/faults", { listLagMs: -1 }, "listLagMs: "],
  ["POST", "/reset", { world: "huge" }, "world: "],
  ["POST", "/reset", { seed: "1" }, "seed: "],
  ["POST", "/verbs/purchase", { amount: "12" }, "purchase: amount: "],
  ["POST", "/verbs/switch-projection", {}, "switch-projection: on: "],
])("%s %s names the error in %j", (method, path, body, wanted) =>
  unchanged(async (harness) => {
    const refused = await sendJson(harness, method, path, body);
    expectProblem(refused, 400);
    expect(refused.json.detail.startsWith(wanted)).toBe(true);
  }),
);

test("an inapplicable verb is refused with 409 and changes nothing", async () => {
  const harness = await startHarness();
  await playALittle(harness.local);
  const before = harness.dump();
  const [, second] = (await harness.local.status()).accounts;
  const params = { accountId: second?.accountId };
  expectProblem(await sendJson(harness, "POST", "/verbs/recover", params));
  expectProblem(await sendJson(harness, "POST", "/verbs/recover", {}), 409);
  expect(harness.dump()).toBe(before);
});

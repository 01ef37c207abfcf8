import { build } from "esbuild";
import { expect, test } from "vitest";
import { TxfeedError } from "../../../src/errors.ts";
import { ControlError, createControlClient } from "../../../src/sandbox/control/client.ts";
import type { Control } from "../../../src/sandbox/control/control.ts";
import { Refusal } from "../../../src/world/refusal.ts";
import type { VerbName } from "../../../src/world/verbs/names.ts";
import { ROOT } from "../../document.ts";
import { serve } from "../../support/local-server.ts";
import { playALittle, startTestServer } from "../test-server.ts";

/** A call's result or error, in the same form for both controls. */
async function outcomeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    const reply = await call();
    return reply === undefined ? "done" : JSON.parse(JSON.stringify(reply));
  } catch (error) {
    if (error instanceof Refusal) return [error.status, error.title, error.message];
    if (error instanceof ControlError) return [error.status, error.title, error.detail];
    throw error;
  }
}

type Call = (control: Control) => Promise<unknown>;

const ENDPOINT = {
  url: "http://127.0.0.1:9/",
  secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz",
  events: ["cardsubscription.created" as const],
};

/** Every call of a control, in an order in which each applies. */
const CALLS: Record<string, Call> = {
  status: (control) => control.status(),
  verbs: (control) => control.verbs(),
  "a verb": (control) => control.trigger("clear"),
  "a verb with params": (control) => control.trigger("purchase", { amount: 7, currency: "USD" }),
  "a verb with an unknown member": (control) => control.trigger("purchase", { frob: 1 } as object),
  "an unknown verb": (control) => control.trigger("frobnicate" as VerbName),
  "a verb that does not apply": (control) => control.trigger("recover"),
  readClock: (control) => control.readClock(),
  setClock: (control) => control.setClock({ mode: "frozen", now: "2026-03-01T00:00:00.000Z" }),
  "setClock, wrong": (control) => control.setClock({ mode: "slow" as "real" }),
  advance: (control) => control.advance("1d12h"),
  "advance, wrong": (control) => control.advance("a while"),
  settle: (control) => control.settle(),
  events: (control) => control.events(),
  "events, some": (control) =>
    control.events({ after: 2, name: "transaction.created", accountId: undefined, limit: 1 }),
  "events, wrong": (control) => control.events({ limit: 0 }),
  dryRun: (control) =>
    control.dryRun({ calls: [{ verb: "purchase" }, { verb: "recover", params: {} }] }),
  "dryRun, wrong": (control) => control.dryRun({ calls: [{ verb: "frobnicate" as VerbName }] }),
  resource: async (control) => {
    const [card] = await control.resources("cards");
    return control.resource("cards", card?.id ?? "");
  },
  "resource, unknown": (control) => control.resource("cards", "nobody"),
  resources: (control) => control.resources("cards"),
  "resources, some": (control) => control.resources("transactions", { limit: 1 }),
  "resources of another account": (control) =>
    control.resources("cards", { accountId: "&limit=1#?" }),
  "resources of an unknown kind": (control) => control.resources("../status" as "cards"),
  addEndpoint: (control) => control.addEndpoint(ENDPOINT),
  "addEndpoint, wrong": (control) => control.addEndpoint({ url: "nowhere" }),
  endpoints: (control) => control.endpoints(),
  removeEndpoint: async (control) => {
    const [endpoint] = await control.endpoints();
    await control.removeEndpoint(endpoint?.id ?? "");
  },
  "removeEndpoint, gone": (control) => control.removeEndpoint("gone"),
  deliveries: (control) => control.deliveries({ state: "waiting", limit: 5 }),
  "deliveries, wrong": (control) => control.deliveries({ state: "lost" as "failed" }),
  replay: (control) => control.replay("all"),
  "replay, gone": (control) => control.replay("a/b"),
  setFaults: (control) => control.setFaults({ api: [{ kind: "500", path: "/cards", times: 2 }] }),
  "setFaults, wrong": (control) => control.setFaults({ listLagMs: 0.5 }),
  faults: (control) => control.faults(),
  snapshot: (control) => control.snapshot("one"),
  "snapshot, wrong": (control) => control.snapshot("One"),
  snapshots: (control) => control.snapshots(),
  reset: (control) => control.reset({ world: "empty", seed: 7 }),
  "reset, wrong": (control) => control.reset({ seed: -1 }),
  "reset to the same seed": (control) => control.reset(),
  restore: (control) => control.restore("one"),
  "restore, gone": (control) => control.restore("two"),
};

test("in process and over HTTP, calls return and refuse the same", async () => {
  const [one, other] = [await startTestServer(), await startTestServer()];
  await playALittle(one.local);
  await playALittle(other.remote);
  for (const [name, call] of Object.entries(CALLS)) {
    const local = await outcomeOf(() => call(one.local));
    const remote = await outcomeOf(() => call(other.remote));
    expect({ name, outcomeOf: remote }).toEqual({ name, outcomeOf: local });
  }
});

test.each([".", ".."])("a name with a path meaning is an unknown name: %s", async (name) => {
  const { remote } = await startTestServer();
  await expect(remote.resources(name as "cards")).rejects.toMatchObject({ status: 404 });
  await expect(remote.snapshot(name)).rejects.toMatchObject({ status: 400 });
});

test("every method of a control is called above", () => {
  const methods = Object.keys(createControlClient("http://127.0.0.1/"));
  const called = new Set(Object.values(CALLS).flatMap((call) => call.toString().match(/\.\w+/g)));
  expect(methods.filter((name) => !called.has(`.${name}`))).toEqual([]);
});

test("a trailing slash in the address is ignored", async () => {
  const { controlUrl } = await startTestServer();
  const status = await createControlClient(`${controlUrl}/`).status();
  expect(status.accounts).toHaveLength(2);
});

test("a refusal is a TxfeedError with code http and the detail as its message", async () => {
  const { remote } = await startTestServer();
  const error = await remote.restore("gone").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TxfeedError);
  expect(error).toMatchObject({ name: "ControlError", code: "http", status: 404 });
  expect(error).toMatchObject({ title: "Not found", detail: "there is no snapshot gone" });
  expect((error as Error).message).toBe("there is no snapshot gone");
  // A refused verb names the verb that makes it possible.
  const remedy = { verb: "enroll", params: {} };
  await expect(remote.trigger("purchase")).rejects.toMatchObject({ status: 409, remedy });
});

test("without a server the error is unreachable", async () => {
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: new Error("gone") }));
  const control = createControlClient("http://127.0.0.1:4020/_sandbox", { fetch });
  await expect(control.status()).rejects.toMatchObject({
    code: "unreachable",
    message: "can't reach http://127.0.0.1:4020/_sandbox: gone",
  });
});

test.each([
  [200, "<html>"],
  [404, "<html>"],
  [404, '{"error":"x"}'],
  [502, ""],
  [500, "null"],
])("a server that responds %i %s is not a sandbox, and so unreachable", async (status, body) => {
  const url = await serve((_request, response) => response.writeHead(status).end(body));
  const control = createControlClient(url);
  await expect(control.status()).rejects.toMatchObject({
    code: "unreachable",
    message: `${url} is not a sandbox: it responded with status ${status}`,
  });
});

test("the client imports no server code, package or Node module", async () => {
  const { metafile } = await build({
    entryPoints: ["src/sandbox/control/client.ts"],
    absWorkingDir: ROOT,
    bundle: true,
    write: false,
    platform: "neutral",
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.sort()).toEqual([
    "src/errors.ts",
    "src/sandbox/control/client.ts",
    "src/sandbox/control/routes.ts",
  ]);
});

test("the page is served with a trailing slash, and redirected to it without one", async () => {
  const { send, controlUrl } = await startTestServer();
  expect(await send("GET", "/_sandbox")).toMatchObject({
    status: 302,
    headers: { location: "/_sandbox/" },
  });
  const page = await fetch(controlUrl);
  expect([page.url, page.headers.get("content-type")?.slice(0, 9)]).toEqual([
    ...[`${controlUrl}/`, "text/html"],
  ]);
  expect(await page.text()).toContain("<!doctype html>");
});

// The page is refused for other hosts. The SDK stand-in allows other origins and requires a token.
// HEAD returns GET's response without the body.
test.each([
  ["GET", "/", { host: "elsewhere.example" }, 403],
  ["POST", "/", { origin: "http://elsewhere.example" }, 403],
  ["POST", "/", {}, 404],
  ["GET", "/sdk.js", { origin: "http://elsewhere.example" }, 200],
  ["GET", "/sdk/test-cards", { origin: "http://elsewhere.example" }, 401],
  ["HEAD", "/status", {}, 200],
])("%s %s with %j is answered with %i", async (method, path, headers, status) => {
  const { send } = await startTestServer();
  const response = await send(method, `/_sandbox${path}`, { headers: { ...headers } });
  expect(response.status).toBe(status);
  if (method === "HEAD") expect(response.text).toBe("");
});

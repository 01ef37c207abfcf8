import { afterAll, beforeAll, expect, test } from "vitest";
import { paramsIn } from "../../src/cli/trigger-verbs.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { freePort, serve } from "../support/local-server.ts";
import { txfeed } from "../support/program.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ world: "empty", clock: "frozen", validate: true });
  await sandbox.trigger("open-subaccount");
});

afterAll(() => sandbox.close());

const trigger = (...args: string[]) => txfeed("trigger", ...args, "--url", sandbox.baseUrl);

test("a trigger prints events, ids and a summary last", async () => {
  const { status, stdout, stderr } = await trigger("enroll", "customerReferenceId=77");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [first] = await sandbox.resources("card-subscriptions");
  const { id, body } = first ?? {};
  const { cardId, customerReferenceId } = body as Record<string, unknown>;
  expect(customerReferenceId).toBe("77");
  const row = (name: string, value: unknown) => `  ${name.padEnd(26)}${value}`;
  const sent = row("cardsubscription.created", id);
  const results = [row("subscriptionId", id), row("cardId", cardId)];
  expect(stdout).toBe([sent, "", ...results, "", "✓ enroll: 1 event sent", ""].join("\n"));
});

test("a trigger without a result says so", async () => {
  await sandbox.trigger("link-complete");
  await sandbox.trigger("disconnect");
  const { status, stdout } = await trigger("bank-post");
  await sandbox.trigger("recover");
  const last = "✓ bank-post: 0 events sent; it has created nothing yet\n";
  expect({ status, stdout }).toEqual({ status: 0, stdout: last });
});

test.each([
  ["purchase", "txfeed trigger purchase amount=12.5 merchant.mcc=5411   set amount and merchant"],
  ["switch-projection", "txfeed trigger switch-projection on=false   set on"],
  ["bank-post", "'description=CORNER CAFE 12'"],
])("--help of %s has its example", async (verb, line) => {
  const { stdout } = await txfeed("trigger", verb, "--help");
  expect(stdout).toContain(line);
});

test("--json is one line with the result and the events", async () => {
  const before = (await sandbox.events()).length;
  const { status, stdout, stderr } = await trigger("enroll", "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  const { verb, result, events } = JSON.parse(stdout);
  expect(verb).toBe("enroll");
  expect(Object.keys(result)).toEqual(["subscriptionId", "cardId"]);
  expect(events).toEqual(await sandbox.events({ after: before }));
});

test.each([[[]], [["--list"]]])("%j lists every verb, in 80 columns", async (args) => {
  const { status, stdout, stderr } = await trigger(...args);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  const blocks = stdout
    .split(/\n(?: {2}(?=\S)|\n)/)
    .map((text) => text.split(/\s+/).filter(Boolean));
  for (const { name, summary, params } of await sandbox.verbs()) {
    const words = blocks.find(([first]) => first === name)?.slice(1) ?? [];
    const described = summary.split(" ");
    expect(words.slice(0, described.length)).toEqual(described);
    const outer = words.slice(described.length).map((member) => member.split(".")[0]);
    expect([...new Set(outer)]).toEqual(Object.keys(params["properties"] as object));
  }
});

test("--list of a verb describes only that one", async () => {
  const before = await sandbox.status();
  const { stdout } = await trigger("purchase", "--list");
  expect(stdout).toMatch(/^purchase: makes a purchase with a card\n {2}WHK-05 /);
  const { stdout: json } = await trigger("purchase", "--list", "--json");
  const described = (await sandbox.verbs()).filter(({ name }) => name === "purchase");
  expect(JSON.parse(json)).toEqual(described);
  expect(await sandbox.status()).toEqual(before);
});

test.each([[["--list"]], [[]], [["purchase", "--list", "--json"]]])(
  "%j needs no running sandbox",
  async (args) => {
    const expected = await trigger(...args);
    const closedUrl = await txfeed("trigger", ...args, "--url", "http://127.0.0.1:9");
    expect(closedUrl).toEqual(expected);
    expect(closedUrl.status).toBe(0);
  },
);

test.each<[string, string, string]>([
  ["purchase", "amount", "number above 0"],
  ["purchase", "merchant.mcc", "text matching ^\\d{4}$"],
  ["purchase", "result", "APPROVED or DECLINED"],
  ["bank-post", "merchantName", "text or null"],
  ["bank-post", "category", "JSON list"],
  ["feed-accept", "cards", "integer"],
  ["link-start", "accounts", "JSON list of {name, mask, type, currency, network}"],
  ["switch-projection", "on", "true or false, required"],
])("--list of %s: %s takes %s", async (verb, member, takes) => {
  const { stdout } = await trigger(verb, "--list");
  const rows = stdout.split("\n").map((line) => line.trim().split(/ {2,}/));
  expect(rows).toContainEqual([member, takes]);
});

test.each<[string[], string]>([
  [["frobnicate"], 'there is no verb "frobnicate"; the verbs are purchase, clear'],
  [["puchase"], 'there is no verb "puchase"; did you mean "purchase"?'],
  [["purchase", "amuont=1"], 'purchase: amuont: unknown parameter; did you mean "amount"?'],
  [["purchase", "merchant.mc=1"], "purchase: merchant.mc: unknown parameter; did you mean"],
  [["enroll", "frob=1"], "enroll: frob: unknown parameter"],
  [
    ["purchase", "amount=much"],
    "purchase: amount: expected number, received string (see: txfeed trigger purchase --list)",
  ],
  [["purchase", "amount"], 'arguments must be NAME=VALUE, not "amount"'],
  [["purchase", "=1"], 'arguments must be NAME=VALUE, not "=1"'],
  [["purchase", "merchant..mcc=1"], 'arguments must be NAME=VALUE, not "merchant..mcc=1"'],
  [["purchase", "amount=1", "amount=2"], '"amount=2" repeats an argument'],
  [["purchase", "amount=1", "amount.x=2"], '"amount.x=2" repeats an argument'],
  [["enroll", "--frobnicate"], 'unknown option "--frobnicate"'],
])("txfeed trigger %j is bad usage: one line and exit 2", async (args, message) => {
  const before = await sandbox.status();
  const { status, stdout, stderr } = await trigger(...args);
  expect(stderr).toContain(`txfeed: ${message}`);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(await sandbox.status()).toEqual(before);
});

test.each<[string[], string]>([
  [["enroll", "subaccountId=gone"], "there is no subaccount gone"],
  [["recover"], ""],
])("txfeed trigger %j does not apply: one line and exit 1", async (args, message) => {
  const { status, stdout, stderr } = await trigger(...args);
  expect(stderr).toContain(`txfeed: ${message}`);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
});

test("--url accepts the URL of the control API", async () => {
  for (const url of [`${sandbox.controlUrl}/`, `${sandbox.baseUrl}/`, sandbox.controlUrl]) {
    const { status } = await txfeed("trigger", "open-subaccount", "--url", url);
    expect(status).toBe(0);
  }
});

test("an invalid --url is bad usage", async () => {
  const { status, stderr } = await txfeed("trigger", "--url", "127.0.0.1:4020");
  expect(stderr).toContain('--url takes the URL of a sandbox, not "127.0.0.1:4020"');
  expect(status).toBe(2);
});

const problem = { type: "about:blank", title: "Not allowed", status: 405, detail: "POST only" };

const incompatible = "is not a sandbox, or not a compatible one";

test.each<[string, number, string, string]>([
  ["hello", 200, "hello", "is not a sandbox: it responded with status 200"],
  ["JSON other than a list", 200, "{}", `${incompatible}: it has no verbs`],
  ["a problem", 405, JSON.stringify(problem), `${incompatible}: POST only`],
])("a server that responds with %s gives exit 3 and one line", async (_, code, body, message) => {
  const url = await serve((_request, response) => response.writeHead(code).end(body));
  const { status, stdout, stderr } = await txfeed("trigger", "purchase", "--url", url);
  expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
  expect(stderr).toContain(`${url}/_sandbox ${message}`);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("an unreachable sandbox is one line and exit 3", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const why = `connect ECONNREFUSED 127.0.0.1:${port}; start a sandbox with: txfeed sandbox`;
  expect(await txfeed("trigger", "purchase", "--url", url)).toEqual({
    status: 3,
    stdout: "",
    stderr: `txfeed: can't reach ${url}/_sandbox: ${why}\n`,
  });
});

test("arguments are parsed by their type: text or JSON", async () => {
  const verbs = await sandbox.verbs();
  const read = (name: string, ...words: string[]) => {
    const verb = verbs.find((one) => one.name === name);
    if (!verb) throw new Error(name);
    return paramsIn(verb, words);
  };
  expect(read("purchase", "amount=12.5", "merchant.mcc=5411", "merchant.city=A=B")).toEqual({
    amount: 12.5,
    merchant: { mcc: "5411", city: "A=B" },
  });
  expect(read("enroll", "cardNumber=4000000000001111", "customerReferenceId=null")).toEqual({
    cardNumber: "4000000000001111",
    customerReferenceId: null,
  });
  expect(read("enroll", "cardNumber=null")).toEqual({ cardNumber: "null" });
  expect(read("switch-projection", "on=false")).toEqual({ on: false });
  expect(read("bank-post", 'category=["FOOD","COFFEE"]', "pending=true")).toEqual({
    category: ["FOOD", "COFFEE"],
    pending: true,
  });
});

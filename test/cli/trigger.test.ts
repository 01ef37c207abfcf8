import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { paramsIn } from "../../src/cli/trigger-params.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { txfeed } from "../program.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ world: "empty", clock: "frozen", validate: true });
  await sandbox.trigger("open-subaccount");
});

afterAll(() => sandbox.close());

const trigger = (...args: string[]) => txfeed("trigger", ...args, "--url", sandbox.baseUrl);

test("it makes something happen, and shows events, ids and last what was done", async () => {
  const { status, stdout, stderr } = await trigger("enroll", "customerReferenceId=77");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const [first] = await sandbox.resources("card-subscriptions");
  const { id, body } = first ?? {};
  const { cardId, customerReferenceId } = body as Record<string, unknown>;
  expect(customerReferenceId).toBe("77");
  const row = (name: string, value: unknown) => `  ${name.padEnd(26)}${value}`;
  const sent = row("cardsubscription.created", id);
  const told = [row("subscriptionId", id), row("cardId", cardId)];
  expect(stdout).toBe([sent, "", ...told, "", "✓ enroll: 1 event sent", ""].join("\n"));
});

test("--json is one line: what the verb did, and the events", async () => {
  const before = (await sandbox.events()).length;
  const { status, stdout, stderr } = await trigger("enroll", "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  const { verb, result, events } = JSON.parse(stdout);
  expect(verb).toBe("enroll");
  expect(Object.keys(result)).toEqual(["subscriptionId", "cardId"]);
  expect(events).toEqual(await sandbox.events({ after: before }));
});

test.each([[[]], [["--list"]]])(
  "%j lists every verb: summary, ids, what it takes",
  async (args) => {
    const { status, stdout, stderr } = await trigger(...args);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const { name, summary, requirements, params } of await sandbox.verbs()) {
      const line = stdout.split("\n").find((text) => text.startsWith(`  ${name} `)) ?? "";
      expect(line).toContain(summary);
      for (const id of requirements) expect(line).toContain(id);
      const next = stdout.split("\n").at(stdout.split("\n").indexOf(line) + 1) ?? "";
      expect(next.trim()).toBe(Object.keys(params["properties"] as object).join(" "));
    }
  },
);

test("--list of a scenario tells of it alone, and does nothing", async () => {
  const before = await sandbox.status();
  const { stdout } = await trigger("enroll", "--list");
  expect(stdout).toMatch(/^ {2}enroll .+\n +accountId .+\n\ntxfeed trigger /);
  const { stdout: json } = await trigger("enroll", "--list", "--json");
  expect(JSON.parse(json)).toEqual((await sandbox.verbs()).filter(({ name }) => name === "enroll"));
  expect(await sandbox.status()).toEqual(before);
});

test.each<[string[], string]>([
  [["frobnicate"], "there is no scenario 'frobnicate' (there are: purchase, clear"],
  [["enroll", "frob=1"], "enroll: frob: nothing of that name is taken here"],
  [["purchase", "amount=much"], "purchase: amount: expected number, received string"],
  [["purchase", "amount"], "members are given as NAME=VALUE, not 'amount'"],
  [["purchase", "=1"], "members are given as NAME=VALUE, not '=1'"],
  [["purchase", "merchant..mcc=1"], "members are given as NAME=VALUE, not 'merchant..mcc=1'"],
  [["purchase", "amount=1", "amount=2"], "'amount=2' is there already"],
  [["purchase", "amount=1", "amount.x=2"], "'amount.x=2' is there already"],
  [["enroll", "--frobnicate"], "unknown option '--frobnicate'"],
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

test("the control address does as well as the sandbox's", async () => {
  for (const url of [`${sandbox.controlUrl}/`, `${sandbox.baseUrl}/`, sandbox.controlUrl]) {
    const { status } = await txfeed("trigger", "--url", url);
    expect(status).toBe(0);
  }
});

test("an address that is none is bad usage", async () => {
  const { status, stderr } = await txfeed("trigger", "--url", "127.0.0.1:4020");
  expect(stderr).toContain("--url takes the address of a sandbox, not '127.0.0.1:4020'");
  expect(status).toBe(2);
});

test("where no sandbox answers it is one line and exit 3", async () => {
  const other = createServer((_request, response) => response.end("hello"));
  other.listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const { status, stdout, stderr } = await txfeed("trigger", "purchase", "--url", url);
  expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
  expect(stderr).toBe(
    `txfeed: what answers at ${url}/_sandbox is no sandbox: it answered with 200\n`,
  );
  other.close();
  other.closeAllConnections();
  const nobody = await txfeed("trigger", "purchase", "--url", url);
  expect(nobody).toEqual({
    status: 3,
    stdout: "",
    stderr: `txfeed: nothing answers at ${url}/_sandbox: connect ECONNREFUSED 127.0.0.1:${port}\n`,
  });
});

test("a word is read as the verb takes it: a text as a text, the rest as JSON", async () => {
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

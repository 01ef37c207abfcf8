import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import { ROOT } from "../document.ts";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A copy of the checkout that a test may edit. */
let copy: string;

beforeEach(async () => {
  copy = tempDir();
  for (const part of ["spec", "generated", "conformance/exclusions.yaml"]) {
    await cp(join(ROOT, part), join(copy, part), { recursive: true });
  }
  await symlink(join(ROOT, "node_modules"), join(copy, "node_modules"));
});

const generate = (...flags: string[]) =>
  run("scripts/generate/main.ts", ["--root", copy, ...flags], { TXFEED_DEBUG: "" });

async function edit(file: string, from: string | RegExp, to: string): Promise<void> {
  const before = await readFile(join(copy, file), "utf8");
  const after = before.replace(from, to);
  expect(after, `${file} has ${from}`).not.toBe(before);
  await writeFile(join(copy, file), after);
}

async function generated(): Promise<Record<string, string>> {
  const names = (await readdir(join(copy, "generated"))).sort();
  const texts = names.map(async (name) => [
    name,
    await readFile(join(copy, "generated", name), "utf8"),
  ]);
  return Object.fromEntries(await Promise.all(texts));
}

test("the committed files equal the generated ones byte for byte", async () => {
  const committed = await generated();
  await rm(join(copy, "generated"), { recursive: true });
  const { status, stderr } = await generate();
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(await generated()).toEqual(committed);
});

test("each step prints a line with its time", async () => {
  const { stdout } = await generate();
  const lines = stdout.trimEnd().split("\n");
  const steps = lines.slice(0, -2);
  expect(steps).toHaveLength(18);
  for (const line of steps) expect(line).toMatch(/^ {2}\w+ +[\w., -]+ +\d+\.\d\d s$/);
  expect(lines.at(-2)).toMatch(/^generated\/ has 16 files, none changed, \d+\.\d s$/);
  expect(lines.at(-1)).toBe("breaks: no committed document to compare with");
});

test("an unknown option is a usage error", async () => {
  const { status, stderr } = await generate("--frobnicate");
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^generate: unknown option "--frobnicate" \(see: npm run generate -- --help\)\n$/,
  );
});

test("an orphaned folder is removed", async () => {
  await cp(join(copy, "spec/examples"), join(copy, "generated/old"), { recursive: true });
  const { status, stderr } = await generate();
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(await readdir(join(copy, "generated"))).toHaveLength(16);
});

test("a stray file among the examples is reported and nothing changes", async () => {
  await writeFile(join(copy, "spec/examples/notes.txt"), "mine");
  const { status, stderr } = await generate();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error .*: spec\/examples\/notes\.txt: not a folder of examples\n$/);
});

test("--check passes if generated/ is fresh, and writes nothing", async () => {
  const { status, stdout } = await generate("--check");
  expect(status).toBe(0);
  expect(stdout).toMatch(/generated\/ is fresh: 16 files, \d+\.\d s\n$/);
});

test("--check lists stale, missing and orphaned files", async () => {
  await edit("generated/types.ts", "cardId", "cardID");
  await rm(join(copy, "generated/schema-index.ts"));
  await writeFile(join(copy, "generated/notes.txt"), "mine");
  const before = await generated();
  const { status, stderr } = await generate("--check");
  expect(status).toBe(1);
  expect(stderr.trim().split("\n").sort()).toEqual([
    "generated/notes.txt is stale: run npm run generate",
    "generated/schema-index.ts is stale: run npm run generate",
    "generated/types.ts is stale: run npm run generate",
  ]);
  expect(await generated()).toEqual(before);
});

test("editing a property of the contract changes types and validators", async () => {
  // The examples fit either form.
  await edit(
    "spec/resources/transaction.tsp",
    "descriptor: string;",
    "descriptor?: string | null;",
  );
  const { status } = await generate("--check");
  expect(status).toBe(1);
  await generate();
  const { "types.ts": types } = await generated();
  expect(types).toMatch(/descriptor\?: string \| null;/);
  const { events } = await import(join(copy, "generated/validators.js"));
  const { webhooks } = JSON.parse(await readFile(join(copy, "generated/openapi.json"), "utf8"));
  const media = webhooks["transaction.created"].post.requestBody.content["application/json"];
  const body = media.examples["pending"].value;
  expect(events["transaction.created"]({ ...body, descriptor: 12 })).toBe(false);
  expect(events["transaction.created"]({ ...body, descriptor: null })).toBe(true);
});

test("a compile error is reported with its position and nothing changes", async () => {
  await edit("spec/resources/card.tsp", "cards: Card[];", "cards: Crad[];");
  const before = await generated();
  const { status, stderr } = await generate();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^spec\/resources\/card\.tsp:\d+:\d+ - error .*Crad.*\n$/);
  expect(await generated()).toEqual(before);
});

test("a link without a target is reported and nothing changes", async () => {
  await edit("spec/resources/transaction.tsp", '@leadsTo("/cards/{id}")', '@leadsTo("/card/{id}")');
  const before = await generated();
  const { status, stderr } = await generate();
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^spec\/resources\/transaction\.tsp:\d+:\d+ - error .*\/card\/\{id\}\.\n$/,
  );
  expect(await generated()).toEqual(before);
});

const SCRIPTS = {
  "with-card-count": "bulk-feed-with-expected-card-count",
  "without-card-count": "bulk-feed-accepted",
};

test("a renamed field is reported for each example that has it", async () => {
  await edit(
    "spec/resources/network-bulk-feed.tsp",
    "model NetworkBulkFeed is OpenResource<NetworkBulkFeedLinks>;",
    "model NetworkBulkFeed { identifier: Id; _links: NetworkBulkFeedLinks; }",
  );
  const before = await generated();
  const { status, stderr } = await generate();
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toEqual(
    (["with-card-count", "without-card-count"] as const).map(
      (name) =>
        `src/world/scripts.ts: ${SCRIPTS[name]}: getNetworkBulkFeed/${name}: ` +
        "the value must have required property 'identifier'",
    ),
  );
  expect(await generated()).toEqual(before);
});

test.each([
  ["cardsubscription.created", '"id":"', '"id":"f', "/id must match"],
  [
    "cardsubscription.created",
    /"subaccountId":"[^"]+"/,
    '"subaccountId":7',
    "/subaccountId must be string; it is 7",
  ],
  [
    "transaction.match.created",
    '"confidence":"HIGH"',
    '"confidence":"NONE"',
    "/confidence must be equal to one of the allowed values: HIGH,MEDIUM,LOW",
  ],
  [
    "transaction.created",
    '"approvalCode"',
    '"aprovalCode"',
    "/_embedded/messages/0 must not have the property aprovalCode",
  ],
] as const)(
  "a mistake in an example of %s is reported in one line",
  async (event, from, to, reason) => {
    const text = JSON.stringify({ summary: "Mine", value: make(event) });
    const wrong = text.replace(from, to);
    expect(wrong).not.toBe(text);
    await mkdir(join(copy, `spec/examples/${event}`), { recursive: true });
    await writeFile(join(copy, `spec/examples/${event}/mine.json`), wrong);
    const { status, stderr } = await generate();
    expect(status).toBe(1);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(`spec/examples/${event}/mine.json: ${reason}`);
  },
);

test("an example of a name that a script has is refused", async () => {
  const file = "spec/examples/cardsubscription.created/network-bulk.json";
  await mkdir(join(copy, "spec/examples/cardsubscription.created"));
  await writeFile(join(copy, file), "{}");
  const { status, stderr } = await generate();
  expect(status).toBe(1);
  expect(stderr).toBe(`${file}: a script makes an example of this name: choose another one\n`);
});

test("an invalid example of a parameter is reported with its position", async () => {
  await edit("spec/resources/bank-link.tsp", /bankLinkId: "[^"]+"/, 'bankLinkId: "66319908"');
  await edit("spec/examples/completeBankLink/completed.json", '"href": "/', '"href": "/v1/');
  const { status, stderr } = await generate();
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /^generated\/openapi\.json#\/paths\/~1bank-links~1%7BbankLinkId%7D\/patch\/parameters\/0: .*\n$/,
  );
});

test("a workflow step without an operation is reported", async () => {
  await edit("spec/workflows.yaml", "operationId: getCard", "operationId: getCrad");
  const before = await generated();
  const { status, stderr } = await generate();
  expect(status).toBe(1);
  expect(stderr).toBe("spec/workflows.yaml: readCards/card: no operation getCrad\n");
  expect(await generated()).toEqual(before);
});

test("an example that is not JSON is reported with its file", async () => {
  await writeFile(join(copy, "spec/examples/completeBankLink/completed.json"), "{");
  const before = await generated();
  const { status, stderr } = await generate();
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain("spec/examples/completeBankLink/completed.json");
  expect(await generated()).toEqual(before);
});

test.each<[file: string, from: string | RegExp, to: string, message: string]>([
  ["spec/requirements.yaml", "id: CONV-02\n", "id: CONV-01\n", "CONV-01 is listed twice"],
  [
    "spec/requirements.yaml",
    "{id: uuid,",
    "{id: UUID,",
    "claim CONV-01.UUID needs a name in kebab",
  ],
  ["spec/requirements.yaml", "{id: exists,", "{id: form,", "claim CONV-02.form is listed twice"],
  ["spec/requirements.yaml", "in: [listed,", "in: [list,", "names an unknown situation, list"],
  ["spec/requirements.yaml", /at: "Resources[^"]*"/, 'at: ""', "needs a text and its place"],
  [
    "spec/requirements.yaml",
    "\nsituations:",
    "\nsituations:\n  odd: Odd.",
    "no claim names the situ",
  ],
  ["spec/requirements.yaml", / {2}claims:\n {2}- {id: uuid.*\n/, "", "CONV-01 needs claims"],
  [
    "spec/requirements.yaml",
    "how: [schema]",
    "how: [guess]",
    "CONV-01 needs an id, a how and a text",
  ],
  ["spec/requirements.yaml", "requirements:", "requirements: {", "spec/requirements.yaml: "],
  [
    "spec/requirements.yaml",
    "how: [schema]",
    "how: schema",
    "CONV-01 needs an id, a how and a text",
  ],
  [
    "spec/requirements.yaml",
    /requirements:[\s\S]*/,
    "requirements: [null]",
    "an entry needs an id",
  ],
  ["spec/requirements.yaml", /[\s\S]*/, "", "spec/requirements.yaml: needs a list of requirements"],
  ["conformance/exclusions.yaml", "AUTH-13:", "AUTH-99:", "AUTH-99 is not in the catalogue"],
  ["conformance/exclusions.yaml", /AUTH-13: .*/, "AUTH-13:", "AUTH-13 needs a reason"],
  ["conformance/exclusions.yaml", /[\s\S]*/, "", "conformance/exclusions.yaml: needs a map"],
])("%s with %j replaced by %j is refused in one line", async (file, from, to, message) => {
  await edit(file, from, to);
  const { status, stderr } = await generate();
  expect(status).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr).toContain(message);
});

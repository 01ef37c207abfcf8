import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import { type Document, readDocument } from "../document.ts";
import { captureLine } from "../support/payloads.ts";
import { piped } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { serveRegistry } from "./registry.ts";

const folder = tempDir();
let old: string;

beforeAll(async () => {
  old = await save("old", readDocument());
});
async function save(name: string, content: unknown): Promise<string> {
  const file = join(folder, `${name}.json`);
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

/** A copy of the document after an edit. */
async function edited(name: string, edit: (document: Document) => void): Promise<string> {
  const document = readDocument();
  edit(document);
  return save(name, document);
}

const withoutDescriptor = (document: Document) => {
  const schema = document.components.schemas.TransactionEvent;
  delete schema?.properties?.descriptor;
  if (schema) schema.required = schema.required?.filter((name) => name !== "descriptor") ?? [];
};
const POINTER = "/components/schemas/TransactionEvent/properties/descriptor";

const V3 = { openapi: "3.0.3", info: { title: "Another", version: "1" }, paths: {} };

async function breaks(...args: string[]) {
  return piped(["breaks", ...args], "");
}

test("a removed field exits 1, with the fixed members and a witness in json", async () => {
  const now = await edited("removed", withoutDescriptor);
  const { status, stdout, stderr } = await breaks(old, now, "--format", "json");
  expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  expect(stdout.trimEnd().split("\n")).toHaveLength(1);
  const { verdict, audiences, changes } = JSON.parse(stdout);
  expect({ verdict, audiences }).toEqual({
    verdict: "major",
    audiences: {
      ...{ consumer: "breaking", caller: "none", implementer: "compatible", types: "breaking" },
    },
  });
  expect(changes).toMatchObject([{ pointer: POINTER, kind: "property-removed", audiences }]);
  expect(changes[0].witness).toMatchObject({ accepts: "new", rejects: "old" });
  expect(changes[0].witness.payload.body).not.toHaveProperty("descriptor");
});

test("text has a row per change and the verdict last", async () => {
  const now = await edited("removed", withoutDescriptor);
  const { stdout } = await breaks(old, now);
  expect(stdout).toMatch(
    /^ {2}transaction\.created and 1 more: descriptor was removed.* ✗ +· +✓ +✗$/m,
  );
  expect(stdout).toContain("witness: transaction.created, valid in new, invalid in old");
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("major: 1 breaking change (consumer, types)");
});

test("changed descriptions are a patch, equal documents none, exit 0", async () => {
  const now = await edited("words", (document) => {
    document.info.description = "In other words.";
  });
  const patch = await breaks(old, now);
  expect(patch).toMatchObject({ status: 0, stderr: "" });
  expect(patch.stdout).toMatch(/\npatch: only descriptions, examples or notation differ\n$/);
  expect((await breaks(old, old)).stdout).toMatch(/\nnone: the documents are the same\n$/);
});

test("approvals accept a break until they expire or break nothing", async () => {
  const now = await edited("removed", withoutDescriptor);
  const approval = {
    ...{
      pointer: POINTER,
      kind: "property-removed",
      text: "descriptor was removed; it was required",
    },
    ...{ reason: "agreed", author: "Ada" },
  };
  const approved = await save("approved", [{ ...approval, expires: "2999-12-31" }]);
  const good = await breaks(old, now, "--approvals", approved);
  expect(good.status).toBe(0);
  expect(good.stdout).toMatch(/, all approved\n$/);

  const expired = await save("expired", [{ ...approval, expires: "2020-12-31" }]);
  const late = await breaks(old, now, "--approvals", expired);
  expect(late.status).toBe(1);
  expect(late.stdout).toContain(`expired approval: property-removed ${POINTER}`);

  const stale = await breaks(old, old, "--approvals", approved);
  expect(stale.status).toBe(1);
  expect(stale.stdout).toContain("breaks nothing; remove it");
});

test("with captures, only received messages decide the exit status", async () => {
  const created = make("transaction.created");
  const lines = [captureLine("transaction.created", created), "not JSON"];
  const captures = await save("captures", lines.join("\n"));
  const closed = await edited("closed", (document) => {
    const { descriptor } = document.components.schemas.TransactionEvent?.properties ?? {};
    if (descriptor) descriptor.maxLength = 3;
  });
  const hit = await breaks(old, closed, "--captures", captures);
  expect(hit.status).toBe(1);
  expect(hit.stdout).toContain(
    "line 1  transaction.created  /descriptor must NOT have more than 3",
  );
  expect(hit.stdout).toContain("breaks 1 of 1 message; 1 line unreadable");

  const now = await edited("removed", withoutDescriptor);
  const missed = await breaks(old, now, "--captures", captures);
  expect(missed.status).toBe(0);
  expect(missed.stdout).toContain("captures: the new contract breaks 0 of 1 message");
});

test("Markdown has migration notes and a changelog, SARIF an error for a break", async () => {
  const now = await edited("removed", withoutDescriptor);
  const [markdown, sarif] = [join(folder, "report.md"), join(folder, "report.sarif")];
  await breaks(old, now, "--markdown", markdown, "--sarif", sarif);
  const text = await readFile(markdown, "utf8");
  for (const title of ["### Migration", "### Witnesses", "### Changelog", "#### Breaking"]) {
    expect(text).toContain(title);
  }
  const [run] = JSON.parse(await readFile(sarif, "utf8")).runs;
  expect(run.results).toMatchObject([{ ruleId: "property-removed", level: "error" }]);
});

test.each<[string, () => Promise<string[]>, RegExp]>([
  ["no NEW", async () => [old], /NEW is missing/],
  [
    "a missing file",
    async () => [old, "absent.json"],
    /absent\.json can't be read: there is no such file; give a/,
  ],
  [
    "a missing git reference",
    async () => ["absent:x.json", old],
    /git can't show "absent:x\.json"/,
  ],
  ["OpenAPI 3.0", async () => [old, await save("v3", V3)], /is OpenAPI 3\.0\.3; /],
  [
    "JSON that is cut off",
    async () => [old, await save("cut", '{"openapi": "3.1')],
    /can't be read/,
  ],
  [
    "an approval without a reason",
    async () => [
      old,
      old,
      "--approvals",
      await save("bad", [{ pointer: "", kind: "x", text: "y" }]),
    ],
    /entry 1 has no reason/,
  ],
  [
    "an output in a missing folder",
    async () => [old, old, "--sarif", join(folder, "absent", "x")],
    /can't be written/,
  ],
])("%s is one line and exit 2", async (_name, args, message) => {
  const { status, stdout, stderr } = await breaks(...(await args()));
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(message);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("a git reference and a YAML file are read", async () => {
  const { status, stdout } = await breaks("HEAD:generated/openapi.json", "generated/openapi.yaml");
  expect(stdout).toContain("breaks: HEAD:generated/openapi.json → generated/openapi.yaml");
  expect([0, 1]).toContain(status);
});

test("a published version is read from the registry", async () => {
  const source = join(folder, "package");
  await mkdir(source);
  await writeFile(join(source, "openapi.json"), JSON.stringify(readDocument()));
  await using server = await serveRegistry(source, "published-feed", "1.2.3");
  process.env.npm_config_registry = server.origin;
  const { status, stdout, stderr } = await breaks("published-feed@1.2.3", old);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/\nnone: the documents are the same\n$/);
  const absent = await breaks("published-feed@9.9.9", old);
  expect(absent.status).toBe(2);
  expect(absent.stderr).toMatch(/npm can't install "published-feed@9\.9\.9": .+/);
});

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readEnvelope } from "../../src/cli/envelope.ts";
import { validateEnvelope } from "../../src/cli/validation.ts";
import { checkHistory, type RecordedDelivery } from "../../src/contract/index.ts";
import { ROOT } from "../document.ts";
import { piped, txfeed } from "../support/program.ts";

const EXAMPLES = `${ROOT}../shared/examples`;
const isThere = existsSync(`${EXAMPLES}/payloads.json`);
const SKIPPED = "(skipped without the interface's folder)";

interface Labelled {
  event?: string;
  operation?: string;
  status?: number;
  body: unknown;
  expect: "valid" | "invalid" | "notice" | "derived";
}

const labelled: Labelled[] = isThere
  ? JSON.parse(readFileSync(`${EXAMPLES}/payloads.json`, "utf8"))
  : [];
const lines = labelled.map(({ event, operation, status, body }) =>
  JSON.stringify(
    event ? { headers: { "webhook-event-type": event }, body } : { operation, status, body },
  ),
);

test.skipIf(!isThere)(`validate agrees with each labelled example ${SKIPPED}`, async () => {
  const { stdout } = await piped(["validate", "--format", "json"], lines.join("\n"));
  const output = stdout.trimEnd().split("\n");
  expect(output).toEqual(
    lines.map((line, at) => {
      const { ok, findings } = validateEnvelope(readEnvelope(line), { isStrict: false });
      return JSON.stringify({ line: at + 1, ok, findings });
    }),
  );
  const isOk = output.map((line) => JSON.parse(line).ok);
  const wronglyRefused = labelled.filter(({ expect }, at) => expect !== "invalid" && !isOk[at]);
  expect(wronglyRefused).toEqual([]);
  expect(isOk.filter((ok) => !ok).length).toBeGreaterThan(20);
});

const histories = isThere
  ? readdirSync(`${EXAMPLES}/histories`).filter((name) => name.endsWith(".ndjson"))
  : [];

test.skipIf(!isThere)(`there are labelled histories ${SKIPPED}`, () =>
  expect(histories.length).toBeGreaterThan(10),
);

test.each(histories)("history agrees with the contract on %s", async (name) => {
  const file = `${EXAMPLES}/histories/${name}`;
  const deliveries: RecordedDelivery[] = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { ok, findings } = await checkHistory(deliveries, { complete: true });
  const { status, stdout } = await txfeed("history", file, "--complete", "--format", "json");
  const output = JSON.parse(stdout);
  expect(output.ok).toBe(ok);
  expect(output.findings).toHaveLength(findings.length);
  expect(output.findings).toEqual(expect.arrayContaining(JSON.parse(JSON.stringify(findings))));
  expect(status).toBe(ok ? 0 : 1);
});

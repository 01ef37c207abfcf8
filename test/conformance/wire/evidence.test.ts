import { expect, test } from "vitest";
import type { Evidence } from "../../../conformance/wire/evidence.ts";
import { EvidenceReader, evidenceLine } from "../../../conformance/wire/evidence.ts";
import { capabilitiesWith } from "../observe/deliveries/captured.ts";
import { delivery, exchange } from "../report/some-report.ts";

const at = { target: "http://127.0.0.1:1", startedAt: "2026-01-05T09:00:00.000Z" };
const RUN: Evidence = { kind: "run", version: 1, ...at, means: capabilitiesWith(["settle"]) };

const ENTRIES: readonly Evidence[] = [
  RUN,
  { kind: "exchange", scope: "AUTH-01: a fact", ...exchange(1, "/cards") },
  { kind: "exchange", scope: "AUTH-01: a fact", ...exchange(2, "/cards", "no response") },
  { kind: "delivery", ...delivery(3, "transaction.created") },
  { kind: "mark", scope: "arrivals", deliveries: 1 },
  { kind: "verb", scope: "x", verb: "settle", params: undefined, refusal: "no" },
  { kind: "end", durationMs: 5 },
];

function read(lines: readonly string[]): readonly Evidence[] {
  const reader = new EvidenceReader();
  for (const [at, line] of lines.entries()) reader.add(line, at + 1);
  return reader.end();
}

test("written evidence is read back, with each body once", () => {
  const lines = ENTRIES.map(evidenceLine);
  for (const line of lines) expect(line).toMatch(/^[^\n]+\n$/);
  expect(read(lines)).toEqual(JSON.parse(JSON.stringify(ENTRIES)));
  const response = { status: 200, headers: {}, body: "{}", json: { parsed: "twice" } };
  const entry = { kind: "exchange", scope: "x", ...exchange(1, "/cards"), response } as const;
  expect(evidenceLine(entry)).not.toContain("twice");
});

test("an incomplete last line is ignored", () => {
  const whole = ENTRIES.slice(0, 3).map(evidenceLine);
  expect(read([...whole, '{"kind":"deliv'])).toHaveLength(3);
  expect(() => read([...whole, '{"kind":"deliv', ...whole.slice(1)])).toThrow("line 4 is not JSON");
});

test.each<[string, unknown[]]>([
  ["it is empty", []],
  ["line 1 is not the start of a file", [[]]],
  ["line 1 is not the start of a file", [{ kind: "end", durationMs: 1 }]],
  ["line 1 is not the start of a file", [{ ...RUN, version: undefined }]],
  ["has version 0, but this txfeed reads version 1", [{ ...RUN, version: 0 }]],
  ["line 2 starts another run", [RUN, RUN]],
  ["line 2 is not evidence of a conformance run", [RUN, 7]],
  ["line 2 is not evidence of a conformance run", [RUN, { kind: "toString" }]],
])("evidence is refused: %s", (message, entries) => {
  expect(() => read(entries.map((entry) => JSON.stringify(entry)))).toThrow(message);
});

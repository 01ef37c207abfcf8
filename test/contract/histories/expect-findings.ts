import { expect } from "vitest";
import { checkHistory } from "../../../src/contract/history/index.ts";
import type { HistoryCase } from "./case.ts";
import type { Delivery } from "./delivery.ts";

/** The expected findings of a history. */
export type Label = Pick<HistoryCase, "expect" | "requirement" | "alsoAcceptable" | "complete">;

/** Expects the labelled findings of a history. A failure lists the actual ones. */
export async function expectFindings(deliveries: readonly Delivery[], label: Label) {
  const { ok, findings } = await checkHistory(deliveries, { complete: label.complete ?? true });
  const reported = findings
    .filter(({ level }) => level !== "notice")
    .map(({ level, requirement, lines }) => `${level} ${requirement} at ${lines.join(", ")}`);
  if (label.expect === "valid" || label.expect === "notice") {
    expect(reported).toEqual([]);
    return;
  }
  const accepted = [label.requirement, ...(label.alsoAcceptable ?? [])];
  const levels = findings
    .filter(({ requirement }) => accepted.includes(requirement))
    .map(({ level }) => level);
  const all = reported.join("; ") || "no finding";
  expect(levels, all).toContain(label.expect === "invalid" ? "error" : "warning");
  expect(ok, all).toBe(label.expect !== "invalid");
}

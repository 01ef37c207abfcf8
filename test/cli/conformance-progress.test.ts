import { expect, test } from "vitest";
import { runProgressOn } from "../../conformance/cli/progress.ts";

/** A fake terminal that records its output, and a fake clock. */
function terminal(isTTY: boolean, columns = 80) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const screen = { isTTY, columns, write: (text: string) => written.push(text) };
  return { written, clock, progress: runProgressOn(screen, () => clock.ms, {}) };
}

const LINE = "\r\u001b[K";
const CHECK = { done: 3, of: 200, requirement: "PAGE-11" } as const;
const exchange = { kind: "exchange" } as never;
const delivery = { kind: "delivery" } as never;

test("rewrites one line with the progress, and clears it at the end", () => {
  const { written, clock, progress } = terminal(true);
  progress.noteEvidence(exchange);
  progress.noteEvidence(delivery);
  clock.ms = 1_200;
  progress.noteCheck(CHECK);
  progress.end();
  expect(written).toEqual([`${LINE}3 of 200 checks, 1 request, 1 delivery, 1.2 s, PAGE-11`, LINE]);
});

test("truncates the line to the width of a terminal, and writes nothing elsewhere", () => {
  const shown = [terminal(true, 20), terminal(false)].map(({ written, clock, progress }) => {
    clock.ms = 200;
    progress.noteCheck(CHECK);
    progress.end();
    return written[0];
  });
  expect(shown).toEqual([`${LINE}3 of 200 checks, 0…`, undefined]);
});

import { expect, test } from "vitest";
import { progressOn } from "../../src/cli/terminal.ts";

/** A terminal that records its output, with a fake clock. */
function terminal(isTTY: boolean) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const screen = { isTTY, write: (text: string) => written.push(text) };
  return { written, clock, progress: progressOn(screen, () => clock.ms) };
}

test("progress rewrites one line at most ten times a second", () => {
  const { written, clock, progress } = terminal(true);
  for (clock.ms = 0; clock.ms <= 250; clock.ms += 10) progress.show(clock.ms * 100);
  progress.clear();
  expect(written).toEqual([
    "\r\u001b[K10,000 lines, 100,000/s",
    "\r\u001b[K20,000 lines, 100,000/s",
    "\r\u001b[K",
  ]);
});

test("a short run shows no progress", () => {
  const { written, progress } = terminal(true);
  progress.show(10);
  progress.clear();
  expect(written).toEqual([]);
});

test("a stream that is not a terminal gets no progress", () => {
  const { written, clock, progress } = terminal(false);
  clock.ms = 1_000;
  progress.show(10);
  progress.clear();
  expect(written).toEqual([]);
});

import { expect, test, vi } from "vitest";
import { progressOn } from "../../src/cli/progress.ts";

/** A terminal that records its output, with a fake clock. */
function terminal(isTTY: boolean, env: NodeJS.ProcessEnv = {}, columns = 80) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const screen = { isTTY, columns, write: (text: string) => written.push(text) };
  return { written, clock, progress: progressOn(screen, () => clock.ms, env) };
}

const LINE = "\r\u001b[K";

test("progress rewrites one line at most ten times a second, and erases it at the end", () => {
  const { written, clock, progress } = terminal(true);
  for (clock.ms = 0; clock.ms <= 250; clock.ms += 10) progress.show((ms) => `at ${ms} ms`);
  progress.end();
  expect(written).toEqual([`${LINE}at 100 ms`, `${LINE}at 200 ms`, LINE]);
});

test("a step is shown immediately, because it may block the program", () => {
  const { written, clock, progress } = terminal(true);
  progress.step("reading");
  clock.ms = 1_000;
  progress.step("comparing");
  progress.end();
  expect(written).toEqual([`${LINE}reading`, `${LINE}comparing, 1.0 s`, LINE]);
});

test("the elapsed time advances without an update, until the line is cleared", () => {
  vi.useFakeTimers();
  try {
    const { written, clock, progress } = terminal(true);
    progress.step("waiting");
    clock.ms = 1_200;
    vi.advanceTimersByTime(100);
    expect(written).toEqual([`${LINE}waiting`, `${LINE}waiting, 1.2 s`]);
    progress.clear();
    clock.ms = 2_400;
    vi.advanceTimersByTime(1_000);
    expect(written).toEqual([`${LINE}waiting`, `${LINE}waiting, 1.2 s`, LINE]);
    progress.end();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a line of the log replaces the progress", () => {
  const { written, clock, progress } = terminal(true);
  clock.ms = 500;
  progress.step("waiting");
  progress.log("receiving");
  expect(written).toEqual([`${LINE}waiting`, LINE, "receiving\n"]);
  progress.end();
});

test("progress is cut to the width of the terminal", () => {
  const { written, clock, progress } = terminal(true, {}, 12);
  clock.ms = 500;
  progress.step("comparing documents");
  progress.end();
  expect(written[0]).toBe(`${LINE}comparing …`);
});

test("a short command shows no progress", () => {
  const { written, clock, progress } = terminal(true);
  clock.ms = 90;
  progress.show(() => "1 line");
  progress.end();
  expect(written).toEqual([]);
});

test.each<[string, boolean, NodeJS.ProcessEnv]>([
  ["a stream that is not a terminal", false, {}],
  ["a dumb terminal", true, { TERM: "dumb" }],
])("%s gets no progress, but the lines of the log", (_stream, isTTY, env) => {
  const { written, clock, progress } = terminal(isTTY, env);
  clock.ms = 1_000;
  progress.show(() => "1 line");
  progress.step("reading");
  progress.log("receiving");
  progress.end();
  expect(written).toEqual(["receiving\n"]);
});

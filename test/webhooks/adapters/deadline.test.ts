import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDeadline } from "../../../src/webhooks/adapters/node-request.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("each operation expires at its own deadline", () => {
  const expired: string[] = [];
  const deadline = createDeadline(100);
  deadline.start(() => expired.push("first"));
  vi.advanceTimersByTime(60);
  deadline.start(() => expired.push("second"));
  deadline.start(() => expired.push("third"));
  vi.advanceTimersByTime(39);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(["first"]);
  vi.advanceTimersByTime(59);
  expect(expired).toEqual(["first"]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(["first", "second", "third"]);
});

test("a cancelled operation does not expire, a later one does", () => {
  const expired: string[] = [];
  const deadline = createDeadline(100);
  const cancel = deadline.start(() => expired.push("cancelled"));
  vi.advanceTimersByTime(50);
  cancel();
  deadline.start(() => expired.push("later"));
  vi.advanceTimersByTime(99);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(expired).toEqual(["later"]);
});

test("operations share one timer, which stops when idle", () => {
  const deadline = createDeadline(100);
  const expire = vi.fn();
  for (let started = 0; started < 5; started++) deadline.start(expire);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(100);
  expect([expire.mock.calls.length, vi.getTimerCount()]).toEqual([5, 0]);
  deadline.start(expire);
  vi.advanceTimersByTime(100);
  expect(expire).toHaveBeenCalledTimes(6);
});

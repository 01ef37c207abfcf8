import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { deadlineOf } from "../../../src/webhooks/adapters/deadline.ts";

/** An expiry, as something that can be waited for. */
function expiry() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, resolve };
}

test("expires each of several, the first first", async () => {
  const order: number[] = [];
  const deadline = deadlineOf(20);
  const last = expiry();
  deadline.start(() => order.push(1));
  await wait(10);
  deadline.start(() => order.push(2));
  deadline.start(last.resolve);
  // A deadline keeps no process alive: the wait does.
  await Promise.all([last.promise, wait(40)]);
  expect(order).toEqual([1, 2]);
});

test("leaves what was called off alone, and expires what started after it", async () => {
  const order: string[] = [];
  const deadline = deadlineOf(20);
  const last = expiry();
  const callOff = deadline.start(() => order.push("called off"));
  callOff();
  deadline.start(() => {
    order.push("expired");
    last.resolve();
  });
  await Promise.all([last.promise, wait(40)]);
  expect(order).toEqual(["expired"]);
});

test("starts again after it ran dry", async () => {
  const deadline = deadlineOf(5);
  let expired = 0;
  for (const expected of [1, 2]) {
    const last = expiry();
    deadline.start(() => {
      expired++;
      last.resolve();
    });
    await Promise.all([last.promise, wait(20)]);
    expect(expired).toBe(expected);
  }
});

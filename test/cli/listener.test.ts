import { expect, test } from "vitest";
import type { CapturedDelivery } from "../../src/cli/capture-file.ts";
import { type Arrival, listenerFor } from "../../src/cli/listener.ts";
import { BodyIncompleteError, FileError } from "../../src/errors.ts";
import type { Receive } from "../../src/webhooks/request.ts";

function incoming(
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Parameters<Receive>[0] {
  const all = { "content-type": "application/json", "webhook-event-type": "x.made", ...headers };
  return {
    request: { method: "POST", url: "/", headers: new Headers(all) },
    readBody: async () => Buffer.from(body),
  };
}

/** A listener with a fake capture. */
function listener(append: (received: CapturedDelivery) => Promise<void>) {
  const arrivals: Arrival[] = [];
  const refusals: number[] = [];
  const receive = listenerFor({
    capture: { append },
    onArrival: (arrival) => arrivals.push(arrival),
    onRefusal: ({ status }) => refusals.push(status),
    now: () => new Date("2025-03-04T12:30:16.120Z"),
  });
  return { receive, arrivals, refusals };
}

test("it responds after the delivery is in the capture", async () => {
  const { promise: written, resolve: write } = Promise.withResolvers<void>();
  const { receive, arrivals } = listener(() => written);
  let isAnswered = false;
  const response = receive(incoming("{}")).finally(() => {
    isAnswered = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect({ isAnswered, arrivals }).toEqual({ isAnswered: false, arrivals: [] });
  write();
  expect(await response).toMatchObject({ status: 204 });
  expect(arrivals).toMatchObject([{ name: "x.made", receivedAt: "2025-03-04T12:30:16.120Z" }]);
});

test("a delivery that can't be captured is not accepted", async () => {
  const full = new FileError("the disk is full");
  const { receive, arrivals } = listener(() => Promise.reject(full));
  await expect(receive(incoming("{}"))).rejects.toBe(full);
  expect(arrivals).toEqual([]);
});

test.each<[contentType: string, status: number]>([
  ["application/json; charset=utf-8", 204],
  ["application/vnd.feed+json", 204],
  ["text/json", 415],
  ["application/jsonlines", 415],
  ["", 415],
])("content type %j gets a %i", async (type, status) => {
  const { receive } = listener(async () => {});
  expect(await receive(incoming("{}", { "content-type": type }))).toMatchObject({ status });
});

test("a compressed body is refused and not captured", async () => {
  const { receive, refusals } = listener(() => Promise.reject(new Error("must not be called")));
  const response = await receive(incoming("{}", { "content-encoding": "gzip" }));
  expect(response.body).toContain("gzip");
  expect(refusals).toEqual([415]);
});

test("two event names are shown unchanged and captured without a name", async () => {
  const { receive, arrivals } = listener(async () => {});
  const headers = { "webhook-event-type": "x.made, x.made" };
  expect(await receive(incoming("{}", headers))).toMatchObject({ status: 400 });
  expect(arrivals).toMatchObject([{ name: "", findings: [{ actual: 'string "x.made, x.made"' }] }]);
});

test("a body that is not UTF-8 is captured as raw text", async () => {
  const recorded: CapturedDelivery[] = [];
  const { receive } = listener(async (received) => void recorded.push(received));
  expect(await receive(incoming(Buffer.from([0x22, 0xff, 0x22])))).toMatchObject({ status: 400 });
  expect(recorded).toMatchObject([{ text: '"\ufffd"', isJson: false }]);
});

test("an incomplete body is refused and not captured", async () => {
  const { receive, refusals } = listener(() => Promise.reject(new Error("must not be called")));
  const aborted = new BodyIncompleteError("aborted");
  const readBody = () => Promise.reject(aborted);
  expect(await receive({ ...incoming(""), readBody })).toMatchObject({ status: 408 });
  expect(refusals).toEqual([408]);
});

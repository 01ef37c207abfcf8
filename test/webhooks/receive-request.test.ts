import { expect, test } from "vitest";
import { readBody } from "../../src/webhooks/receive-request.ts";

const URL_OF_ANY = "http://receiver.example/";

/** A request with a body in chunks, which records reads and cancellation. */
function requestOf(chunks: readonly Uint8Array[], headers: Record<string, string> = {}) {
  const source = { pulled: 0, isCancelled: false };
  const stream = new ReadableStream(
    {
      pull(controller) {
        const chunk = chunks[source.pulled++];
        if (chunk) controller.enqueue(chunk);
        else controller.close();
      },
      cancel() {
        source.isCancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: "POST", headers, body: stream, duplex: "half" } as RequestInit;
  return { request: new Request(URL_OF_ANY, init), source };
}

test.each([
  ["several chunks", [[1, 2], [255], [0, 13, 10]]],
  ["one chunk", [[239, 187, 191]]],
  ["empty chunks", [[], [7], []]],
  ["no chunk", []],
])("%s is read to the same bytes", async (_what, chunks) => {
  const { request } = requestOf(chunks.map((bytes) => Uint8Array.from(bytes)));
  expect(await readBody(request, 6)).toEqual(Uint8Array.from(chunks.flat()));
});

test("a missing body is zero bytes", async () => {
  expect(await readBody(new Request(URL_OF_ANY), 6)).toEqual(new Uint8Array());
});

test("reading stops at the limit and cancels the rest", async () => {
  const { request, source } = requestOf(Array.from({ length: 9 }, () => new Uint8Array(10)));
  expect(await readBody(request, 25)).toBe("too-large");
  expect(source).toEqual({ pulled: 3, isCancelled: true });
});

test("a body with a large content-length is not read", async () => {
  const { request, source } = requestOf([new Uint8Array(10)], { "content-length": "26" });
  expect(await readBody(request, 25)).toBe("too-large");
  expect(source).toEqual({ pulled: 0, isCancelled: true });
});

test("a content-length that is too small is not trusted", async () => {
  const { request } = requestOf([new Uint8Array(26)], { "content-length": "1" });
  expect(await readBody(request, 25)).toBe("too-large");
});

test("a body that was read before rejects with body-consumed", async () => {
  const { request } = requestOf([Uint8Array.from([1])]);
  await request.text();
  await expect(readBody(request, 25)).rejects.toMatchObject({ code: "body-consumed" });
});

test("a body that is being read rejects with body-consumed", async () => {
  const { request } = requestOf([Uint8Array.from([1])]);
  request.body?.getReader();
  await expect(readBody(request, 25)).rejects.toMatchObject({ code: "body-consumed" });
});

test("an incomplete body rejects with body-incomplete", async () => {
  const stream = new ReadableStream({
    pull: (controller) => controller.error(new Error("connection lost")),
  });
  const init = { method: "POST", body: stream, duplex: "half" } as RequestInit;
  await expect(readBody(new Request(URL_OF_ANY, init), 25)).rejects.toMatchObject({
    code: "body-incomplete",
    message: "the body broke off after 0 bytes: connection lost",
  });
});

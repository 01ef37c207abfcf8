import { expect, test } from "vitest";
import { readBody } from "../../src/webhooks/receive-request.ts";

const URL_OF_ANY = "http://receiver.example/";

/** A request whose body comes in chunks, and how many were asked for and whether it was cancelled. */
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
])("reads %s to the same bytes", async (_what, chunks) => {
  const { request } = requestOf(chunks.map((bytes) => Uint8Array.from(bytes)));
  expect(await readBody(request, 6)).toEqual(Uint8Array.from(chunks.flat()));
});

test("reads no bytes where there is no body", async () => {
  expect(await readBody(new Request(URL_OF_ANY), 6)).toEqual(new Uint8Array());
});

test("stops at the chunk that passes the limit, and cancels the rest", async () => {
  const { request, source } = requestOf(Array.from({ length: 9 }, () => new Uint8Array(10)));
  expect(await readBody(request, 25)).toBe("too-large");
  expect(source).toEqual({ pulled: 3, isCancelled: true });
});

test("asks for nothing of a body that says it is too large", async () => {
  const { request, source } = requestOf([new Uint8Array(10)], { "content-length": "26" });
  expect(await readBody(request, 25)).toBe("too-large");
  expect(source).toEqual({ pulled: 0, isCancelled: true });
});

test("does not trust a length that is said too small", async () => {
  const { request } = requestOf([new Uint8Array(26)], { "content-length": "1" });
  expect(await readBody(request, 25)).toBe("too-large");
});

test("rejects with body-consumed where the body was read before", async () => {
  const { request } = requestOf([Uint8Array.from([1])]);
  await request.text();
  await expect(readBody(request, 25)).rejects.toMatchObject({ code: "body-consumed" });
});

test("rejects with body-consumed where something else is reading it", async () => {
  const { request } = requestOf([Uint8Array.from([1])]);
  request.body?.getReader();
  await expect(readBody(request, 25)).rejects.toMatchObject({ code: "body-consumed" });
});

test("rejects with body-incomplete where the body breaks off", async () => {
  const stream = new ReadableStream({
    pull: (controller) => controller.error(new Error("connection lost")),
  });
  const init = { method: "POST", body: stream, duplex: "half" } as RequestInit;
  await expect(readBody(new Request(URL_OF_ANY, init), 25)).rejects.toMatchObject({
    code: "body-incomplete",
    message: "the body broke off after 0 bytes: connection lost",
  });
});

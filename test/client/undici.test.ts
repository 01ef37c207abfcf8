import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, MockAgent } from "undici";
import { afterEach, expect, test } from "vitest";
import { ResponseTooLong, type TransportRequest } from "../../src/client/transport.ts";
import { type UndiciTransportOptions, undiciTransport } from "../../src/client/undici/index.ts";
import { startSocketServer } from "./socket-server.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A transport and a local server with the given handler. */
async function pair(
  reply: (request: IncomingMessage, response: ServerResponse) => unknown,
  options?: UndiciTransportOptions,
) {
  const server = await startSocketServer(reply);
  const transport = undiciTransport(options);
  closers.push(transport.close, server.close);
  return { server, transport, ask: (given?: Given) => transport(request(server.origin, given)) };
}

type Given = Partial<TransportRequest> & { readonly path?: string };

function request(origin: string, { path = "/cards", ...given }: Given = {}): TransportRequest {
  return {
    method: "GET",
    url: origin + path,
    headers: {},
    body: undefined,
    maxBytes: 1000,
    get signal(): AbortSignal {
      throw new Error("a signal costs an AbortController");
    },
    onCancel: () => {},
    ...given,
  };
}

/** A cancellation for a request. */
function canceller() {
  let run = () => {};
  const onCancel = (cancel: () => void) => {
    run = cancel;
  };
  return { onCancel, cancel: () => run() };
}

/** Resolves when the client has received response headers. */
function headersReceived(): Promise<void> {
  const name = "undici:request:headers";
  return new Promise((resolve) => {
    const received = () => {
      unsubscribe(name, received);
      resolve();
    };
    subscribe(name, received);
  });
}

test("sends the given request without Accept-Encoding", async () => {
  let seen: object = {};
  const { ask } = await pair(async (incoming, response) => {
    const { method, url, headers } = incoming;
    seen = { method, url, headers, body: await incoming.toArray().then(String) };
    response.end();
  });
  const headers = { "x-own": "1", "content-type": "application/json" };
  await ask({ method: "PATCH", path: "/bank-links/a?b=c%20d", headers, body: '{"a":"é"}' });
  expect(seen).toEqual({
    method: "PATCH",
    url: "/bank-links/a?b=c%20d",
    headers: {
      ...headers,
      host: expect.stringContaining("127.0.0.1"),
      connection: "keep-alive",
      "content-length": "10",
    },
    body: '{"a":"é"}',
  });
});

test("resolves to status, headers and body for any status", async () => {
  const { ask } = await pair((_, response) => response.writeHead(503, { "x-a": "b" }).end("no"));
  const { status, headers, text } = await ask();
  expect([status, headers.get("x-a"), text]).toEqual([503, "b", "no"]);
});

test("follows no redirect", async () => {
  const { ask, server } = await pair((_, response) => {
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  const { status, headers, text } = await ask();
  expect([status, headers.get("location"), text]).toEqual([302, "/elsewhere", ""]);
  expect(server.requests).toBe(1);
});

test("skips interim responses", async () => {
  const { ask } = await pair((_, response) => {
    response.writeEarlyHints({ link: "</a>; rel=preload" }, () => response.end("final"));
  });
  const { status, headers, text } = await ask();
  expect([status, headers.has("link"), text]).toEqual([200, false, "final"]);
});

test("finds headers in any case, and joins several by a comma", async () => {
  const { ask } = await pair((_, response) => {
    response
      .writeHead(200, [
        "X-One",
        "1",
        "X-Two",
        "a",
        "x-two",
        "b",
        "Set-Cookie",
        "c=1",
        "Set-Cookie",
        "d=2",
      ])
      .end();
  });
  const { headers } = await ask();
  expect(["x-one", "X-ONE", "x-two", "X-Two"].map((name) => headers.get(name))).toEqual([
    ...["1", "1"],
    ...["a, b", "a, b"],
  ]);
  expect(["X-One", "set-cookie", "absent"].map((name) => headers.has(name))).toEqual([
    ...[true, true, false],
  ]);
  expect([...headers]).toEqual(
    expect.arrayContaining([
      ["x-one", "1"],
      ["x-two", "a, b"],
      ["set-cookie", "c=1"],
      ["set-cookie", "d=2"],
    ]),
  );
});

test.each(["constructor", "__proto__", "toString", "absent"])(
  "has no header %s that the response does not have",
  async (name) => {
    const { ask } = await pair((_, response) => response.end());
    const { headers } = await ask();
    expect([headers.get(name), headers.has(name)]).toEqual([null, false]);
  },
);

const BODIES: Record<string, number[][]> = {
  "a character across chunks": [
    [0x61, 0xe2, 0x82],
    [0xac, 0xf0],
    [0x9f, 0x98],
    [0x80, 0x62],
  ],
  "a byte order mark across chunks": [[0xef], [0xbb, 0xbf, 0x61]],
  "two byte order marks": [[0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61]],
  "bytes that are not UTF-8": [
    [0x61, 0xff, 0xe2, 0x82],
    [0x62, 0xed, 0xa0, 0x80, 0xf0, 0x9f],
  ],
};

test.each(Object.keys(BODIES))("decodes %s like the Encoding standard", async (name) => {
  const chunks = (BODIES[name] ?? []).map((bytes) => Uint8Array.from(bytes));
  const { ask } = await pair(async (_, response) => {
    response.flushHeaders();
    for (const chunk of chunks) {
      await new Promise((written) => response.write(chunk, written));
      // Send each in a separate packet.
      await new Promise(setImmediate);
    }
    response.end();
  });
  const expected = new TextDecoder().decode(Buffer.concat(chunks));
  expect((await ask()).text).toBe(expected);
});

test("accepts a response of the maximum size", async () => {
  const { ask } = await pair((_, response) => response.end("é".repeat(500)));
  expect((await ask()).text).toHaveLength(500);
});

test("rejects a Content-Length over the limit before the body", async () => {
  const { ask, server } = await pair((_, response) => {
    response.writeHead(200, { "content-length": 1001 }).flushHeaders();
  });
  await expect(ask()).rejects.toBeInstanceOf(ResponseTooLong);
  await server.allClosed();
});

test("cancels a response without Content-Length at the limit", async () => {
  const { ask, server } = await pair((_, response) => {
    response.write("a".repeat(1000));
    response.write("b");
  });
  await expect(ask()).rejects.toBeInstanceOf(ResponseTooLong);
  await server.allClosed();
});

test("rejects a compressed response", async () => {
  const { ask, server } = await pair((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).write("a");
  });
  await expect(ask()).rejects.toThrow("the response is compressed (gzip), which was not requested");
  await server.allClosed();
});

test.each([{ "content-length": 10 }, { "transfer-encoding": "chunked" }])(
  "rejects an incomplete response (%o)",
  async (headers) => {
    const { ask } = await pair((_, response) => {
      response.writeHead(200, headers).write("abc", () => response.destroy());
    });
    await expect(ask()).rejects.toMatchObject({ code: "UND_ERR_SOCKET" });
  },
);

test("rejects with the system's error if the connection is refused", async () => {
  const { ask, server } = await pair(() => {});
  await server.close();
  await expect(ask()).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("rejects a header that can't be sent", async () => {
  const { ask, server } = await pair(() => {});
  await expect(ask({ headers: { a: "b\r\nc: d" } })).rejects.toThrow("invalid a header");
  expect(server.requests).toBe(0);
});

test.each(["headers", "the end of the body"])(
  "ends at once if cancelled while waiting for %s",
  async (awaited) => {
    const { ask, server } = await pair((_, response) => {
      if (awaited !== "headers") response.write("a");
    });
    const { onCancel, cancel } = canceller();
    const reply = ask({ onCancel });
    await (awaited === "headers" ? server.requested() : headersReceived());
    cancel();
    await expect(reply).rejects.toMatchObject({ name: "AbortError" });
    await server.allClosed();
  },
);

test("sends nothing if cancelled before it starts", async () => {
  const { ask, server } = await pair((_, response) => response.end());
  const reply = ask({ onCancel: (run) => run() });
  await expect(reply).rejects.toMatchObject({ name: "AbortError" });
  await ask();
  expect([server.requests, server.connections]).toEqual([1, 1]);
});

test("sends nothing if cancelled while waiting for a connection", async () => {
  const { ask, server } = await pair((_, response) => response.end(), { connections: 1 });
  const cancels = [canceller(), canceller(), canceller()];
  const responses = cancels.map(({ onCancel }) => ask({ onCancel, path: "/cancelled" }));
  for (const { cancel } of cancels) cancel();
  const outcomes = await Promise.allSettled(responses);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  await ask({ path: "/next" });
  expect(server.paths).toEqual(["/next"]);
});

test("ignores a cancellation after the response", async () => {
  const { ask, server } = await pair((_, response) => response.end("a"), { connections: 1 });
  const { onCancel, cancel } = canceller();
  await ask({ onCancel });
  cancel();
  expect((await ask()).text).toBe("a");
  expect(server.connections).toBe(1);
});

test("disables undici's own timeouts, including the dispatcher's", async () => {
  const dispatcher = new Agent({ headersTimeout: 1000, bodyTimeout: 1000 });
  closers.push(() => dispatcher.close());
  const sent: unknown[] = [];
  const seeing = dispatcher.compose((dispatch) => (options, handler) => {
    sent.push(options);
    return dispatch(options, handler);
  });
  const { ask } = await pair((_, response) => response.end(), { dispatcher: seeing });
  await ask();
  // undici rounds its timeouts up by about a second, which is too long for a test.
  expect(sent).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
});

test("sends 32 requests over at most the allowed connections", async () => {
  const { ask, server } = await pair((incoming, response) => response.end(incoming.url), {
    connections: 4,
  });
  const paths = Array.from({ length: 32 }, (_, index) => `/cards/${index}`);
  const responses = await Promise.all(paths.map((path) => ask({ path })));
  expect(responses.map(({ text }) => text)).toEqual(paths);
  expect(server.connections).toBe(4);
});

test("does not pipeline requests on a connection", async () => {
  let pending = 0;
  let most = 0;
  const { ask } = await pair(
    (_, response) => {
      pending += 1;
      most = Math.max(most, pending);
      setImmediate(() => {
        pending -= 1;
        response.end();
      });
    },
    { connections: 1 },
  );
  await Promise.all(Array.from({ length: 8 }, () => ask()));
  expect(most).toBe(1);
});

test("reuses a connection, and replaces one closed while idle", async () => {
  const { ask, server } = await pair((_, response) => response.end("a"), { connections: 1 });
  await ask();
  await ask();
  expect(server.connections).toBe(1);
  await server.closeConnections();
  expect((await ask()).text).toBe("a");
  expect(server.connections).toBe(2);
});

test("closes its connections after pending requests end", async () => {
  const { ask, server, transport } = await pair((_, response) => response.write("a"));
  const reply = ask();
  await server.requested();
  const closed = transport.close();
  for (const origin of [server.origin, "http://127.0.0.1:1"]) {
    const refused = transport(request(origin));
    await expect(refused).rejects.toMatchObject({ code: "UND_ERR_CLOSED" });
  }
  server.endResponses();
  expect((await reply).text).toBe("a");
  await closed;
  await server.allClosed();
  await transport.close();
});

test("is closed at the end of its scope", async () => {
  const server = await startSocketServer((_, response) => response.end());
  closers.push(server.close);
  {
    await using transport = undiciTransport();
    await transport(request(server.origin));
  }
  await server.allClosed();
  expect(server.connections).toBe(1);
});

test("uses the caller's dispatcher, and does not close it", async () => {
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  closers.push(() => dispatcher.close());
  const pool = dispatcher.get("https://feed.example");
  pool.intercept({ path: "/cards?limit=1" }).reply(200, "a", { headers: { "x-a": "b" } });
  const transport = undiciTransport({ dispatcher });
  const { headers, text } = await transport(
    request("https://feed.example", { path: "/cards?limit=1" }),
  );
  expect([headers.get("X-A"), text]).toEqual(["b", "a"]);
  await transport.close();
  pool.intercept({ path: "/" }).reply(200, "open");
  const { body } = await pool.request({ path: "/", method: "GET" });
  expect(await body.text()).toBe("open");
});

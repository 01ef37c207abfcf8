import { type TracingChannelSubscribers, tracingChannel } from "node:diagnostics_channel";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CallTrace, SpanTracer } from "../../src/client/index.ts";
import { clientOf, type Reply, rejectionOf, startTestServer } from "./test-server.ts";

const EXCHANGE = "POST /auth/realms/{account_id}/protocol/openid-connect/token";
const GET = "GET /cards/{id}";

/** Records the channel's messages. */
function subscribe() {
  const seen: (Partial<CallTrace> & { readonly name: string })[] = [];
  const members: [name: string, value: unknown][] = [];
  const channel = tracingChannel<unknown, CallTrace>("txfeed:call");
  const note = (name: string) => (trace: CallTrace) => {
    const { operation, method, path, attempts, status } = trace;
    members.push(...Object.entries(trace).filter(([, value]) => value !== undefined));
    seen.push({ name, operation, method, path, attempts, status, ...errorIn(trace) });
  };
  const names = ["start", "end", "asyncStart", "asyncEnd", "error"] as const;
  const subscribers = Object.fromEntries(names.map((name) => [name, note(name)]));
  channel.subscribe(subscribers as unknown as TracingChannelSubscribers<CallTrace>);
  onTestFinished(() => {
    channel.unsubscribe(subscribers as unknown as TracingChannelSubscribers<CallTrace>);
  });
  return { seen, members };
}

function errorIn(trace: object): { code?: unknown } {
  return "error" in trace ? { code: (trace.error as { code?: unknown }).code } : {};
}

describe("the channel txfeed:call", () => {
  test("publishes start and end of a call and of its token exchange", async () => {
    const { seen, members } = subscribe();
    const server = await startTestServer(() => ({ body: { id: "x" } }));
    expect(await clientOf(server).cards.get("1")).toEqual({ id: "x" });
    const trace = { operation: GET, method: "GET", path: "/cards/1" };
    expect(seen).toMatchObject([
      { ...trace, name: "start", attempts: 0, status: undefined },
      { ...trace, name: "end", attempts: 0 },
      { name: "start", operation: EXCHANGE, path: EXCHANGE.slice(5) },
      { name: "end", operation: EXCHANGE },
      { name: "asyncStart", operation: EXCHANGE, attempts: 1, status: 200 },
      { name: "asyncEnd", operation: EXCHANGE },
      { ...trace, name: "asyncStart", attempts: 1, status: 200 },
      { ...trace, name: "asyncEnd", attempts: 1, status: 200 },
    ]);
    // A trace has no request or response content.
    const names = ["operation", "method", "path", "attempts", "status"];
    expect([...new Set(members.map(([name]) => name))].sort()).toEqual(names.sort());
  });

  test("publishes an error with status and attempts", async () => {
    const server = await startTestServer(() => ({ status: 503 }));
    const feed = clientOf(server, { random: () => 0 });
    await feed.cards.getResult("1");
    const { seen } = subscribe();
    await rejectionOf(feed.cards.get("1", { retries: 2 }));
    await rejectionOf(feed.cards.get("1", { signal: AbortSignal.abort() }));
    // Only a missing response is an error of the call, not an error status.
    expect(seen).toContainEqual(
      expect.objectContaining({ name: "asyncEnd", attempts: 3, status: 503 }),
    );
    expect(seen.filter(({ name }) => name === "error")).toMatchObject([
      { operation: GET, path: "/cards/1", status: undefined, code: "aborted" },
    ]);
  });
});

/** The spans of calls to a server with the given response. */
async function spansOf(
  response: () => Reply,
  act: (feed: ReturnType<typeof clientOf>) => Promise<unknown>,
) {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const testServer = await startTestServer(response);
  const tracer = provider.getTracer("test");
  await act(clientOf(testServer, { tracer, random: () => 0 }));
  const port = Number(new URL(testServer.url).port);
  const server = { "server.address": "127.0.0.1", "server.port": port };
  return { spans: exporter.getFinishedSpans(), server };
}

describe("a span", () => {
  test("is a client span with conventional name and attributes", async () => {
    const { spans, server } = await spansOf(
      () => ({ body: { id: "x" } }),
      (feed) => feed.cards.get("1"),
    );
    expect(spans.map(({ name }) => name)).toEqual([EXCHANGE, GET]);
    expect(spans[1]).toMatchObject({
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(spans[1]?.attributes).toEqual({
      "http.request.method": "GET",
      "url.template": "/cards/{id}",
      "http.response.status_code": 200,
      ...server,
    });
    expect(spans.every(({ ended }) => ended)).toBe(true);
  });

  test("counts re-sends, and has an error status as its error", async () => {
    const { spans, server } = await spansOf(
      () => ({ status: 503 }),
      (feed) => feed.cards.getResult("1", { retries: 2 }),
    );
    expect(spans[1]?.attributes).toEqual({
      "http.request.method": "GET",
      "url.template": "/cards/{id}",
      "http.response.status_code": 503,
      "http.request.resend_count": 2,
      "error.type": "503",
      ...server,
    });
    expect(spans[1]?.status.code).toBe(SpanStatusCode.ERROR);
  });

  test("has no error for a redirect", async () => {
    const { spans } = await spansOf(
      () => ({ status: 302 }),
      (feed) => feed.cards.getResult("1"),
    );
    expect(spans[1]?.attributes["error.type"]).toBeUndefined();
    expect(spans[1]?.status.code).toBe(SpanStatusCode.UNSET);
  });

  test("has the error's code if there is no response", async () => {
    const { spans } = await spansOf(
      () => ({ body: {} }),
      (feed) => rejectionOf(feed.cards.get("1", { signal: AbortSignal.abort() })),
    );
    expect(spans).toHaveLength(1);
    expect(spans[0]?.attributes).toMatchObject({ "error.type": "aborted" });
    expect(spans[0]?.attributes).not.toHaveProperty("http.response.status_code");
    expect(spans[0]?.status.code).toBe(SpanStatusCode.ERROR);
  });

  test("is one per call, for links and pages too", async () => {
    const { spans } = await spansOf(
      () => ({ body: { _links: {}, _embedded: { cards: [] } } }),
      async (feed) => {
        await feed.cards.list({ limit: 3 }).toArray({ max: 1 });
        await feed.follow("/cards/1?x=secret");
        await feed.follow("/elsewhere/1?x=secret");
      },
    );
    expect(spans.map(({ name }) => name)).toEqual([EXCHANGE, "GET /cards", GET, "GET /*"]);
    expect(JSON.stringify(spans.map(({ attributes }) => attributes))).not.toContain("secret");
  });
});

describe.each(["startSpan", "setAttributes", "setStatus", "end"])(
  "a tracer that throws at %s",
  (name) => {
    const fail = (at: string) => {
      if (at === name) throw new Error("no collector");
    };
    const tracer: SpanTracer = {
      startSpan: () => {
        fail("startSpan");
        return {
          setAttributes: () => fail("setAttributes"),
          setStatus: () => fail("setStatus"),
          end: () => fail("end"),
        };
      },
    };

    test("does not end a call", async () => {
      const server = await startTestServer(({ url }) => ({
        status: url === "/cards/1" ? 200 : 404,
        body: { id: "x" },
      }));
      const feed = clientOf(server, { tracer });
      expect(await feed.cards.get("1")).toEqual({ id: "x" });
      expect(await feed.cards.getResult("2")).toMatchObject({ status: 404 });
      expect(server.requests).toHaveLength(2);
    });

    test("does not hide an error", async () => {
      const server = await startTestServer(() => ({ body: {} }));
      const feed = clientOf(server, { tracer });
      const error = await rejectionOf(feed.cards.get("1", { signal: AbortSignal.abort() }));
      expect(error).toMatchObject({ code: "aborted" });
    });
  },
);

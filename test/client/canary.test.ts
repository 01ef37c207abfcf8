import { type TracingChannelSubscribers, tracingChannel } from "node:diagnostics_channel";
import { inspect } from "node:util";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type CallTrace,
  createFeedClient,
  type FeedClient,
  type FeedClientOptions,
} from "../../src/client/index.ts";
import { type Reply, startTestServer, type TestServer } from "./test-server.ts";

/** Secrets that no output may contain. Each has characters that some encoding changes. */
const SECRETS = {
  // Contains the client id.
  accountId: "canary-client+id's account/Ä(1)",
  clientId: "canary-client+id's",
  clientSecret: 'canary-client+id\'s "quoted" \\ secret & more=%',
};
const TOKEN = 'canaryTOKEN."~/+=';
const STORED = "canarySTORED.token";
/** Texts in bodies and headers, which no output may contain either. */
const SERVER_TEXT = "canary-said-by-the-server";
const HEADER = "canary-request-header";
const CURSOR = "canary-cursor";

/** The plain, escaped, encoded and derived forms of a secret. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const form = new URLSearchParams({ a: secret }).toString().slice(2);
  const escaped = [json, JSON.stringify(json).slice(1, -1), encodeURIComponent(secret), form];
  // Without the first and last characters, which depend on the text around the secret.
  const isAscii = /^[ -~]+$/.test(secret);
  const inBase64 = isAscii ? [0, 1, 2].map((at) => base64Of(secret, at).slice(4, -4)) : [];
  return [secret, ...escaped, ...inBase64];
}

/** The Base64 of a secret after other characters. */
function base64Of(secret: string, before = 0): string {
  return Buffer.from("i:".slice(0, before) + secret).toString("base64");
}

/** The entries that contain the text. */
function around(seen: string, text: string): string {
  const at = seen.indexOf(text);
  return at < 0 ? "" : seen.slice(Math.max(0, at - 300), at + 100);
}

/** All output of a client: printed, thrown and reported. */
function watch() {
  const printed: string[] = [];
  const report = (what: unknown) => {
    printed.push(inspect(what, { depth: 10, showHidden: true, getters: false }));
    printed.push(typeof what === "string" ? what : (JSON.stringify(what) ?? ""));
    if (!(what instanceof Error)) return;
    printed.push(what.stack ?? "", what.message, String(what), inspect({ ...what }, { depth: 10 }));
    if (what.cause !== undefined) report(what.cause);
  };
  for (const stream of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(stream, "write").mockImplementation((chunk) => {
      printed.push(String(chunk));
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  }
  for (const name of ["log", "info", "warn", "error", "debug", "trace"] as const) {
    const spy = vi.spyOn(console, name).mockImplementation((...args) => args.forEach(report));
    onTestFinished(() => spy.mockRestore());
  }
  const channel = tracingChannel<unknown, CallTrace>("txfeed:call");
  const seen = (trace: CallTrace) => {
    report(trace);
    report(trace.path);
  };
  const subscribers = { start: seen, end: seen, asyncStart: seen, asyncEnd: seen, error: seen };
  channel.subscribe(subscribers as TracingChannelSubscribers<CallTrace>);
  onTestFinished(() => channel.unsubscribe(subscribers as TracingChannelSubscribers<CallTrace>));
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const entries: unknown[] = [];
  const options = {
    tracer: provider.getTracer("canary"),
    log: (entry: unknown) => {
      entries.push(entry);
      report(entry);
    },
    logHeaders: ["x-echo", "authorization", "cookie", "set-cookie", "x-auth-token"],
    logQuery: ["cursor", "access_token"],
  };
  const spans = () =>
    exporter.getFinishedSpans().map(({ name, attributes, events, status }) => ({
      ...{ name, attributes, events, status },
    }));
  return { printed, report, entries, spans, options };
}

/** Makes calls of every kind in sequence, and records their outcomes. */
async function callAll(feed: FeedClient, report: (what: unknown) => void): Promise<unknown[]> {
  const { clientSecret } = SECRETS;
  const echo = `${encodeURIComponent(clientSecret)} ${base64Of(clientSecret, 2)} ${base64Of(TOKEN)}`;
  const headers = {
    "x-key": HEADER,
    "x-echo": echo,
    Authorization: `Bearer ${HEADER}`,
    Cookie: HEADER,
  };
  const odd = [TOKEN, ...Object.values(SECRETS)];
  const calls: (() => Promise<unknown>)[] = [
    // This call gives the client its token.
    () => feed.cards.get("first"),
    ...odd.map((id) => () => feed.cards.get(id, { headers, validate: "throw" })),
    ...odd.map((id) => () => feed.cards.getResult(id, { headers })),
    () => feed.transactions.get("1", { headers, validate: "throw" }),
    () => feed.transactions.get("1", { headers, validate: "warn" }),
    () => feed.transactions.list({ headers, validate: "warn" }).toArray({ max: 100 }),
    () =>
      feed.cards
        .list({ from: `/cards?cursor=${CURSOR}&access_token=${TOKEN}` })
        .toArray({ max: 9 }),
    () => feed.bankLinks.complete("1", { body: { secret: HEADER }, headers }),
    ...odd.map(
      (text) => () =>
        feed.follow(`/cards/${encodeURIComponent(text)}?cursor=${encodeURIComponent(text)}`),
    ),
    ...odd.map((text) => () => feed.follow(`/cards?${encodeURIComponent(text)}=1`)),
    ...odd.map((text) => () => feed.follow(`https://${text}@evil.example/${text}?${text}`)),
    () => feed.follow(`https://${STORED}.example/`),
    () => feed.cards.get("slow", { attemptTimeoutMs: 50, retries: 0 }),
    () => feed.cards.get("slow", { timeoutMs: 50 }),
    () => feed.cards.get("aborted", { signal: AbortSignal.abort(new Error(TOKEN)) }),
  ];
  const outcomes: unknown[] = [];
  for (const call of calls) {
    try {
      outcomes.push(await call());
    } catch (error) {
      report(error);
      outcomes.push(error);
    }
  }
  return outcomes;
}

const ECHO = [TOKEN, ...Object.values(SECRETS), STORED, SERVER_TEXT].join(" | ");
/** Headers in which a response repeats the token. */
const HEADERS = {
  "x-auth-token": TOKEN,
  "set-cookie": `session=${TOKEN}`,
  "x-echo": [TOKEN, STORED]
    .flatMap((one) => [one, ...[0, 1, 2].map((at) => base64Of(one, at))])
    .join(),
  "x-request-id": TOKEN,
  location: `https://evil.example/?token=${encodeURIComponent(TOKEN)}`,
  "www-authenticate": `Bearer error="${STORED}"`,
};

/** A server that echoes every secret in its responses. */
function startEchoServer(status: number, token: Reply = minted()): Promise<TestServer> {
  return startTestServer(
    ({ url }) => {
      if (url.includes("slow")) return new Promise(() => {});
      const next = { href: `/transactions?cursor=${CURSOR}${url.length}` };
      const item = { id: TOKEN, status: ECHO, createdAt: ECHO, subaccountId: SECRETS.clientId };
      const body =
        url.startsWith("/cards/") || url.startsWith("/transactions/")
          ? { ...item, [SERVER_TEXT]: ECHO, _links: { self: { href: ECHO } } }
          : {
              _links: { self: { href: url }, next },
              _embedded: { transactions: [item], cards: [item] },
              error: ECHO,
            };
      return { status, statusText: TOKEN, headers: HEADERS, body };
    },
    () => ({ headers: HEADERS, ...token }),
  );
}

function minted(): Reply {
  return { body: { access_token: TOKEN, expires_in: 300, token_type: "Bearer", note: ECHO } };
}

const AGAIN = { retries: 1, random: () => 0 };

type Setup = readonly [TestServer, Partial<FeedClientOptions>, tokens: readonly string[]];

/** Client options, server responses and the tokens used in each case. */
const CASES: Readonly<Record<string, () => Promise<Setup>>> = {
  "a call succeeds": async () => [await startEchoServer(200), {}, [TOKEN]],
  "the response is a 404": async () => [await startEchoServer(404), {}, [TOKEN]],
  "the token is rejected": async () => [await startEchoServer(401), {}, [TOKEN]],
  "the response is a redirect": async () => [await startEchoServer(302), {}, [TOKEN]],
  "the server fails": async () => [await startEchoServer(503), AGAIN, [TOKEN]],
  "the credentials are wrong": async () => [
    await startEchoServer(200, { status: 401, body: ECHO }),
    {},
    [],
  ],
  "the token endpoint fails": async () => [
    await startEchoServer(200, { status: 500, body: ECHO }),
    AGAIN,
    [],
  ],
  "the token is malformed": async () => [
    await startEchoServer(200, {
      body: { access_token: `${STORED}\n`, expires_in: 300, token_type: "Bearer" },
    }),
    {},
    [STORED],
  ],
  "a response is too long": async () => [
    await startEchoServer(200),
    { maxResponseBytes: 700 },
    [TOKEN],
  ],
  "an error of fetch contains the request": async () => [
    await startEchoServer(200),
    {
      ...AGAIN,
      fetch: (url, init) => (url.includes("openid") ? fetch(url, init) : fail(url, init)),
    },
    [TOKEN],
  ],
  "an error of fetch contains the token request": async () => [
    await startEchoServer(200),
    { fetch: fail },
    [],
  ],
  "an error of the token store contains the token": async () => [
    await startEchoServer(404),
    {
      tokenStore: {
        read: () => Promise.reject(new Error(`not JSON: ${TOKEN} ${ECHO}`)),
        write: (token) =>
          Promise.reject(Object.assign(new Error(`no ${token.accessToken}`), { token })),
        exclusively: () => Promise.reject(new Error(ECHO)),
      },
    },
    [TOKEN],
  ],
  "the token is from a store": async () => [
    await startEchoServer(404),
    { fetch: fail, tokenStore: storeOf(STORED) },
    [STORED],
  ],
  "a stored token is rejected": async () => [
    await startEchoServer(401),
    { tokenStore: storeOf(STORED) },
    [STORED],
  ],
};

function storeOf(accessToken: string) {
  const expiresAt = Date.now() + 3_600_000;
  return {
    read: async () => ({ accessToken, expiresAt, lifetimeSeconds: 3600 }),
    write: async () => {},
  };
}

/** A fetch that throws its arguments in every part of an error. */
const fail = (url: string, init: RequestInit): Promise<Response> => {
  const headers = Object.fromEntries(new Headers(init.headers));
  const all = `${url} ${JSON.stringify(headers)}\n${headers["authorization"]} ${init.body} ${ECHO}`;
  const cause = Object.assign(new Error(all), { code: TOKEN, headers, body: init.body });
  const error = new Error(all, { cause });
  return Promise.reject(
    Object.assign(error, { code: STORED, config: { headers }, request: init, response: all }),
  );
};

describe("no output contains a secret or a token if", () => {
  test.each(Object.entries(CASES))("%s", async (_name, start) => {
    const { printed, report, entries, spans, options } = watch();
    const [server, more, tokens] = await start();
    const feed = createFeedClient({
      baseUrl: server.url,
      ...SECRETS,
      retries: 0,
      ...options,
      ...more,
    });
    const outcomes = await callAll(feed, report);
    report(spans());
    report(inspect(feed, { depth: 10, showHidden: true }));
    const seen = printed.join("\n");
    // Make sure that the calls and their output took place.
    expect(outcomes.filter((outcome) => outcome instanceof Error).length).toBeGreaterThan(3);
    expect(entries.length).toBeGreaterThan(3);
    expect(spans().length).toBeGreaterThan(3);
    expect(seen).toContain("/cards/");
    const hidden = [...Object.values(SECRETS), "account/Ä(1)", ...tokens];
    for (const form of hidden.flatMap(formsOf)) expect(around(seen, form)).toBe("");
    if (more.fetch) return;
    // A custom fetch may throw any text; the client masks the secrets it knows.
    for (const text of [HEADER, SERVER_TEXT]) expect(around(seen, text)).toBe("");
  });
});

describe("the server's texts are not printed", () => {
  test.each([200, 401, 404, 503])("with status %i", async (status) => {
    const { printed, report, spans, options } = watch();
    const server = await startTestServer(() => ({
      status,
      statusText: SERVER_TEXT,
      headers: { "x-said": SERVER_TEXT, "set-cookie": SERVER_TEXT },
      body: { id: SERVER_TEXT, said: { deep: [SERVER_TEXT] } },
    }));
    const { logHeaders: _h, logQuery: _q, ...rest } = options;
    const feed = createFeedClient({ baseUrl: server.url, ...SECRETS, retries: 0, ...rest });
    await feed.cards.get("1").catch(report);
    await feed.cards.get("1", { validate: "warn" }).catch(report);
    await feed.cards
      .list({ from: `/cards?cursor=${CURSOR}` })
      .toArray({ max: 1 })
      .catch(report);
    await feed.bankLinks.complete("1", { body: { said: SERVER_TEXT } }).catch(report);
    report(spans());
    expect(printed.length).toBeGreaterThan(10);
    expect(printed.join("\n")).not.toContain(SERVER_TEXT);
    expect(printed.join("\n")).not.toContain(CURSOR);
  });
});

test("every canary was sent", async () => {
  const server = await startEchoServer(200);
  const feed = createFeedClient({ baseUrl: server.url, ...SECRETS });
  const card = await feed.cards.getResult(TOKEN, { headers: { "x-key": HEADER } });
  expect(JSON.stringify(card)).toContain(SERVER_TEXT);
  expect(card.headers.get("x-request-id")).toBe(TOKEN);
  expect(server.requests[0]).toMatchObject({
    url: `/cards/${encodeURIComponent(TOKEN)}`,
    headers: { authorization: `Bearer ${TOKEN}`, "x-key": HEADER },
  });
  const form = new URLSearchParams(server.exchanges[0]?.body);
  expect(form.get("client_secret")).toBe(SECRETS.clientSecret);
  expect(form.get("client_id")).toBe(SECRETS.clientId);
  expect(server.exchanges[0]?.url).toContain(encodeURIComponent(SECRETS.accountId));
});

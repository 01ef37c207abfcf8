import { request as httpRequest, type RequestListener } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import type { Driver } from "../../conformance/driver.ts";
import { serve } from "../support/local-server.ts";
import { uuid } from "../support/payloads.ts";
import { always, itemsOf, page, respondJson, runAgainst, withToken } from "./runs.ts";

/** Every check against hostile targets. The run must end with a complete report. */

const repeat = (text: string, times: number) => text.repeat(times);

let last = 0;
const another = () => {
  last += 1;
  return uuid(last);
};

const servers: Readonly<Record<string, RequestListener>> = {
  "hangs after the token exchange": withToken((request) => void request.resume()),
  "never ends its responses": withToken((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const drip = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(drip));
  }),
  "closes connections during its responses": withToken((_request, response) => {
    response.writeHead(200, { "content-length": 1_000 }).write('{"_links": {');
    setTimeout(() => response.destroy(), 5);
  }),
  "resets every connection after the token": withToken((request) => void request.socket.destroy()),
  "has pages that link to themselves": withToken((request, response) => {
    const self = { href: request.url };
    const links = { self, next: self, first: self, last: self, prev: self };
    respondJson(response, page(request.url, links));
  }),
  "has two pages that link to each other": withToken((request, response) => {
    const [path] = request.url?.split("?") ?? [];
    const cursor = request.url?.includes("cursor=a") ? "b" : "a";
    const next = { href: `${path}?cursor=${cursor}` };
    respondJson(response, page(request.url, { self: { href: request.url }, next }));
  }),
  "has pages that never end": withToken((request, response) => {
    const [path] = request.url?.split("?") ?? [];
    const next = { href: `${path}?cursor=${another()}&limit=100` };
    const links = { self: { href: request.url }, next };
    respondJson(response, page(request.url, links, itemsOf(3, another)));
  }),
  "has endless links between resources": withToken((_request, response) => {
    const messages = Array.from({ length: 50 }, () => ({
      href: `/transaction-messages/${another()}`,
    }));
    const self = { href: `/transactions/${another()}` };
    const card = { href: `/cards/${another()}` };
    respondJson(response, JSON.stringify({ id: another(), _links: { self, messages, card } }));
  }),
  "has three thousand links in each response": withToken((request, response) => {
    const cards = Array.from({ length: 3_000 }, () => ({ href: `/cards/${another()}` }));
    respondJson(response, page(request.url, { self: { href: request.url }, cards }));
  }),
  "has pages of forty thousand wrong items": withToken((request, response) => {
    respondJson(response, page(request.url, {}, new Array(40_000).fill(0)));
  }),
  "has pages of a thousand resources": withToken((request, response) => {
    respondJson(response, page(request.url, {}, itemsOf(1_000, uuid)));
  }),
  "answers HTML": (_request, response) => {
    response.writeHead(500, { "content-type": "text/html" }).end("<html><h1>oops</h1></html>");
  },
  "sends HTML after the token": withToken((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<html><h1>Log in</h1></html>");
  }),
  "calls its JSON text": withToken((request, response) => {
    response.writeHead(200, { "content-type": "text/plain" }).end(page(request.url));
  }),
  "sends an image": always(Buffer.alloc(1_000, 0x89), { "content-type": "image/png" }),
  "answers garbage": always('{"_links": {"self": {"href": '),
  "answers null": always("null"),
  "sends an empty array": always("[]"),
  "sends empty bodies": always(""),
  "nests lists a hundred thousand levels deep": always(
    `{"_links":${repeat("[", 100_000)}${repeat("]", 100_000)}}`,
  ),
  "nests objects ten thousand levels deep": always(
    `${repeat('{"_links":', 10_000)}1${repeat("}", 10_000)}`,
  ),
  "nests its token deeply": (_request, response) =>
    respondJson(response, `{"access_token":${repeat("[", 50_000)}`),
  "sends bytes that are not UTF-8": always(Buffer.from([0x22, 0xc3, 0x28, 0xff, 0xfe, 0x22])),
  "answers NUL": always(`"${repeat("\0", 5_000)}"`),
  "sends NUL in names and links": always(
    '{"_links\\u0000":{"\\u0000":{"href":"/cards/\\u0000"}},"_links":{"a":{"href":"/cards/\\u0000"}}}',
  ),
  "sends names of inherited properties": always(
    '{"__proto__":{"a":1},"constructor":{},"_links":{"__proto__":{"href":"/cards"},' +
      '"toString":{"href":"/cards/1"}},"_embedded":{"hasOwnProperty":[]}}',
  ),
  "has links of every wrong type": always(
    JSON.stringify({
      _links: { self: null, next: 1, prev: [[]], first: { href: {} }, last: { href: "" } },
      _embedded: { cards: {}, transactions: null, _links: [null, 2, { href: "/" }] },
    }),
  ),
  "has items of every wrong type": withToken((request, response) => {
    const objects = [{}, { id: {} }, { id: "", _links: [] }, { _links: { self: 1 } }];
    const items = [null, 1, "", [], ...objects];
    respondJson(response, page(request.url, { self: { href: 1 } }, items));
  }),
  "has strings that are invalid in a URL": always(
    '{"id":"\\ud800","_embedded":{"subaccounts":[{"id":"\\ud800"}],"bankTransactions":[{"id":"\\ud801"}],' +
      '"transactionMatches":[{"id":"\\ud800","matches":[{"id":"\\ud801"}]}],"transactions":[{"id":"x",' +
      '"subaccountId":"\\ud800","supersededMessageIds":["\\ud800"],"_links":{"messages":' +
      '[{"href":"/transaction-messages/\\ud800"}]},"_embedded":{"messages":[{"id":"\\ud800",' +
      '"bankData":{"bankTransactionId":"\\ud800"}}]}}]}}',
  ),
  "has messages of every wrong type": always(
    '{"_links":{"messages":7,"self":[null]},"_embedded":{"transactions":[{"_links":{"messages":{}},' +
      '"supersededMessageIds":"x","_embedded":{"messages":[7,null,{"bankData":7}]}}],' +
      '"transactionMatches":[{"matches":[null,{"id":7}]}]},"supersededMessageIds":{}}',
  ),
  "labels plain text as gzip": always("{}", { "content-encoding": "gzip" }),
  "labels plain text with an unknown encoding": always("{}", { "content-encoding": "x-a" }),
  "sends too many headers": withToken((_request, response) => {
    for (let i = 0; i < 1_000; i++) response.setHeader(`x-flood-${i}`, repeat("x", 100));
    response.end("{}");
  }),
  "has nine hundred headers": withToken((_request, response) => {
    for (let i = 0; i < 900; i++) response.setHeader(`x-${i}`, "");
    response.end("{}");
  }),
  "answers 204 to everything": (_request, response) => void response.writeHead(204).end(),
  "answers 304 to everything": (_request, response) => void response.writeHead(304).end(),
  "answers 999": withToken((_request, response) => void response.writeHead(999).end("{}")),
  "sends a hundred interim responses before each response": withToken((_request, response) => {
    for (let i = 0; i < 100; i++) response.writeProcessing();
    respondJson(response, "{}");
  }),
};

test.each(Object.entries(servers))(
  "a run against a server that %s ends with a complete report",
  async (_, listener) => {
    const report = await runAgainst(await serve(listener));
    expect(report.brokenOff ?? "").toMatch(
      /^$|^the run took more than 10000 requests$|^the target sent more than a run can keep: /,
    );
    expect(report.summary.failed).toBeGreaterThan(0);
  },
);

// Misbehaving deliveries: the run still ends with a complete report.

const target = withToken((request, response) => respondJson(response, page(request.url)));

/** Sends a delivery without waiting. */
function deliver(url: string, body: string | Buffer, headers: Record<string, string> = {}): void {
  const json = { "content-type": "application/json", "webhook-event-type": "transaction.created" };
  const sent = httpRequest(url, { method: "POST", headers: { ...json, ...headers } });
  sent.on("error", () => {}).on("response", (response) => response.resume());
  sent.end(body);
}

/** Opens a connection, writes, and keeps it open. */
function write(url: string, ...lines: string[]): void {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  socket.write(lines.join("\r\n"));
}

/** Fifty connections that stay open. */
function hang(url: string, ...rest: string[]): void {
  const event = "webhook-event-type: transaction.created";
  const head = [`POST ${new URL(url).pathname} HTTP/1.1`, "host: x", event];
  for (let i = 0; i < 50; i++) write(url, ...head, ...rest);
}

const NAMES = ["transaction.created", "transaction.match.created", "banklink.completed"];

const floods: Readonly<Record<string, (url: string) => void>> = {
  "arrive byte by byte and never end": (url) => hang(url, "content-length: 1000", "", "{"),
  "never end their headers": (url) => hang(url, "x-a: "),
  "are not HTTP": (url) => {
    for (let i = 0; i < 50; i++) write(url, "\0\0\0 GET me", "", "");
  },
  "are not JSON": (url) => {
    for (const body of ["", "{", "<xml/>", "NaN", '"\ud800', "\0", "[".repeat(100_000)]) {
      deliver(url, body);
    }
    deliver(url, Buffer.from([0xff, 0xfe, 0xc3, 0x28]));
  },
  "are JSON other than an event": (url) => {
    for (const body of ["null", "[]", "1", '""', "{}", '{"__proto__":{"id":1}}']) {
      for (const name of ["", "transaction.created", "constructor", "__proto__", "no.such"]) {
        deliver(url, body, { "webhook-event-type": name });
      }
    }
  },
  "nest deep": (url) => deliver(url, `${'{"_embedded":'.repeat(50_000)}1${"}".repeat(50_000)}`),
  "have wrong types everywhere": (url) => {
    const wrong = [null, 1, "", [], {}, [null], [[]]];
    for (const value of wrong) {
      const body = { id: value, _links: value, _embedded: value, metadata: value, matches: value };
      for (const name of NAMES) deliver(url, JSON.stringify(body), { "webhook-event-type": name });
    }
  },
  "are very large": (url) => {
    for (let i = 0; i < 3; i++) deliver(url, Buffer.alloc(20_000_000, " "));
  },
  "arrive in thousands": (url) => {
    for (let i = 0; i < 3_000; i++) deliver(url, `{"id":"${i}"}`);
  },
  "use other methods": (url) => {
    for (const method of ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]) {
      httpRequest(`${url}/a?b=c`, { method })
        .on("error", () => {})
        .end();
    }
  },
};

test.each(Object.entries(floods))(
  "a run whose deliveries %s ends with a complete report",
  async (_, flood) => {
    const driver: Driver = { subscribe: async ({ url }) => flood(url) };
    const webhooks = { host: "127.0.0.1", port: 0, collectSeconds: 1 };
    const report = await runAgainst(await serve(target), {}, { driver, webhooks });
    expect(report.brokenOff).toBeUndefined();
  },
);

test("links of a delivery to another origin are not requested", async () => {
  const requests: string[] = [];
  const elsewhere = await serve((request, response) => {
    requests.push(request.url ?? "");
    response.end("{}");
  });
  const { host } = new URL(elsewhere);
  const driver: Driver = {
    subscribe: async ({ url }) => {
      for (const href of [`${elsewhere}/cards/1`, `//${host}/cards/1`, `/\\${host}/cards/1`]) {
        const _links = { self: { href }, card: { href }, messages: [{ href }] };
        deliver(url, JSON.stringify({ id: "1", _links }));
      }
    },
  };
  const webhooks = { host: "127.0.0.1", port: 0, collectSeconds: 1 };
  await runAgainst(await serve(target), {}, { driver, webhooks });
  expect(requests).toEqual([]);
});

import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import type { Driver } from "../../conformance/driver.ts";
import { serve } from "../support/local-server.ts";
import { page, respondJson, runAgainst } from "./runs.ts";
import { withToken } from "./serve.ts";

/** Misbehaving deliveries: the run still ends with a complete report. */

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

import { execFile } from "node:child_process";
import { type RequestListener, type ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { promisify } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ROOT } from "../document.ts";
import { notFound, serve } from "../support/local-server.ts";
import { uuid } from "../support/payloads.ts";
import { itemsOf, page, respondJson, runAgainst, TOKEN, withToken } from "./runs.ts";

/** Targets that break HTTP or try to redirect the run to another server. */

test("bytes after the content length of a response are ignored", async () => {
  const body = JSON.stringify({ access_token: TOKEN, expires_in: 300, token_type: "Bearer" });
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => socket.write(`${head}\r\n\r\n${body}HTTP/1.1 200 OK\r\n\r\nmore`));
  });
  expect((await runAgainst(await serve(server))).summary.failed).toBeGreaterThan(0);
});

const ITEMS = itemsOf(20, uuid);

test("a run stops if the target dies", async () => {
  let answered = 0;
  const baseUrl = await serve(
    withToken((request, response) => {
      answered += 1;
      if (answered > 12) request.socket.destroy();
      else respondJson(response, page(request.url, {}, ITEMS));
    }),
  );
  const report = await runAgainst(baseUrl);
  const reasons = report.requirements.map(({ reason }) => reason);
  expect(reasons).toContain("the target stopped responding: 16 requests in a row got no response");
});

test.each(["", "/api"])(
  "below the base path %j, a run skips an endpoint that hangs and checks the others",
  async (base) => {
    const baseUrl = await serve(
      withToken((request, response) => {
        const path = request.url?.slice(base.length) ?? "";
        if (!path.startsWith("/cards")) respondJson(response, page(path, {}, ITEMS));
      }),
    );
    const report = await runAgainst(`${baseUrl}${base}/`, { patienceMs: 400 });
    const reasons = report.requirements.flatMap(({ checks }) => checks.map((one) => one.reason));
    const gaveUp = "/cards stopped responding: 3 requests in a row got no response within 0.4 s";
    const stopped = reasons.filter((reason) => reason?.includes("stopped responding"));
    expect(new Set(stopped)).toEqual(new Set([gaveUp]));
    expect(report.brokenOff).toBeUndefined();
  },
);

/** Responses that lead to another server, in every possible way. */
function leadingTo(elsewhere: string): Readonly<Record<string, RequestListener>> {
  const { host } = new URL(elsewhere);
  const redirect = (status: number, location: string): RequestListener =>
    withToken((_request, response) => void response.writeHead(status, { location }).end());
  const link = (...hrefs: string[]) =>
    withToken((request, response) => {
      const links = Object.fromEntries(hrefs.map((href, i) => [`x${i}`, { href }]));
      const [href] = hrefs;
      const self = { href };
      const items = hrefs.map((href) => ({
        id: uuid(1),
        _links: { self: { href }, card: { href } },
      }));
      respondJson(response, page(request.url, { ...links, self, next: self, last: self }, items));
    });
  return {
    ...Object.fromEntries(
      [301, 302, 303, 307, 308].map((status) => [
        `redirects by ${status} ${STATUS_CODES[status]}`,
        redirect(status, `${elsewhere}/cards`),
      ]),
    ),
    "redirects without a scheme": redirect(302, `//${host}/cards`),
    "redirects the token exchange": (_request, response) =>
      void response.writeHead(307, { location: elsewhere }).end(),
    refreshes: withToken((_request, response: ServerResponse) => {
      response.writeHead(200, { refresh: `0; url=${elsewhere}`, link: `<${elsewhere}>; rel=next` });
      response.end("{}");
    }),
    "has absolute links": link(`${elsewhere}/cards`, `${elsewhere}/transactions/${uuid(1)}`),
    "has links without a scheme": link(`//${host}/cards`, `//${host}/transactions/${uuid(1)}`),
    "has links with backslashes": link(`/\\${host}/cards`, `\\\\${host}/cards`, `/\t/${host}/x`),
    "has links with user names": link(`@${host}/cards`, `//me@${host}/cards`, `:@${host}/cards`),
    "has links to hosts that start with its name": link(`.${host}/cards`, `?@${host}`, `#@${host}`),
  };
}

test("no response causes a request to another origin", async () => {
  const requests: string[] = [];
  const elsewhere = await serve((request, response) => {
    requests.push(request.url ?? "");
    notFound(request, response);
  });
  for (const [how, listener] of Object.entries(leadingTo(elsewhere))) {
    const urls: string[] = [];
    const baseUrl = await serve((request, response) => {
      urls.push(request.url ?? "");
      listener(request, response);
    });
    await runAgainst(baseUrl);
    expect([how, urls.length > 0, requests]).toEqual([how, true, []]);
  }
});

test.each(["/../other/x", "/%2e%2e/other/x", "/./../../x", "/..%2fother/x", "/..\\other/x"])(
  "a link to %j stays below the base path",
  async (href) => {
    const requests: string[] = [];
    const baseUrl = await serve(
      withToken((request, response) => {
        requests.push(request.url ?? "");
        const links = { self: { href }, next: { href } };
        const outside = { subaccountId: "../..", bankData: { bankTransactionId: ".." } };
        const item = { id: uuid(1), ...outside, _links: links };
        const items = [{ ...item, _embedded: { messages: [item] } }];
        respondJson(response, page(request.url?.slice(4), links, items));
      }),
    );
    await runAgainst(`${baseUrl}/api`);
    expect(requests.length).toBeGreaterThan(0);
    const outside = /^(?!\/api\/)|\/x$|\.\./;
    expect(requests.filter((url) => outside.test(url))).toEqual([]);
  },
);

const GIGABYTE = 2 ** 30;
const MEGABYTE = Buffer.alloc(2 ** 20, " ");
/** One mebibyte of spaces as a gzip member. It is sent a thousand times. */
const GZIPPED = gzipSync(MEGABYTE);
const BROTLI = brotliCompressSync(Buffer.alloc(64 * 2 ** 20, " "));

function pour(response: ServerResponse, chunk: Buffer, times: number): void {
  let left = times;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= 1;
      if (!response.write(chunk)) return void response.once("drain", more);
    }
    response.end();
  };
  more();
}

test.each<[string, RequestListener]>([
  ["a gigabyte", (_, response) => pour(response.writeHead(200), MEGABYTE, GIGABYTE / 2 ** 20)],
  [
    "a gigabyte with a Content-Length",
    (_, response) => {
      pour(response.writeHead(200, { "content-length": GIGABYTE }), MEGABYTE, GIGABYTE / 2 ** 20);
    },
  ],
  [
    "a gigabyte in gzip",
    (_, response) => {
      pour(response.writeHead(200, { "content-encoding": "gzip" }), GZIPPED, GIGABYTE / 2 ** 20);
    },
  ],
  [
    "64 MB in brotli",
    (_, response) => response.writeHead(200, { "content-encoding": "br" }).end(BROTLI),
  ],
])("a response of %s takes little memory", async (_, listener) => {
  const baseUrl = await serve(withToken(listener));
  const file = `${ROOT}test/conformance/measure-memory.ts`;
  const { stdout } = await promisify(execFile)(process.execPath, [file, baseUrl]);
  const { grownMb, failed, brokenOff, suiteErrors } = JSON.parse(stdout);
  expect({ brokenOff, suiteErrors }).toEqual({ suiteErrors: [] });
  expect(failed).toBeGreaterThan(0);
  // A run itself takes about 40 MB, and garbage is collected later. The limit stays below 1,024 MB.
  expect(grownMb).toBeLessThan(256);
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BaseAddress } from "../../src/client/base-address.ts";
import { createFeedClient, FeedLinkError, type Fetch } from "../../src/client/index.ts";
import { credentials } from "./credentials.ts";
import { clientOf, rejectionOf, startTestServer, type TestServer } from "./test-server.ts";

const FACTS = { method: "GET", path: "(link)", attempts: 0 };

/** Ports used in links: that of the server, and that of another one. */
interface Ports {
  readonly port: number;
  readonly otherPort: number;
}

/** Links that a client with the base URL http://127.0.0.1:PORT/api/v1 must reject. */
const REFUSED: Readonly<Record<string, (ports: Ports) => unknown>> = {
  "another port": ({ otherPort }) => `http://127.0.0.1:${otherPort}/api/v1/cards`,
  "the scheme's default port": () => "http://127.0.0.1/api/v1/cards",
  "another scheme": ({ port }) => `https://127.0.0.1:${port}/api/v1/cards`,
  "a similar scheme": ({ port }) => `httpx://127.0.0.1:${port}/api/v1/cards`,
  "a web socket": ({ port }) => `ws://127.0.0.1:${port}/api/v1/cards`,
  ftp: ({ port }) => `ftp://127.0.0.1:${port}/api/v1/cards`,
  "another host": ({ otherPort }) => `http://localhost:${otherPort}/api/v1/cards`,
  "another name of the host": ({ port }) => `http://localhost:${port}/api/v1/cards`,
  "another address of the host": ({ port }) => `http://127.0.0.2:${port}/api/v1/cards`,
  "the host by IPv6": ({ port }) => `http://[::1]:${port}/api/v1/cards`,
  "the host by mapped IPv6": ({ port }) => `http://[::ffff:127.0.0.1]:${port}/api/v1/cards`,
  "the host as the start of another": ({ port }) =>
    `http://127.0.0.1.evil.example:${port}/api/v1/cards`,
  "the host as a number": ({ port }) => `http://2130706433:${port}/api/v1/cards`,
  "the host in hex": ({ port }) => `http://0x7f.0.0.1:${port}/api/v1/cards`,
  "the host in octal": ({ port }) => `http://0177.0.0.1:${port}/api/v1/cards`,
  "the host shortened": ({ port }) => `http://127.1:${port}/api/v1/cards`,
  "the host in wide digits": ({ port }) => `http://１２７.0.0.1:${port}/api/v1/cards`,
  "the host with wide dots": ({ port }) => `http://127。0。0。1:${port}/api/v1/cards`,
  "the host encoded": ({ port }) => `http://127.0.0.%31:${port}/api/v1/cards`,
  "the host with a dot at its end": ({ port }) => `http://127.0.0.1.:${port}/api/v1/cards`,
  "the host with a soft hyphen": ({ port }) => `http://127.0.0.1\u00ad:${port}/api/v1/cards`,
  "a name that folds to ASCII": ({ otherPort }) => `http://ⓛocalhost:${otherPort}/api/v1/cards`,
  "a user name": ({ port }) => `http://user@127.0.0.1:${port}/api/v1/cards`,
  "a user name and a password": ({ port }) => `http://user:pass@127.0.0.1:${port}/api/v1/cards`,
  "an empty user name": ({ port }) => `http://@127.0.0.1:${port}/api/v1/cards`,
  "an empty user name and password": ({ port }) => `http://:@127.0.0.1:${port}/api/v1/cards`,
  "the host as a user name": ({ port, otherPort }) =>
    `http://127.0.0.1:${port}@127.0.0.1:${otherPort}/api/v1/cards`,
  "the host as an encoded user name": ({ port, otherPort }) =>
    `http://127.0.0.1%3a${port}@127.0.0.1:${otherPort}/api/v1/cards`,
  "two at signs": ({ port, otherPort }) =>
    `http://a@127.0.0.1:${port}@127.0.0.1:${otherPort}/api/v1/cards`,
  "a host after a fragment": ({ port, otherPort }) =>
    `http://127.0.0.1:${otherPort}#@127.0.0.1:${port}/api/v1/cards`,
  "a host after a query": ({ port, otherPort }) =>
    `http://127.0.0.1:${otherPort}?@127.0.0.1:${port}/api/v1/cards`,
  "a host after a backslash": ({ port, otherPort }) =>
    `http://127.0.0.1:${otherPort}\\@127.0.0.1:${port}/api/v1/cards`,
  "no scheme": ({ otherPort }) => `//127.0.0.1:${otherPort}/api/v1/cards`,
  "no scheme, on the host itself": ({ port }) => `//127.0.0.1:${port}/api/v1/cards`,
  "three slashes": ({ otherPort }) => `///127.0.0.1:${otherPort}/api/v1/cards`,
  "two backslashes": ({ otherPort }) => `\\\\127.0.0.1:${otherPort}/api/v1/cards`,
  "a slash and a backslash": ({ otherPort }) => `/\\127.0.0.1:${otherPort}/api/v1/cards`,
  "a backslash and a slash": ({ otherPort }) => `\\/127.0.0.1:${otherPort}/api/v1/cards`,
  "backslashes after the scheme": ({ otherPort }) => `http:\\\\127.0.0.1:${otherPort}/api/v1/cards`,
  "one slash after the scheme": ({ port }) => `http:/127.0.0.1:${port}/api/v1/cards`,
  "no slash after the scheme": ({ port }) => `http:127.0.0.1:${port}/api/v1/cards`,
  "three slashes after the scheme": ({ port }) => `http:///127.0.0.1:${port}/api/v1/cards`,
  "a tab between two slashes": ({ otherPort }) => `/\t/127.0.0.1:${otherPort}/api/v1/cards`,
  "a line break between two slashes": ({ otherPort }) => `/\n/127.0.0.1:${otherPort}/api/v1/cards`,
  "a tab in the scheme": ({ port }) => `ht\ttp://127.0.0.1:${port}/api/v1/cards`,
  "a space before it": () => " /cards",
  "a line break after it": () => "/cards\r\n",
  "a header after it": () => "/cards HTTP/1.1\r\nx: y",
  "a tab in the query": () => "/cards?c=a\tb",
  "a line break in the query": () => "/cards?c=a\r\nb",
  "a space in the query": () => "/cards?c=a b",
  "a backslash in the query": () => "/cards?c=a\\b",
  "a NUL": () => "/cards\u0000",
  "a DEL": () => "/cards\u007f",
  "a byte order mark before it": () => "\ufeff/cards",
  "a script": () => "javascript:alert(1)",
  data: () => "data:application/json,{}",
  "a file": () => "file:///etc/passwd",
  "a blob of the origin": ({ port }) => `blob:http://127.0.0.1:${port}/api/v1/cards`,
  "view-source": ({ port }) => `view-source:http://127.0.0.1:${port}/api/v1/cards`,
  "two dots": () => "/../secrets",
  "two dots later in the path": () => "/cards/../../secrets",
  "two dots that stay below the base": () => "/cards/../cards",
  "one dot": () => "/./cards",
  "dots at the end": () => "/cards/..",
  "dots encoded": () => "/%2e%2e/secrets",
  "one of two dots encoded": () => "/.%2E/secrets",
  "dots encoded twice": () => "/%252e%252e/secrets",
  "dots in overlong UTF-8": () => "/%c0%ae%c0%ae/secrets",
  "wide dots": () => "/%ef%bc%8e%ef%bc%8e/secrets",
  "dots with a space": () => "/..%20/secrets",
  "dots with a semicolon": () => "/..;/secrets",
  "dots with an encoded semicolon": () => "/..%3b/secrets",
  "dots as %u": () => "/%u002e%u002e/secrets",
  "an encoded slash": () => "/..%2fsecrets",
  "an encoded slash in an id": () => "/cards/a%2Fb",
  "a slash encoded twice": () => "/..%252fsecrets",
  "a wide slash": () => "/..%ef%bc%8fsecrets",
  "an encoded backslash": () => "/..%5csecrets",
  "an encoded NUL": () => "/cards%00",
  "an encoded line break": () => "/cards%0d%0ax:y",
  "an encoded question mark": () => "/cards%3fx",
  "an encoded number sign": () => "/cards%23x",
  "two adjacent slashes": () => "/cards//1",
  "text that is not ASCII": () => "/c\u0430rds/\u00e9",
  "the origin's root": ({ port }) => `http://127.0.0.1:${port}/`,
  "only the origin": ({ port }) => `http://127.0.0.1:${port}`,
  "the base without a slash": ({ port }) => `http://127.0.0.1:${port}/api/v1`,
  "next to the base": ({ port }) => `http://127.0.0.1:${port}/api/v10/cards`,
  "above the base": ({ port }) => `http://127.0.0.1:${port}/api/cards`,
  "the base in capitals": ({ port }) => `http://127.0.0.1:${port}/API/v1/cards`,
  "out of the base by dots": ({ port }) => `http://127.0.0.1:${port}/api/v1/../secrets`,
  "out of the base and back": ({ port }) => `http://127.0.0.1:${port}/api/v10/../v1/cards`,
  "out of the base by encoded dots": ({ port }) => `http://127.0.0.1:${port}/api/v1/%2e%2e/secrets`,
  "the base only in the query": ({ port }) => `http://127.0.0.1:${port}/?/api/v1/cards`,
  "the base only in the fragment": ({ port }) => `http://127.0.0.1:${port}/#/api/v1/cards`,
  "a query without a path": ({ port }) => `http://127.0.0.1:${port}?x=/api/v1/`,
  nothing: () => "",
  "only a query": () => "?cursor=x",
  "only a fragment": () => "#next",
  "a path without a slash": () => "cards/1",
  "an invalid port": () => "http://127.0.0.1:99999/api/v1/cards",
  undefined: () => undefined,
  null: () => null,
  "a number": () => 7,
  "an object": () => ({ toString: () => "/cards" }),
  "an array": () => ["/cards"],
  "a String": () => new String("/cards"),
  "a URL": ({ port }) => new URL(`http://127.0.0.1:${port}/api/v1/cards`),
};

test("there are at least 100 distinct malicious links", () => {
  const forms = Object.values(REFUSED).map((form) =>
    JSON.stringify(form({ port: 1, otherPort: 2 })),
  );
  expect(forms.length).toBeGreaterThanOrEqual(100);
  expect(new Set(forms).size).toBe(forms.length);
});

describe("a link is rejected before sending if it has", () => {
  test.each(Object.entries(REFUSED))("%s", async (_name, form) => {
    const server = await startTestServer(() => ({ body: {} }));
    const other = await startTestServer(() => ({ body: {} }));
    const portOf = ({ url }: TestServer) => Number(new URL(url).port);
    const ports = { port: portOf(server), otherPort: portOf(other) };
    const href = form(ports) as string;
    const feed = clientOf(server, { baseUrl: `${server.url}/api/v1/` });
    const steps = [
      (_request: unknown, next: (request: never) => Promise<never>) =>
        next({ ...(_request as object), url: href } as never),
    ];
    const stepped = clientOf(server, {
      baseUrl: `${server.url}/api/v1/`,
      middleware: steps as never,
    });
    const calls = [
      feed.follow({ href }),
      feed.follow(href),
      feed.followResult({ href }),
      feed.cards.list({ from: { href } }).toArray({ max: 1 }),
      feed.cards.listResult({ from: { href } }),
    ];
    for (const call of calls) expect(await rejectionOf(call)).toBeInstanceOf(FeedLinkError);
    expect([
      ...server.requests,
      ...server.exchanges,
      ...other.requests,
      ...other.exchanges,
    ]).toEqual([]);
    if (typeof href !== "string") return;
    // Middleware that changes the URL is rejected too.
    expect(await rejectionOf(stepped.cards.get("1"))).toBeInstanceOf(FeedLinkError);
    expect([...server.requests, ...other.requests, ...other.exchanges]).toEqual([]);
  });
});

/** Links that are followed, and the request targets that they produce. */
const FOLLOWED: Readonly<Record<string, readonly [(port: number) => string, string]>> = {
  "a path": [() => "/cards/1", "/api/v1/cards/1"],
  "the base with a slash": [() => "/", "/api/v1/"],
  "a path that is not in the contract": [() => "/x/y/z", "/api/v1/x/y/z"],
  "a slash at the end": [() => "/cards/", "/api/v1/cards/"],
  "an absolute URL": [(port) => `http://127.0.0.1:${port}/api/v1/cards/1`, "/api/v1/cards/1"],
  "a scheme in capitals": [(port) => `HTTP://127.0.0.1:${port}/api/v1/cards`, "/api/v1/cards"],
  "a Base64 cursor": [() => "/cards?cursor=aGk+Lw==", "/api/v1/cards?cursor=aGk+Lw=="],
  "an encoded slash in the query": [() => "/cards?c=a%2Fb%2f", "/api/v1/cards?c=a%2Fb%2f"],
  "an encoded percent in the query": [() => "/cards?c=100%25", "/api/v1/cards?c=100%25"],
  "dots in the query": [() => "/cards?c=/../..", "/api/v1/cards?c=/../.."],
  "slashes in the query": [() => "/cards?c=//host/", "/api/v1/cards?c=//host/"],
  "an address in the query": [() => "/cards?c=http://u@host/#x", "/api/v1/cards?c=http://u@host/"],
  "encoded text in the query": [() => "/cards?c=%C3%A9", "/api/v1/cards?c=%C3%A9"],
  "plain text in the query": [() => "/cards?c=é", "/api/v1/cards?c=%C3%A9"],
  "repeated parameters in order": [() => "/cards?b=1&a=2&b=3&&=", "/api/v1/cards?b=1&a=2&b=3&&="],
  "a plus and an encoded space": [() => "/cards?c=a+b%20c", "/api/v1/cards?c=a+b%20c"],
  "brackets, colons and semicolons": [() => "/cards?f[x]=1:2;3", "/api/v1/cards?f[x]=1:2;3"],
  "an encoded line break in the query": [() => "/cards?c=%0D%0A", "/api/v1/cards?c=%0D%0A"],
  "an empty query": [() => "/cards?", "/api/v1/cards"],
  "two question marks": [() => "/cards??c=1", "/api/v1/cards??c=1"],
  "a fragment": [() => "/cards?c=1#top", "/api/v1/cards?c=1"],
  "an id with an encoded space": [() => "/cards/a%20b", "/api/v1/cards/a%20b"],
  "an id with encoded text": [() => "/cards/caf%C3%A9", "/api/v1/cards/caf%C3%A9"],
  "an id that contains dots": [() => "/cards/a..b.c", "/api/v1/cards/a..b.c"],
  "an id with punctuation": [() => "/cards/a@b:c,d=e~f'(g)!*", "/api/v1/cards/a@b:c,d=e~f'(g)!*"],
};

describe("a link is followed that has", () => {
  test.each(Object.entries(FOLLOWED))("%s", async (_name, [form, wire]) => {
    const server = await startTestServer(() => ({ body: {} }));
    const feed = clientOf(server, { baseUrl: `${server.url}/api/v1` });
    await feed.follow(form(Number(new URL(server.url).port)));
    expect(server.requests).toMatchObject([
      { method: "GET", url: wire, headers: { authorization: "Bearer token-1" } },
    ]);
  });

  test.each([
    ["https://feed.example/", "https://feed.example:443/cards", "https://feed.example/cards"],
    ["http://feed.example:80", "http://FEED.example/cards", "http://feed.example/cards"],
    ["https://feed.example", "HTTPS://Feed.Example:443/cards", "https://feed.example/cards"],
    ["https://FEED.example//", "/cards", "https://feed.example/cards"],
    ["http://[::1]:8080/", "http://[::1]:8080/cards", "http://[::1]:8080/cards"],
    [
      "https://bücher.example",
      "https://xn--bcher-kva.example/x",
      "https://xn--bcher-kva.example/x",
    ],
  ])("base %s, href %s", (base, href, url) => {
    expect(new BaseAddress(base).resolve(href, FACTS)).toBe(url);
  });
});

test("a link of 8,192 characters is followed; a longer one is rejected", () => {
  const base = new BaseAddress("https://feed.example");
  const link = "/cards?cursor=".padEnd(8192, "c");
  expect(base.resolve(link, FACTS)).toBe(`https://feed.example${link}`);
  expect(() => base.resolve(`${link}c`, FACTS)).toThrow(
    /: refused, .* longer than 8192 characters$/,
  );
});

test.each([
  "ftp://feed.example",
  "feed.example",
  "feed.example:8080/api",
  "",
  "https://user@feed.example",
  "https://feed.example?x=1",
  "https://feed.example/#x",
  "https://feed.example/a//b",
  "https://feed.example/a%2Fb",
  "https://feed.example/..;/b",
  `https://feed.example/${"a".repeat(8192)}`,
])("%s is not a base URL", (baseUrl) => {
  const create = () => createFeedClient(credentials(baseUrl));
  expect(create).toThrow(expect.objectContaining({ code: "usage" }));
});

test("no redirect forwards the token", async () => {
  const other = await startTestServer(() => ({ body: {} }));
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `${other.url}/cards/1`;
    const server = await startTestServer(() => ({ status, headers: { location } }));
    expect(await rejectionOf(clientOf(server).cards.get("1"))).toMatchObject({
      code: "http",
      status,
    });
    expect(server.requests).toHaveLength(1);
    const exchange = await startTestServer(
      () => ({ body: {} }),
      () => ({ status, headers: { location } }),
    );
    expect(await rejectionOf(clientOf(exchange).cards.get("1"))).toMatchObject({ status });
  }
  expect([...other.requests, ...other.exchanges]).toEqual([]);
});

/** URL parts, including ones that parsers interpret differently. */
const PIECES = [
  ...[
    "/",
    "//",
    "\\",
    "..",
    ".",
    "%2e",
    "%2E%2e",
    "%252e",
    "%2f",
    "%5C",
    "%00",
    "%3b",
    ";",
    ":",
    "@",
  ],
  ...[
    "?",
    "#",
    "&",
    "=",
    "%",
    "%ff",
    "%c0%ae",
    "%ef%bc%8e",
    "%e2%80%a5",
    "%e2%84%80",
    "\t",
    "\n",
    " ",
  ],
  ...[
    "http:",
    "https:",
    "HTTP://",
    "blob:",
    "feed.example",
    "evil.example",
    ".evil.example",
    "api",
  ],
  ...[
    "/api/v1",
    "/api/v1/",
    "api/v1",
    "v10",
    "cards",
    "https://feed.example",
    "．",
    "／",
    "é",
    "1",
    "v1",
  ],
];
const hrefs = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((pieces) => pieces.join("")),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }).map((pieces) => `/${pieces.join("")}`),
  fc
    .array(fc.constantFrom(...PIECES), { maxLength: 6 })
    .map((pieces) => `https://feed.example/api/v1/${pieces.join("")}`),
  fc.string({ unit: "binary" }),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

describe("for random links", () => {
  test("nothing resolves outside the base after repeated decoding", () => {
    const base = new BaseAddress("https://feed.example/api/v1");
    let resolved = 0;
    fc.assert(
      fc.property(hrefs, (href) => {
        const result = resolve(base, href);
        if (result === undefined) return;
        resolved += 1;
        for (const pathname of decodings(new URL(result).pathname)) {
          const url = new URL(`https://feed.example${pathname}`);
          expect(url.href.startsWith("https://feed.example/api/v1/")).toBe(true);
          expect(pathname).not.toMatch(/\/\/|\\|;|\/\.\.?(?:\/|$)/);
        }
        expect(new URL(result)).toMatchObject({
          origin: "https://feed.example",
          username: "",
          password: "",
          hash: "",
        });
        // Resolving is idempotent.
        expect(base.resolve(result, FACTS)).toBe(result);
      }),
      { numRuns: 10_000 },
    );
    expect(resolved).toBeGreaterThan(1000);
  });

  test("no request leaves the base", async () => {
    const sent: string[] = [];
    const fetch: Fetch = async (url) => {
      sent.push(url);
      const token = { access_token: "token", expires_in: 300, token_type: "Bearer" };
      return Response.json(url.includes("openid-connect") ? token : {});
    };
    const feed = createFeedClient({
      ...credentials("https://feed.example/api/v1"),
      fetch,
    });
    await fc.assert(
      fc.asyncProperty(hrefs, async (href) => {
        await feed.follow({ href }).catch((error) => {
          expect(error).toBeInstanceOf(FeedLinkError);
          expect(error.message).not.toMatch(/[\n\r]/);
        });
      }),
      { numRuns: 3000 },
    );
    expect(sent.length).toBeGreaterThan(100);
    expect(sent.filter((url) => !url.startsWith("https://feed.example/api/v1/"))).toEqual([]);
  });
});

function resolve(base: BaseAddress, href: string): string | undefined {
  try {
    return base.resolve(href, FACTS);
  } catch {
    return undefined;
  }
}

/** The path undecoded, decoded once and twice, and decoded twice with NFKC normalization. */
function decodings(path: string): string[] {
  const once = decodeURIComponent(path);
  const twice = decodeURIComponent(once);
  return [path, once, twice, twice.normalize("NFKC")];
}

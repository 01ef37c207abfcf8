import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type OperationKey, operations } from "../../../generated/operations.ts";
import { readDocument } from "../../document.ts";
import { pathOfNothing, securedOperations, startTestServer, UNKNOWN_ID } from "./test-server.ts";

const ALL = Object.keys(operations) as OperationKey[];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];

/** Valid values of a query parameter, by its schema. */
interface QueryParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type: string; readonly minimum?: number; readonly maximum?: number };
}

const { paths, components } = readDocument();

function queryParametersOf(key: OperationKey): QueryParameter[] {
  const { parameters = [] } = paths[operations[key].path]?.["get"] ?? {};
  return parameters
    .map(({ $ref = "" }) => components.parameters[$ref.split("/").at(-1) ?? ""] as QueryParameter)
    .filter((parameter) => parameter.in === "query");
}

/** Invalid values of a parameter. */
function misfits({ name, schema }: QueryParameter): fc.Arbitrary<string> {
  if (schema.type === "string") {
    return fc
      .string({ unit: "binary" })
      .map((text) => `${name}=${encodeURIComponent(wellFormed(text))}`);
  }
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const number = fc.oneof(
    fc.integer({ max: minimum - 1 }),
    fc.bigInt({ min: BigInt(maximum) + 1n }),
    fc.double().filter((value) => !Number.isInteger(value)),
  );
  const text = fc.string().filter((value) => !/^\d+$/.test(value));
  const value = fc.oneof(
    number.map(String),
    text,
    fc.constantFrom("", "01", "1e1", "+1", "1.0", "0x1"),
  );
  return value.map((value) => `${name}=${encodeURIComponent(wellFormed(value))}`);
}

const wellFormed = (text: string) => text.toWellFormed();

/** Path ids that do not exist. */
const strangeIds = fc.oneof(
  fc.uuid(),
  fc.string({ unit: "binary", minLength: 1 }).map((text) => encodeURIComponent(wellFormed(text))),
  fc.constantFrom(
    "%00",
    "%ZZ",
    "%FF",
    "%",
    "%2F",
    "..",
    ".",
    "~",
    "%2e%2e",
    "null",
    "x".repeat(4_000),
  ),
  fc.constantFrom("'--", "__proto__", ":id", "*", "{id}", UNKNOWN_ID.toUpperCase()),
);

describe("fast-check over the document", () => {
  const lists = securedOperations.filter((key) => key.startsWith("GET") && !key.includes("{"));

  test.each(lists)("PAGE-02: %s refuses invalid parameters and changes nothing", async (key) => {
    const { put, send, token, dump } = await startTestServer();
    const { path } = operations[key];
    put(path.slice(1) as never);
    const headers = { authorization: `Bearer ${await token()}` };
    const before = dump();
    const parameters = queryParametersOf(key);
    expect(parameters.length).toBeGreaterThan(1);
    await fc.assert(
      fc.asyncProperty(fc.oneof(...parameters.map(misfits)), async (query) => {
        const response = await send("GET", `${path}?${query}`, { headers });
        expect(response.status).toBe(400);
        expect(response.headers["content-type"]).toBe("application/problem+json");
      }),
      { numRuns: 150, seed: 1 },
    );
    expect(dump()).toBe(before);
  });

  test.each(lists)("%s refuses a duplicate parameter", async (key) => {
    const { ask } = await startTestServer();
    const { path } = operations[key];
    for (const query of ["limit=5&limit=5", "cursor=a&cursor=a", "offset=1&offset=1"]) {
      expect((await ask("GET", `${path}?${query}`)).status).toBe(400);
    }
  });

  test.each(ALL.filter((key) => key.includes("{")))(
    "%s refuses malformed ids with 4xx and changes nothing",
    async (key) => {
      const { put, send, token, dump } = await startTestServer();
      put("cards");
      const { method, path } = operations[key];
      const headers = { authorization: `Bearer ${await token()}` };
      const before = dump();
      await fc.assert(
        fc.asyncProperty(fc.array(strangeIds, { minLength: 2, maxLength: 2 }), async (ids) => {
          let at = 0;
          const target = path.replaceAll(/\{\w+\}/g, () => ids[at++] ?? "");
          const { status, headers: answered } = await send(method, target, { headers });
          expect(status).toBeGreaterThanOrEqual(400);
          expect(status).toBeLessThan(500);
          expect(answered["content-type"]).toBe("application/problem+json");
        }),
        { numRuns: 60, seed: 1 },
      );
      expect(dump()).toBe(before);
    },
  );

  test("any method, path and body gets a status below 500 and changes nothing", async () => {
    const { send, token, dump } = await startTestServer();
    const headers = {
      authorization: `Bearer ${await token()}`,
      "content-type": "application/json",
    };
    const before = dump();
    const paths = fc.oneof(
      fc.constantFrom(...ALL.map(pathOfNothing)),
      fc.webPath().map((path) => `/${path}`),
    );
    const sent = fc.record({ method: fc.constantFrom(...METHODS), path: paths, body: fc.json() });
    await fc.assert(
      fc.asyncProperty(sent, async ({ method, path, body }) => {
        const hasBody = method !== "TRACE" && method !== "HEAD";
        const response = await send(method, path, hasBody ? { headers, body } : { headers });
        expect(response.status).toBeLessThan(500);
        if (response.status >= 400 && method !== "HEAD") {
          expect(response.json).toMatchObject({ type: "about:blank", status: response.status });
        }
      }),
      { numRuns: 300, seed: 1 },
    );
    expect(dump()).toBe(before);
  });
});

describe("outside the operations", () => {
  test.each(ALL)("the path of %s takes no other method: 405 with Allow", async (key) => {
    const { send } = await startTestServer();
    // A bank link also has GET, so that its self link resolves (CONV-09).
    const isBankLink = key === "PATCH /bank-links/{bankLinkId}";
    const taken: string[] = isBankLink ? ["GET", "PATCH"] : [operations[key].method];
    for (const other of METHODS.filter((one) => !taken.includes(one))) {
      const { status, headers, text } = await send(other, pathOfNothing(key));
      expect([other, status, headers["allow"]]).toEqual([other, 405, taken.join(", ")]);
      expect(headers["content-type"]).toBe("application/problem+json");
      expect(text === "").toBe(other === "HEAD");
    }
  });

  test.each([
    "/",
    "/nothing",
    "/transactions/",
    "/cards/a/b",
    "//cards",
    "/CARDS",
    "/auth",
    "/%2e",
  ])("%s is 404, with or without a token", async (path) => {
    const { send, ask } = await startTestServer();
    for (const response of [await send("GET", path), await ask("POST", path)]) {
      expect(response.status).toBe(404);
      expect(response.headers["content-type"]).toBe("application/problem+json");
    }
  });
});

describe("malformed HTTP", () => {
  /** Sends raw bytes and reads until the connection ends. */
  async function raw(port: number, bytes: string): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(bytes, "latin1");
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
    });
    await once(socket, "close");
    return text;
  }

  const end = "connection: close\r\n\r\n";
  test.each([
    ["text that is not HTTP", "hello\r\n\r\n", 400],
    ["an unknown method", `FOO /cards HTTP/1.1\r\nhost: a\r\n${end}`, 400],
    ["a NUL byte in the path", `GET /cards/\0 HTTP/1.1\r\nhost: a\r\n${end}`, 400],
    ["a NUL byte in a header", `GET /cards HTTP/1.1\r\nhost: a\r\nx: \0\r\n${end}`, 400],
    ["no host", `GET /cards HTTP/1.1\r\n${end}`, 400],
    ["an invalid host", `GET /cards HTTP/1.1\r\nhost: a b/c\r\n${end}`, 400],
    [
      "two lengths",
      `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n${end}`,
      400,
    ],
    ["an invalid request target", `GET cards HTTP/1.1\r\nhost: a\r\n${end}`, 400],
    ["a backslash", `GET /cards\\x HTTP/1.1\r\nhost: a\r\n${end}`, 400],
    ["bytes that are not ASCII", `GET /cards/\xff HTTP/1.1\r\nhost: a\r\n${end}`, 400],
    ["a broken escape", `GET /cards/%ZZ HTTP/1.1\r\nhost: a\r\n${end}`, 401],
    ["an invalid query", `GET /cards?%ZZ=%&&&=== HTTP/1.1\r\nhost: a\r\n${end}`, 401],
    ["a path that is too long", `GET /${"a".repeat(20_000)} HTTP/1.1\r\nhost: a\r\n${end}`, 431],
    [
      "a header that is too long",
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${"a".repeat(20_000)}\r\n${end}`,
      431,
    ],
    ["the asterisk form of the target", `OPTIONS * HTTP/1.1\r\nhost: a\r\n${end}`, 400],
  ])("%s gets a problem response", async (_, bytes, expected) => {
    const { port, dump, ask } = await startTestServer();
    const before = dump();
    const text = await raw(port, bytes);
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(Number(head.split(" ")[1])).toBe(expected);
    expect(head).toMatch(/content-type: application\/problem\+json/i);
    expect(JSON.parse(body)).toMatchObject({ type: "about:blank", status: expected });
    expect(dump()).toBe(before);
    expect((await ask("GET", "/cards")).status).toBe(200);
  });

  test("an incomplete body does not change the server's state", async () => {
    const { port, ask, accounts } = await startTestServer();
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const path = `/auth/realms/${accounts[0].accountId}/protocol/openid-connect/token`;
    const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n`;
    socket.write(`${head}content-type: application/x-www-form-urlencoded\r\n\r\nclient_id=`);
    socket.destroy();
    await once(socket, "close");
    expect((await ask("GET", "/cards")).status).toBe(200);
  });
});

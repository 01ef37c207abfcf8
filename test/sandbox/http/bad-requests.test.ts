import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type OperationKey, operations } from "../../../generated/operations.ts";
import { readDocument } from "../../document.ts";
import {
  FORM,
  LISTS,
  pathOfNothing,
  startTestServer,
  tokenPath,
  UNKNOWN_ID,
} from "../test-server.ts";

const ALL = Object.keys(operations) as OperationKey[];
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"];
const PROBLEM = { "content-type": "application/problem+json" };

/** Valid values of a query parameter, by its schema. */
interface QueryParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly type: string; readonly minimum?: number; readonly maximum?: number };
}

const { paths, components } = readDocument();

function queryParametersOf(path: string): QueryParameter[] {
  const { parameters = [] } = paths[path]?.["get"] ?? {};
  return parameters
    .map(({ $ref = "" }) => components.parameters[$ref.split("/").at(-1) ?? ""] as QueryParameter)
    .filter((parameter) => parameter.in === "query");
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());
const binary = fc.string({ unit: "binary" });

/** Invalid values of a parameter. */
function misfits({ name, schema }: QueryParameter): fc.Arbitrary<string> {
  const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const value = fc.oneof(
    fc.integer({ max: minimum - 1 }).map(String),
    fc.bigInt({ min: BigInt(maximum) + 1n }).map(String),
    fc
      .double()
      .filter((number) => !Number.isInteger(number))
      .map(String),
    fc.string().filter((text) => !/^\d+$/.test(text)),
    fc.constantFrom("", "01", "1e1", "+1", "1.0", "0x1"),
  );
  return (type === "string" ? binary : value).map((text) => `${name}=${encoded(text)}`);
}

test.each(LISTS)("PAGE-02: /%s refuses invalid parameters and changes nothing", async (kind) => {
  const { put, send, token, dump } = await startTestServer();
  put(kind);
  const headers = { authorization: `Bearer ${await token()}` };
  const before = dump();
  const parameters = queryParametersOf(`/${kind}`);
  expect(parameters.length).toBeGreaterThan(1);
  const expectRefused = async (query: string) => {
    const response = await send("GET", `/${kind}?${query}`, { headers });
    expect(response).toMatchObject({ status: 400, headers: PROBLEM });
  };
  const refused = fc.asyncProperty(fc.oneof(...parameters.map(misfits)), expectRefused);
  await fc.assert(refused, { numRuns: 150, seed: 1 });
  for (const twice of ["limit=5", "cursor=a", "offset=1"]) await expectRefused(`${twice}&${twice}`);
  for (const limit of ["limit=0", "limit=101"]) await expectRefused(limit);
  expect(dump()).toBe(before);
});

/** Path ids that do not exist. */
const strangeIds = fc.oneof(
  fc.uuid(),
  fc.string({ unit: "binary", minLength: 1 }).map(encoded),
  fc.constantFrom(
    ...["%00", "%ZZ", "%FF", "%", "%2F", "..", ".", "~", "%2e%2e", "null", "x".repeat(4_000)],
  ),
  fc.constantFrom("'--", "__proto__", ":id", "*", "{id}", UNKNOWN_ID.toUpperCase()),
);

test.each(ALL.filter((key) => key.includes("{")))(
  "%s refuses malformed ids with 4xx and changes nothing",
  async (key) => {
    const { put, send, token, dump } = await startTestServer();
    put("cards");
    const { method, path } = operations[key];
    const headers = { authorization: `Bearer ${await token()}` };
    const before = dump();
    const refused = fc.asyncProperty(fc.tuple(strangeIds, strangeIds), async (ids) => {
      let at = 0;
      const target = path.replaceAll(/\{\w+\}/g, () => ids[at++] ?? "");
      const response = await send(method, target, { headers });
      expect(String(response.status)).toMatch(/^4\d\d$/);
      expect(response.headers).toMatchObject(PROBLEM);
    });
    await fc.assert(refused, { numRuns: 60, seed: 1 });
    expect(dump()).toBe(before);
  },
);

test("any method, path and body gets a status below 500 and changes nothing", async () => {
  const { send, token, dump } = await startTestServer();
  const type = { "content-type": "application/json" };
  const headers = { authorization: `Bearer ${await token()}`, ...type };
  const before = dump();
  const targets = fc.oneof(
    fc.constantFrom(...ALL.map(pathOfNothing)),
    fc.webPath().map((path) => `/${path}`),
  );
  const answered = fc.asyncProperty(
    ...[fc.constantFrom(...METHODS), targets, fc.json()],
    async (method, path, body) => {
      const hasBody = method !== "TRACE" && method !== "HEAD";
      const { status, json } = await send(method, path, hasBody ? { headers, body } : { headers });
      expect(status).toBeLessThan(500);
      if (status >= 400 && method !== "HEAD") {
        expect(json).toMatchObject({ type: "about:blank", status });
      }
    },
  );
  await fc.assert(answered, { numRuns: 300, seed: 1 });
  expect(dump()).toBe(before);
});

test.each(ALL)("the path of %s takes no other method: 405 with Allow", async (key) => {
  const { send } = await startTestServer();
  // A bank link also has GET, so that its self link resolves (CONV-09).
  const isBankLink = key === "PATCH /bank-links/{bankLinkId}";
  const taken: string[] = isBankLink ? ["GET", "PATCH"] : [operations[key].method];
  for (const other of METHODS.filter((one) => !taken.includes(one))) {
    const { status, headers, text } = await send(other, pathOfNothing(key));
    expect([other, status, headers["allow"]]).toEqual([other, 405, taken.join(", ")]);
    expect(headers).toMatchObject(PROBLEM);
    expect(text === "").toBe(other === "HEAD");
  }
});

test("other paths are 404, with or without a token", async () => {
  const { send, ask } = await startTestServer();
  const others = ["/", "/nothing", "/transactions/", "/cards/a/b", "//cards", "/CARDS", "/auth"];
  for (const path of [...others, "/%2e"]) {
    for (const response of [await send("GET", path), await ask("POST", path)]) {
      expect(response, path).toMatchObject({ status: 404, headers: PROBLEM });
    }
  }
});

/** Sends raw bytes and reads until the connection ends. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(bytes, "latin1");
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

/** A request with a start line and other header lines. */
const request = (start: string, ...lines: string[]) =>
  [`${start} HTTP/1.1`, ...lines, "connection: close", "", ""].join("\r\n");
const HOST = "host: a";

test.each([
  ["text that is not HTTP", "hello\r\n\r\n", 400],
  ["an unknown method", request("FOO /cards", HOST), 400],
  ["a NUL byte in the path", request("GET /cards/\0", HOST), 400],
  ["a NUL byte in a header", request("GET /cards", HOST, "x: \0"), 400],
  ["no host", request("GET /cards"), 400],
  ["an invalid host", request("GET /cards", "host: a b/c"), 400],
  ["two lengths", request("POST /", HOST, "content-length: 1", "content-length: 2"), 400],
  ["an invalid request target", request("GET cards", HOST), 400],
  ["a backslash", request("GET /cards\\x", HOST), 400],
  ["bytes that are not ASCII", request("GET /cards/\xff", HOST), 400],
  ["a broken escape", request("GET /cards/%ZZ", HOST), 401],
  ["an invalid query", request("GET /cards?%ZZ=%&&&===", HOST), 401],
  ["a path that is too long", request(`GET /${"a".repeat(20_000)}`, HOST), 431],
  ["a header that is too long", request("GET /", HOST, `x: ${"a".repeat(20_000)}`), 431],
  ["the asterisk form of the target", request("OPTIONS *", HOST), 400],
])("%s gets a problem response", async (_, bytes, expected) => {
  const { port, dump, ask } = await startTestServer();
  const before = dump();
  const [head = "", body = ""] = (await raw(port, bytes)).split("\r\n\r\n");
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
  const type = `content-type: ${FORM["content-type"]}`;
  const start = `POST ${tokenPath(accounts[0].accountId)}`;
  socket.write(`${request(start, HOST, "content-length: 100", type)}client_id=`);
  socket.destroy();
  await once(socket, "close");
  expect((await ask("GET", "/cards")).status).toBe(200);
});

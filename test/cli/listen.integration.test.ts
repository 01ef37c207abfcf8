import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import { notFound, serve } from "../support/local-server.ts";
import { startNode, TXFEED, txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const CREATED = "transaction.created";
const good = make(CREATED);
const { cardId: _cardId, ...withoutCard } = good;

const dir = tempDir();

/** A running listener, and its output by lines. */
async function listening(out: string, ...flags: string[]) {
  const program = startNode([TXFEED, "listen", "--port", "0", "--out", out, ...flags]);
  const [, url = ""] = await program.until(/^listening on (http:\S+),.*\n/m);
  const lines = () => program.output.stdout.split("\n").slice(0, -1);
  return { url, lines, stop: program.stop };
}

function send(url: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", "webhook-event-type": CREATED, ...headers },
  });
}

const captured = async (file: string) =>
  (await readFile(file, "utf8"))
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test("a delivery gets a 204, a line of output and one in the capture", async () => {
  const out = join(dir, "good.ndjson");
  const { url, lines, stop } = await listening(out);
  const secret = { authorization: "Bearer s3cret", "webhook-signature": "v1,s3cret" };
  const body = JSON.stringify(good, null, 2);
  expect((await send(`${url}/hooks?key=s3cret`, body, secret)).status).toBe(204);
  expect(await stop("SIGTERM")).toBe(0);

  expect(await captured(out)).toEqual([
    {
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      headers: { "webhook-event-type": CREATED, "content-type": "application/json" },
      body: good,
    },
  ]);
  expect(lines()[1]).toMatch(/ \d\d:\d\d:\d\d\.\d{3} {2}transaction\.created +[\da-f]{8} {2}/);
  expect(lines().at(-1)).toMatch(/^1 delivery: 1 ok, 0 with errors, .+, in .+good\.ndjson$/);
  expect(`${lines().join("\n")}${await readFile(out, "utf8")}`).not.toContain("s3cret");
});

test("an invalid delivery gets its findings and is captured unchanged", async () => {
  const out = join(dir, "broken.ndjson");
  const { url, lines, stop } = await listening(out);
  const responses = [
    await send(url, JSON.stringify(withoutCard)),
    await send(url, "{no\n"),
    await send(url, "{}", { "webhook-event-type": " " }),
    await send(url, "<xml/>", { "content-type": "text/xml" }),
    await send(url, '{"new":true}', { "webhook-event-type": "transaction.made" }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([422, 400, 400, 415, 204]);
  expect(responses[0]?.headers.get("content-type")).toBe("application/problem+json");
  expect(await responses[0]?.json()).toMatchObject({
    status: 422,
    findings: [{ requirement: "TXN-02" }],
  });
  expect(await stop("SIGINT")).toBe(1);

  expect(await captured(out)).toMatchObject([
    { body: withoutCard },
    { rawBody: "{no\n" },
    { body: {} },
    { headers: { "content-type": "text/xml" }, rawBody: "<xml/>" },
    { headers: { "webhook-event-type": "transaction.made" }, body: { new: true } },
  ]);
  expect(lines()[1]).toMatch(/^✗ .+ 1 finding: TXN-02 \/cardId expected a value, got nothing$/);
  expect(lines()[5]).toMatch(/^· .+transaction\.made .+ 1 finding: WHK-01 /);
  expect(lines().at(-1)).toMatch(/^5 deliveries: 1 ok, 4 with errors, 0 with warnings, 1 notice, /);

  const { status, stdout } = await txfeed("validate", out);
  expect(stdout).toMatch(/^5 payloads: 0 ok, 5 with errors, /m);
  expect(status).toBe(1);
});

test("a number that JSON.parse would change is captured unchanged", async () => {
  const out = join(dir, "numbers.ndjson");
  const { url, stop } = await listening(out);
  const body = '{"a": 1e400,\r\n"b": 12345678901234567890.10, "b": -0}';
  await send(url, body, { "webhook-event-type": "transaction.made" });
  await stop("SIGTERM");
  expect(await readFile(out, "utf8")).toContain(
    '"body":{"a": 1e400, "b": 12345678901234567890.10, "b": -0}}\n',
  );
});

test("a request that is not a delivery is refused, not captured", async () => {
  const out = join(dir, "refused.ndjson");
  const { url, lines, stop } = await listening(out);
  expect((await fetch(url)).status).toBe(405);
  expect((await send(url, " ".repeat(3_000_000))).status).toBe(413);
  expect(await stop("SIGTERM")).toBe(0);
  expect(await readFile(out, "utf8")).toBe("");
  expect(lines().slice(1, -1)).toEqual([
    "· refused with 405: deliveries must use POST",
    "· refused with 413: the body has more than 1048576 bytes",
  ]);
});

test("an aborted request does not affect others", async () => {
  const { url, lines, stop } = await listening(join(dir, "left.ndjson"));
  const left = new AbortController();
  const sent = fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "webhook-event-type": CREATED },
    body: new ReadableStream({
      start: (body) => body.enqueue(new TextEncoder().encode('{"id":')),
      pull: () => left.abort(),
    }),
    duplex: "half",
    signal: left.signal,
  } as RequestInit);
  await expect(sent).rejects.toThrow();
  expect((await send(url, JSON.stringify(good))).status).toBe(204);
  expect(await stop("SIGTERM")).toBe(0);
  expect(lines().at(-1)).toMatch(/^1 delivery: 1 ok, /);
});

test("every answered delivery is in the capture after kill -9", async () => {
  const out = join(dir, "killed.ndjson");
  const { url, stop } = await listening(out);
  const answered: number[] = [];
  let isOver = false;
  const sending = Array.from({ length: 4 }, async (_, sender) => {
    for (let n = sender; !isOver; n += 4) {
      const { ok } = await send(url, JSON.stringify({ n }), { "webhook-event-type": "x.made" });
      if (ok) answered.push(n);
    }
  });
  const isSent = Promise.allSettled(sending);
  while (answered.length < 200) await new Promise((resolve) => setImmediate(resolve));
  await stop("SIGKILL");
  isOver = true;
  await isSent;

  const numbers = (await captured(out)).map(({ body }) => body.n);
  expect(numbers).toEqual(expect.arrayContaining(answered));
});

test("an incomplete last line does not corrupt the next", async () => {
  const out = join(dir, "half.ndjson");
  await writeFile(out, '{"receivedAt":"2025-03-04T12');
  const { url, lines, stop } = await listening(out);
  expect(lines()[0]).toBe(`the last line of ${out} was incomplete; it was kept and terminated`);
  await send(url, JSON.stringify(good));
  await stop("SIGTERM");
  const { stdout } = await txfeed("validate", out, "--format", "json");
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { line: 1, ok: false, error: expect.stringMatching(/^not JSON: /) },
    { line: 2, ok: true },
  ]);
});

test("an existing capture is continued silently", async () => {
  const out = join(dir, "continued.ndjson");
  for (const _ of ["once", "twice"]) {
    const { url, lines, stop } = await listening(out);
    expect(lines()).toHaveLength(1);
    await send(url, JSON.stringify(good));
    await stop("SIGHUP");
  }
  expect(await captured(out)).toHaveLength(2);
});

test("a port in use is one line and exit 2", async () => {
  const { port } = new URL(await serve(notFound));
  const args = ["listen", "--port", port, "--out", join(dir, "port.ndjson")];
  const { status, stdout, stderr } = await txfeed(...args);
  expect(stderr).toMatch(new RegExp(`^txfeed: port ${port} on 127.0.0.1 is not available: .+\n$`));
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

test.each<[string[], string]>([
  [[], "--port is missing"],
  [["--port", "0"], "--out is missing"],
  [["--port", "http", "--out", "x"], '--port takes a number from 0 to 65535, not "http"'],
  [["--port", "0", "--out", "no/such/folder/x"], "no/such/folder/x can't be written"],
  [["--port", "0", "--out", tmpdir()], "is not a file"],
  [["--port", "0", "--out", "x", "--networks", "x"], "--networks takes A=...,B=...,C=..."],
  [["more"], 'unexpected argument "more"'],
])("txfeed listen %j is bad usage: one line and exit 2", async (args, message) => {
  const { status, stdout, stderr } = await txfeed("listen", ...args);
  expect(stderr).toMatch(/^txfeed: .+\n$/);
  expect(stderr).toContain(message);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

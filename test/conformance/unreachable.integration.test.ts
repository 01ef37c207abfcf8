import { readFile, writeFile } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runConformance } from "../../conformance/run/run.ts";
import { notFound, serve } from "../support/local-server.ts";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { targetAt, withToken } from "./runs.ts";

/** A run stops with one line if the target does not respond, or refuses the credentials. */

function tcp(speak: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    onTestFinished(() => void socket.destroy());
    speak(socket.on("error", () => {}));
  });
  return serve(server);
}

function endless(socket: Socket, text: string, first = ""): void {
  socket.write(first);
  const writing = setInterval(() => socket.write(text.repeat(20)), 10);
  socket.on("close", () => clearInterval(writing));
}

/** Refuses every request. */
const refusing = (status: number, body: string, headers: Record<string, string> = {}) =>
  serve((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  });

const UNREACHABLE = /^can't reach \S+: /;
const REFUSED = /^the token endpoint refuses these credentials: POST \S+ got 40[01]; check the/;
const challenge = { "www-authenticate": 'Basic realm="staging"' };

test.each<[string, () => Promise<string>, RegExp]>([
  ["has an unknown name", async () => "http://nowhere.invalid", UNREACHABLE],
  ["speaks no TLS", async () => (await serve(notFound)).replace("http:", "https:"), UNREACHABLE],
  ["never answers", () => tcp(() => {}), UNREACHABLE],
  ["resets every connection", () => tcp((socket) => socket.destroy()), UNREACHABLE],
  [
    "speaks another protocol",
    () => tcp((socket) => socket.end("220 mail.test ESMTP\r\n")),
    UNREACHABLE,
  ],
  [
    "sends endless interim responses",
    () => tcp((socket) => endless(socket, "HTTP/1.1 103 Early Hints\r\n\r\n")),
    UNREACHABLE,
  ],
  [
    "sends endless headers",
    () => tcp((socket) => endless(socket, "x-a: b\r\n", "HTTP/1.1 200 OK\r\n")),
    UNREACHABLE,
  ],
  ["names an invalid client", () => refusing(400, '{"error":"invalid_client"}'), REFUSED],
  [
    "names an invalid client in the way of RFC 6749",
    () => refusing(401, '{"error":"invalid_client"}', { "www-authenticate": "Basic" }),
    /^the token endpoint refuses these credentials: POST \S+ got 401 asking for Basic; check the/,
  ],
  [
    "is behind a gateway with a challenge",
    () => refusing(401, "", challenge),
    /^a gateway before \S+ refuses the run: POST \S+ got 401 asking for Basic realm="staging", /,
  ],
  [
    "is behind a gateway with a page",
    () => refusing(401, "<html>Log in</html>", { "content-type": "text/html" }),
    /^a gateway before \S+ refuses the run: POST \S+ got 401 with text\/html that is not JSON, /,
  ],
])("a server that %s ends the run with one line", async (_what, start, message) => {
  const run = runConformance(targetAt(await start()), { patienceMs: 500 });
  const error = await run.catch((error: unknown) => error);
  const code = message === UNREACHABLE ? "unreachable" : "refused-credentials";
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect((error as Error).message).toMatch(/^[^\n]*[^\n ]$/);
});

const flags = ["--account-id", "a", "--client-id", "b", "--client-secret", "c-secret"];

test.each<[string, () => Promise<string>, RegExp]>([
  ["does not respond", () => tcp((socket) => socket.destroy()), UNREACHABLE],
  ["refuses the credentials", () => refusing(401, ""), REFUSED],
])(
  "if a server %s, the exit status is 3, and earlier evidence stays",
  async (_, start, message) => {
    const evidence = join(tempDir(), "earlier.ndjson");
    await writeFile(evidence, "earlier\n");
    const args = ["conformance", await start(), ...flags, "--evidence", evidence];
    const { status, stderr } = await run("bin/txfeed.ts", args);
    expect(status).toBe(3);
    expect(/^txfeed: (.+)\n$/.exec(stderr)?.[1]).toMatch(message);
    expect((await readFile(evidence, "utf8")).startsWith("earlier\n")).toBe(
      message === UNREACHABLE,
    );
  },
);

test.each<[string, RequestListener, string, string]>([
  ["only to", withToken((request) => request.destroy()), "AUTH-01", "AUTH-07"],
  [
    "to all but",
    (request, response) => {
      if (request.url?.startsWith("/auth/")) request.destroy();
      else response.writeHead(401).end();
    },
    "AUTH-07",
    "AUTH-01",
  ],
])("a server that responds %s the token exchange gets verdicts", async (...row) => {
  const [, listener, passed, failed] = row;
  const target = targetAt(await serve(listener));
  const { requirements } = await runConformance(target, { only: ["AUTH-01", "AUTH-07"] });
  const has = (wanted: string, verdict: string) =>
    requirements.find(({ id }) => id === wanted)?.checks.some((one) => one.verdict === verdict);
  expect([has(passed, "passed"), has(failed, "failed")]).toEqual([true, true]);
});

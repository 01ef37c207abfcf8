import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { type RunOptions, replayEvidence, runConformance } from "../../../conformance/run/run.ts";
import type { Evidence } from "../../../conformance/wire/evidence.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { notFound, serve } from "../../support/local-server.ts";
import { run } from "../../support/program.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { encodings } from "../encodings.ts";
import { withToken } from "../runs.ts";

/** Targets behind gateways: headers, own certificate authorities, client certificates, proxies. */

const KEY = "canary-key-5e1f";
const TEAM = "canary team+5e1f";

test("every request carries the gateway's headers, whose values nothing shows", async () => {
  vi.stubEnv("GATEWAY_KEY", KEY);
  await using sandbox = await createSandbox({ world: "small", seed: 7 });
  await using gateway = await startMutant(sandbox, {
    http: async ({ request, path, forward }) => {
      const { "x-api-key": key, "x-team": team } = request.headers;
      if (key !== `Token ${KEY}` || team !== TEAM) return { status: 403, headers: {}, body: "" };
      const response = await forward();
      const echo = [KEY, TEAM].flatMap((value) => Object.values(encodings).map((as) => as(value)));
      if (response.status === 200 && path.startsWith("/bank-links"))
        return { ...response, status: 500, body: echo.join(" ") };
      return { ...response, headers: { ...response.headers, "x-echo": encodeURIComponent(TEAM) } };
    },
  });
  const [credentials] = sandbox.accounts;
  const evidence: string[] = [];
  const options: RunOptions = {
    only: ["AUTH", "EP"],
    onEvidence: (entry) => evidence.push(JSON.stringify(entry)),
  };
  const headers = { "X-Api-Key": "Token $GATEWAY_KEY", "X-Team": TEAM };
  const target = { baseUrl: gateway.baseUrl, credentials, profile: "full" as const, headers };
  const report = await runConformance(target, options);
  expect(report.requirements.filter(({ verdict }) => verdict === "failed")).toMatchObject([
    { id: "EP-06" },
  ]);
  const text = JSON.stringify(report);
  const curl = JSON.stringify(
    '-H "x-api-key: Token $GATEWAY_KEY" -H "x-team: $TXFEED_HEADER_X_TEAM"',
  );
  expect(text).toContain(curl.slice(1, -1));
  for (const value of [KEY, TEAM].flatMap((one) => Object.values(encodings).map((as) => as(one)))) {
    expect(text).not.toContain(value);
    expect(evidence.join("\n")).not.toContain(value);
  }
  const again = await replayEvidence(evidence.map((line): Evidence => JSON.parse(line)));
  expect(JSON.stringify(again)).toBe(text);
});

const dir = tempDir();
const inDir = (name: string) => join(dir, name);

beforeAll(async () => {
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: dir, stdio: "pipe" });
  const subject = (name: string) => ["-subj", `/CN=${name}`];
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl("req", "-x509", ...fresh, "-keyout", "ca.key", "-out", "ca.pem", ...subject("Own CA"));
  await writeFile(inDir("names"), "subjectAltName=IP:127.0.0.1,DNS:feed.test\n");
  for (const name of ["server", "client"]) {
    openssl("req", ...fresh, "-keyout", `${name}.key`, "-out", `${name}.csr`, ...subject(name));
    const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-extfile", "names"];
    openssl("x509", "-req", "-in", `${name}.csr`, ...by, "-out", `${name}.pem`);
  }
});

/** A target with TLS, which requires a client certificate of its own authority. */
async function secured(isMutual: boolean): Promise<string> {
  const read = (name: string) => readFile(inDir(name));
  const server = createTlsServer(
    {
      ...{ cert: await read("server.pem"), key: await read("server.key") },
      ...{ ca: await read("ca.pem"), requestCert: isMutual, rejectUnauthorized: isMutual },
    },
    withToken(notFound),
  );
  return (await serve(server)).replace("http:", "https:");
}

/** The exit status and the errors of a run of one check. */
async function check(baseUrl: string, flags: string[] = [], env: NodeJS.ProcessEnv = {}) {
  const credentials = ["--account-id", "a", "--client-id", "b", "--client-secret", "c-secret"];
  const words = ["conformance", baseUrl, ...credentials, "--only", "AUTH-01", ...flags];
  const { status, stderr } = await run("bin/txfeed.ts", words, env);
  return { status, stderr };
}

const CA = () => ({ NODE_EXTRA_CA_CERTS: inDir("ca.pem") });
const CLIENT = () => ["--client-cert", inDir("client.pem"), "--client-key", inDir("client.key")];

test("NODE_EXTRA_CA_CERTS adds an own certificate authority", async () => {
  const baseUrl = await secured(false);
  expect(await check(baseUrl)).toEqual({
    status: 3,
    stderr: expect.stringMatching(/can't reach https:\S+: .*certificate/),
  });
  expect(await check(baseUrl, [], CA())).toEqual({ status: 0, stderr: "" });
});

test("a client certificate opens a target that requires one", async () => {
  const baseUrl = await secured(true);
  expect(await check(baseUrl, [], CA())).toMatchObject({ status: 3 });
  expect(await check(baseUrl, CLIENT(), CA())).toEqual({ status: 0, stderr: "" });
});

test.each([false, true])(
  "NODE_USE_ENV_PROXY names a proxy; client certificate: %s",
  async (isMutual) => {
    const baseUrl = await secured(isMutual);
    const asked: string[] = [];
    const proxy = createServer(notFound);
    proxy.on("connect", ({ url = "" }: IncomingMessage, socket) => {
      asked.push(url);
      const { port } = new URL(baseUrl);
      const upstream = connect(Number(port), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      for (const one of [socket, upstream]) one.on("error", () => upstream.destroy());
    });
    const env = { ...CA(), NODE_USE_ENV_PROXY: "1", HTTPS_PROXY: await serve(proxy) };
    expect(await check("https://feed.test", isMutual ? CLIENT() : [], env)).toEqual({
      status: 0,
      stderr: "",
    });
    expect(new Set(asked)).toEqual(new Set(["feed.test:443"]));
  },
);

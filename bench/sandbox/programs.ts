import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const DOCUMENT = fileURLToPath(new URL("../../generated/openapi.yaml", import.meta.url));
const PRISM = fileURLToPath(import.meta.resolve("@stoplight/prism-cli/dist/index.js"));

/** The command line as it stands here; the built one is started sooner. */
export const SOURCE_CLI = fileURLToPath(new URL("../../bin/txfeed.ts", import.meta.url));

/** What a sandbox tells of itself with `--json`. The same seed gives the same, but the address. */
export interface SandboxFacts {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Starts `txfeed sandbox` with all on that it comes with. */
export function spawnSandbox(cli: string, port: number): ChildProcess {
  return spawnNode([cli, "sandbox", "--port", String(port)]);
}

/** Starts Prism on the OpenAPI document; what it logs goes nowhere, which is the least work. */
export function spawnPrism(port: number, flags: readonly string[] = []): ChildProcess {
  return spawnNode([PRISM, "mock", DOCUMENT, "-p", String(port), ...flags]);
}

/** Runs something with a `txfeed sandbox` that takes requests. */
export async function withSandbox<Result>(
  cli: string,
  run: (facts: SandboxFacts) => Promise<Result>,
): Promise<Result> {
  const program = spawn(process.execPath, [cli, "sandbox", "--port", "0", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(createInterface(program.stdout), "line");
    return await run(JSON.parse(line));
  } finally {
    await ended(program);
  }
}

function spawnNode(words: readonly string[]): ChildProcess {
  // Prism runs a cluster that crashes at start where NODE_ENV is "production".
  const { NODE_ENV: _production, ...env } = process.env;
  return spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "inherit"] });
}

/** Ends a program, and resolves when it is gone. */
export async function ended(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const gone = once(program, "exit");
  program.kill("SIGKILL");
  await gone;
}

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Exchanges a sandbox's credentials for an access token (AUTH-01). */
export async function accessToken(baseUrl: string, facts: SandboxFacts): Promise<string> {
  const path = `/auth/realms/${facts.accountId}/protocol/openid-connect/token`;
  const response = await fetch(baseUrl + path, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: facts.clientId,
      client_secret: facts.clientSecret,
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (!token) throw new Error(`no token at ${path}: ${response.status}`);
  return token;
}

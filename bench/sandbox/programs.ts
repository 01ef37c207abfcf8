import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const DOCUMENT = fileURLToPath(new URL("../../generated/openapi.yaml", import.meta.url));
const PRISM = fileURLToPath(import.meta.resolve("@stoplight/prism-cli/dist/index.js"));

/** The entry point of the command line in this checkout. The built one starts faster. */
export const SOURCE_CLI = fileURLToPath(new URL("../../bin/txfeed.ts", import.meta.url));

/** The output of `sandbox --json`. For the same seed only the addresses differ. */
export interface SandboxFacts {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Starts `txfeed sandbox` with default options. */
export function spawnSandbox(cli: string, port: number): ChildProcess {
  return spawnNode([cli, "sandbox", "--port", String(port)]);
}

/** Starts Prism on the OpenAPI document. Its log is discarded. */
export function spawnPrism(port: number, flags: readonly string[] = []): ChildProcess {
  return spawnNode([PRISM, "mock", DOCUMENT, "-p", String(port), ...flags]);
}

/** Starts `txfeed sandbox`, runs `run` and stops it. */
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
    await kill(program);
  }
}

function spawnNode(words: readonly string[]): ChildProcess {
  // Prism starts a cluster, which crashes if NODE_ENV is "production".
  const { NODE_ENV: _production, ...env } = process.env;
  return spawn(process.execPath, words, { env, stdio: ["ignore", "ignore", "inherit"] });
}

/** Kills a program and waits for its exit. */
export async function kill(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const gone = once(program, "exit");
  program.kill("SIGKILL");
  await gone;
}

/** Returns a free port. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** Requests an access token with a sandbox's credentials (AUTH-01). */
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

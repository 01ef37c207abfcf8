import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { NotInstalledError, NotStartedError } from "../errors.ts";
import { listen } from "../listen.ts";

const HOST = "127.0.0.1";
const DOCUMENT = fileURLToPath(new URL("../../generated/openapi.yaml", import.meta.url));

/** The options of the mock. */
interface MockOptions {
  /** The port to listen on. Default: 0, a free one. */
  readonly port?: number;
  /** The OpenAPI document to serve. Default: the generated one. */
  readonly document?: string;
  /** Called with each reason why Prism refuses a request. */
  readonly onViolation?: (violation: string) => void;
}

/** A running mock. */
export interface Mock {
  readonly url: string;
  /** Resolves when Prism ends for any reason. */
  readonly ended: Promise<void>;
  /** Stops Prism and waits until it has ended. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts Prism on the OpenAPI document, on loopback.
 *
 * @returns the running mock.
 * @throws {TxfeedError} `not-installed` if Prism is missing, `port-in-use`, or `not-started` with
 * Prism's first error.
 */
export async function startMock(options: MockOptions = {}): Promise<Mock> {
  const { port = 0, document = DOCUMENT, onViolation } = options;
  const cli = prismCli();
  await refuseUsedPort(port);

  // With NODE_ENV "production", Prism runs a cluster that crashes at start.
  const { NODE_ENV: _production, ...env } = process.env;
  const prism = spawn(
    process.execPath,
    [cli, "mock", document, "-h", HOST, "-p", String(port), "--multiprocess=false"],
    { env: { ...env, NO_COLOR: "1" }, stdio: ["ignore", "pipe", "pipe"] },
  );
  const ended = once(prism, "exit").then(
    () => undefined,
    () => undefined,
  );
  const stop = async () => {
    prism.kill("SIGTERM");
    await ended;
  };
  // Kills Prism if this process ends without stopping it.
  const kill = () => prism.kill("SIGKILL");
  process.once("exit", kill);
  ended.then(() => process.off("exit", kill));

  let firstError: string | undefined;
  const url = await new Promise<string>((resolve, reject) => {
    const read = (raw: string) => {
      const line = stripVTControlCharacters(raw);
      const address = /is listening on (http\S+)/.exec(line)?.[1];
      if (address) resolve(address);
      const violation = /Violation: (.*)/.exec(line)?.[1];
      if (violation) onViolation?.(violation);
      if (/fatal|error/i.test(line)) firstError ??= line.replace(/^.*?(fatal|error)\s+/, "");
    };
    createInterface(prism.stdout).on("line", read);
    createInterface(prism.stderr).on("line", read);
    ended.then(() => {
      const why = firstError ?? "it ended without an error message";
      reject(new NotStartedError(`Prism did not start on ${document}: ${why}`));
    });
  });
  return { url, ended, stop };
}

function prismCli(): string {
  try {
    // Vitest has no import.meta.resolve.
    return createRequire(import.meta.url).resolve("@stoplight/prism-cli/dist/index.js");
  } catch {
    const advice = "npm install --save-dev @stoplight/prism-cli@5.16.0";
    throw new NotInstalledError(`the mock needs Prism: ${advice}`);
  }
}

/** Checks the port at once. Prism reports a used port only after it has read the document. */
async function refuseUsedPort(port: number): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await listen(probe, { host: HOST, port });
  probe.close();
  await once(probe, "close");
}

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type Control, createControlClient } from "../../src/sandbox/index.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/txfeed.ts", import.meta.url));

/** The program's output with --json. */
interface Facts {
  readonly baseUrl: string;
  readonly controlUrl: string;
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The real program in a separate process. */
export interface RunningProgram extends Facts {
  readonly child: ChildProcess;
  readonly control: Control;
  /** Its stderr so far. */
  stderr(): string;
  /** Kills it immediately. */
  kill(): Promise<void>;
  /** Interrupts it like Ctrl-C. Resolves to its exit status. */
  interrupt(): Promise<number | null>;
}

/** Starts `txfeed sandbox` on a free port. It ends with the test. */
export async function startProgram(
  args: readonly string[],
  { fileBlocks }: { readonly fileBlocks?: number } = {},
): Promise<RunningProgram> {
  const command = [process.execPath, PROGRAM, "sandbox", "--port", "0", "--json", ...args];
  const limit = `ulimit -S -f ${fileBlocks ?? "unlimited"} && exec "$@"`;
  const child = spawn("sh", ["-c", limit, "sh", ...command], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const ended = once(child, "close") as Promise<[number | null]>;
  const facts = await new Promise<Facts>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
      if (stdout.includes("\n")) resolve(JSON.parse(stdout));
    });
    void ended.then(([status]) => reject(new Error(`status ${status}: ${stderr}`)));
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return (await ended)[0];
  };
  return {
    ...facts,
    child,
    control: createControlClient(facts.controlUrl),
    stderr: () => stderr,
    kill: async () => void (await end("SIGKILL")),
    interrupt: () => end("SIGINT"),
  };
}

/** Exchanges the program's API credentials for a token. */
export async function tokenOf(program: RunningProgram): Promise<string> {
  const { baseUrl, accountId, clientId, clientSecret } = program;
  const url = `${baseUrl}/auth/realms/${accountId}/protocol/openid-connect/token`;
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  });
  const response = await fetch(url, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}

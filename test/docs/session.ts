import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../support/local-server.ts";
import { type Program, start } from "../support/program.ts";
import { type ShellCommand, txfeedArgs } from "./commands.ts";

/** The ports in the pages. A session replaces them by free ones, also in the output. */
const PORTS = ["3000", "4010", "4020", "4040"];
/** What a server prints when it listens. */
const READY = /press Ctrl-C|listening on|"controlUrl"/;
const STEP_MS = 20;
/** A minute: Prism takes seconds to start on a busy machine. */
const STEPS = 3_000;

/** Runs the commands of a page, one after another. Servers run until the session ends. */
export class Session {
  readonly #cwd: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #ports: ReadonlyMap<string, string>;
  readonly #servers = new Map<string, Program>();

  private constructor(cwd: string, env: NodeJS.ProcessEnv, ports: ReadonlyMap<string, string>) {
    this.#cwd = cwd;
    const TXFEED_BASE_URL = `http://127.0.0.1:${ports.get("4020")}`;
    this.#env = { ...env, PORT: ports.get("3000"), TXFEED_BASE_URL };
    this.#ports = ports;
  }

  static async create(cwd: string, env: NodeJS.ProcessEnv): Promise<Session> {
    const pairs = PORTS.map(async (port) => [port, String(await freePort())] as const);
    return new Session(cwd, env, new Map(await Promise.all(pairs)));
  }

  /**
   * Runs a command until it ends, or until it listens.
   *
   * @returns its exit status, undefined if it still runs, and a function that returns the output
   */
  async run(command: ShellCommand) {
    if (command.words[0] === "export") return this.#exportWords(command.words.slice(1));
    const text = withPort(command);
    // The page asks the reader to stop an earlier server on the same port.
    const port = /--port (\d+)/.exec(text)?.[1] ?? text;
    await this.#servers.get(port)?.stop("SIGKILL");
    const isSimple = !/[|&;]/.test(text);
    const script = `exec 2>&1; ${isSimple ? "exec " : ""}${this.#replacePorts(text)}`;
    const program = start("sh", ["-c", script], { cwd: this.#cwd, env: this.#env });
    program.child.stdin.end();
    let status: number | null | undefined;
    program.ended.then((ended) => {
      status = ended.status;
    });
    for (let step = 0; status === undefined && !READY.test(program.output.stdout); step += 1) {
      if (step > STEPS) throw new Error(`does not end: ${text}: ${program.output.stdout}`);
      await wait(STEP_MS);
    }
    if (status === undefined) this.#servers.set(port, program);
    return { status, printed: () => this.#restorePorts(program.output.stdout) };
  }

  #exportWords(words: readonly string[]) {
    for (const word of words) {
      const [name = "", ...value] = word.split("=");
      this.#env[name] = this.#replacePorts(value.join("="));
    }
    return { status: 0, printed: () => "" };
  }

  #replacePorts(text: string): string {
    return text.replaceAll(/\b\d{4}\b/g, (port) => this.#ports.get(port) ?? port);
  }

  #restorePorts(text: string): string {
    let restored = text;
    for (const [port, free] of this.#ports) restored = restored.replaceAll(free, port);
    return restored;
  }
}

/** Adds the default port to a command that has none, so that it can be replaced. */
function withPort(command: ShellCommand): string {
  const [name, ...args] = txfeedArgs(command) ?? [];
  const has = (flag: string) => args.includes(flag);
  if (has("--list") || has("--help")) return command.text;
  if (name === "sandbox" && !has("--port")) return `${command.text} --port 4020`;
  if (name === "mock" && !has("--port")) return `${command.text} --port 4010`;
  if (name === "trigger" && !has("--url")) return `${command.text} --url http://127.0.0.1:4020`;
  return command.text;
}

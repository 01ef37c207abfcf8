import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { freePort } from "./local-server.ts";

const OLDEST_VERSION = 15;
const START_TIMEOUT_MS = 60_000;

/** A running PostgreSQL server, which belongs to one test file. */
export interface PostgresServer {
  /** The folder of the cluster. */
  readonly dir: string;
  /** Creates an empty database. Resolves to its address. */
  createDatabase(): Promise<string>;
  /** Ends the server: `fast` closes connections, `immediate` and `kill` are crashes. */
  stop(mode: "fast" | "immediate" | "kill"): Promise<void>;
  /**
   * Starts the stopped server at the same address.
   *
   * @param maxFileBytes The size at which files can't grow; writing fails as on a full disk.
   */
  start(maxFileBytes?: number): Promise<void>;
  /** Stops the server and removes its folder. */
  remove(): Promise<void>;
}

/**
 * Describes tests that need a PostgreSQL server, which is started before them and removed
 * afterwards. The tests are skipped if PostgreSQL is not installed; with `CI` set, they fail.
 */
export function describePostgres(title: string, tests: (server: PostgresServer) => void): void {
  const reason = missingReason();
  if (reason !== undefined && !process.env["CI"]) {
    describe.skip(`${title} (skipped: ${reason})`, () => tests({} as PostgresServer));
    return;
  }
  describe(title, () => {
    const server = {} as PostgresServer;
    beforeAll(async () => void Object.assign(server, await startPostgres()));
    afterAll(() => server.remove?.());
    tests(server);
  });
}

/** Creates a cluster in a temporary folder and starts its server on a free port of loopback. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer> {
  const bin = installedBin();
  const reason = missingReason();
  if (bin === undefined || reason !== undefined) throw new Error(reason);
  const identity = unprivileged();
  const run = (command: string, args: readonly string[], options: SpawnOptions) =>
    spawn(command, args, { ...identity, cwd: "/", ...options });
  const parent = ownedTempDir(identity);
  const dir = join(parent, "data");

  // This shell outlives the tests if they are killed: its input ends then.
  const script = `cat >/dev/null; kill -QUIT $(head -1 data/postmaster.pid 2>/dev/null) 2>/dev/null
    while [ -e data/postmaster.pid ] && kill -0 $(head -1 data/postmaster.pid); do sleep 0.05; done
    rm -rf "$PWD"`;
  const cleaner = run("sh", ["-c", script], {
    cwd: parent,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  cleaner.unref();

  const initdb = ["-D", dir, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"];
  const init = run(join(bin, "initdb"), initdb, { stdio: "ignore" });
  const [status] = await once(init, "exit");
  if (status !== 0) throw new Error(`initdb ended with status ${status}`);

  const port = await freePort();
  const address = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let server: ChildProcess | undefined;
  const start = async (maxFileBytes?: number) => {
    const flags = ["listen_addresses=127.0.0.1", `unix_socket_directories=${dir}`, ...settings];
    const args = ["-D", dir, "-p", String(port), ...flags.flatMap((flag) => ["-c", flag])];
    const limit = maxFileBytes === undefined ? "unlimited" : String(Math.ceil(maxFileBytes / 512));
    const command = ["-c", 'ulimit -f "$0" && exec "$@"', limit, join(bin, "postgres"), ...args];
    const child = run("sh", command, { stdio: ["ignore", "ignore", "pipe"] });
    server = child;
    let log = "";
    child.stderr?.setEncoding("utf8").on("data", (text) => {
      log = (log + text).slice(-10_000);
    });
    const until = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      if (child.exitCode !== null || performance.now() > until) {
        throw new Error(`PostgreSQL does not start: ${log}`);
      }
      const client = new pg.Client(address("postgres"));
      client.on("error", () => undefined);
      try {
        await client.connect();
        return await client.end();
      } catch {
        await sleep(20);
      }
    }
  };
  const stop = async (mode: "fast" | "immediate" | "kill") => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, "exit");
    server.kill(({ fast: "SIGINT", immediate: "SIGQUIT", kill: "SIGKILL" } as const)[mode]);
    await ended;
  };

  await start();
  let databases = 0;
  return {
    dir,
    start,
    stop,
    async createDatabase() {
      databases += 1;
      const name = `test${databases}`;
      const client = new pg.Client(address("postgres"));
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`).finally(() => client.end());
      return address(name);
    },
    async remove() {
      await stop("immediate");
      cleaner.ref();
      const ended = once(cleaner, "exit");
      cleaner.stdin?.end();
      await ended;
    },
  };
}

function missingReason(): string | undefined {
  if (installedBin() === undefined) {
    return `PostgreSQL ${OLDEST_VERSION} or later is not installed`;
  }
  if (process.getuid?.() === 0 && unprivileged().uid === undefined) {
    return "PostgreSQL refuses root, and there is no user postgres";
  }
  return undefined;
}

/** The folder of the newest installed server's programs. */
function installedBin(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const packaged = versions
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debian, version, "bin"));
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...packaged];
  return folders.find((folder) => {
    const program = join(folder, "postgres");
    if (!existsSync(program) || !existsSync(join(folder, "initdb"))) return false;
    const version = execFileSync(program, ["--version"], { encoding: "utf8" });
    return Number(/\d+/.exec(version)?.[0]) >= OLDEST_VERSION;
  });
}

/** The user that runs the server: PostgreSQL refuses root. */
export function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (userInfo().uid !== 0) return {};
  const users = readFileSync("/etc/passwd", "utf8");
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/m.exec(users) ?? [];
  return uid === undefined ? {} : { uid: Number(uid), gid: Number(gid) };
}

/** Creates a temporary folder as that user, who can then also remove it. */
export function ownedTempDir(identity: { readonly uid?: number; readonly gid?: number }): string {
  if (identity.uid === undefined) return mkdtempSync(join(tmpdir(), "txfeed-"));
  const template = join(tmpdir(), "txfeed-XXXXXX");
  return execFileSync("mktemp", ["-d", template], { ...identity, encoding: "utf8" }).trim();
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "./local-server.ts";
import { onFinished } from "./on-finished.ts";
import { ownedTempDir, unprivileged } from "./postgres.ts";

const PROGRAM = "/usr/sbin/pgbouncer";
const START_TIMEOUT_MS = 20_000;

/** Whether tests with PgBouncer run: it is installed, or `CI` is set and they fail without it. */
export const usesPgBouncer = existsSync(PROGRAM) || Boolean(process.env["CI"]);

/**
 * Starts PgBouncer in transaction mode before the database at `url`, until the end of the test.
 *
 * @returns The address of the database through PgBouncer.
 */
export async function startPgBouncer(url: string): Promise<string> {
  const identity = unprivileged();
  const dir = ownedTempDir(identity);
  const port = await freePort();
  const config = join(dir, "pgbouncer.ini");
  const target = new URL(url);
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${target.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 2000
default_pool_size = 60
server_login_retry = 1
logfile =
`,
  );
  // The shell's input also ends if the tests are killed.
  const script = `"$0" -q "$1" & cat >/dev/null; kill -9 $!; rm -rf "$PWD"`;
  const child = spawn("sh", ["-c", script, PROGRAM, config], {
    ...identity,
    cwd: dir,
    stdio: ["pipe", "ignore", "ignore"],
  });
  onFinished(async () => {
    const ended = once(child, "exit");
    child.stdin.end();
    await ended;
  });
  const bounced = new URL(url);
  bounced.port = String(port);
  const until = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const client = new pg.Client(bounced.href);
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.end();
      return bounced.href;
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(50);
    }
  }
}

import { execFile } from "node:child_process";
import { chownSync, globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Starts an installed PostgreSQL on a socket in a temporary folder, until it is stopped. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const onDebian = globSync("/usr/lib/postgresql/*/bin").sort().reverse();
  const env = { ...process.env, PATH: [process.env.PATH, ...onDebian].join(delimiter) };
  await run("initdb", ["--version"], { env }).catch(() => {
    console.error("Install PostgreSQL (Debian: apt-get install postgresql), or set DATABASE_URL.");
    process.exit(2);
  });
  const id = async (flag: string) => Number((await run("id", [flag, "postgres"])).stdout);
  // PostgreSQL refuses root.
  const user = process.getuid?.() === 0 ? { uid: await id("-u"), gid: await id("-g") } : undefined;
  const folder = mkdtempSync(join(tmpdir(), "fleet-postgres-"));
  if (user) chownSync(folder, user.uid, user.gid);
  process.once("exit", () => rmSync(folder, { recursive: true }));
  const postgres = (program: string, ...args: string[]) =>
    run(program, ["-D", "data", ...args], { cwd: folder, env, ...user });
  await postgres("initdb", "-U", "postgres", "-A", "trust");
  await postgres("pg_ctl", "-l", "log", "-o", `-k ${folder} -c listen_addresses=`, "start");
  return {
    url: `postgres:///postgres?user=postgres&host=${folder}`,
    stop: () => postgres("pg_ctl", "stop"),
  };
}

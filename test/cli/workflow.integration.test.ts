import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { createControlClient } from "../../src/sandbox/control/client.ts";
import { ROOT } from "../document.ts";
import { freePort } from "../support/local-server.ts";
import { tempDir } from "../support/temp-dir.ts";

interface Job {
  env: Record<string, string>;
  permissions?: Permissions;
  steps: { name?: string; run?: string; uses?: string }[];
}

type Permissions = string | Record<string, string>;

interface Workflow {
  permissions?: Permissions;
  jobs: Record<string, Job> & { conformance: Job };
}

let dir: string;
const groups: number[] = [];

beforeEach(async () => {
  dir = tempDir();
});

afterEach(async () => {
  // A server that a step leaves running is in its process group.
  for (const group of groups.splice(0)) {
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // The whole group has ended.
    }
  }
});

/** Runs a step like GitHub. Resolves to its exit status and output. */
async function runStep(script: string, env: NodeJS.ProcessEnv) {
  const printed = join(dir, "printed.txt");
  await writeFile(join(dir, "step.sh"), script);
  const words = ["-c", `bash -e step.sh > "${printed}" 2>&1`];
  const step = spawn("bash", words, { cwd: dir, env, detached: true, stdio: "ignore" });
  groups.push(step.pid ?? 0);
  const [status] = await once(step, "exit");
  return { script, status, printed: await readFile(printed, "utf8") };
}

const workflows = [
  "docs/conformance-workflow.yml",
  ...readdirSync(join(ROOT, ".github/workflows")).map((name) => `.github/workflows/${name}`),
].map((file) => [file, readFileSync(join(ROOT, file), "utf8")] as const);

test.each(workflows)("%s pins each action by commit, with its version", (_file, text) => {
  const used = text.match(/\buses:.*/g) ?? [];
  expect(used).not.toEqual([]);
  for (const one of used) expect(one).toMatch(/^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

test.each(workflows)("%s runs packages only in jobs that can't write", (_file, text) => {
  const workflow = parse(text) as Workflow;
  for (const [name, { permissions = workflow.permissions, steps }] of Object.entries(
    workflow.jobs,
  )) {
    // Without permissions, a job has those of the repository's settings.
    expect(permissions, name).toBeTypeOf("object");
    if (!Object.values(permissions ?? {}).includes("write")) continue;
    const commands = steps.flatMap(({ run = "" }) => run.split("\n").filter(Boolean));
    for (const command of commands) {
      expect(command).toMatch(
        /^(git push|node scripts\/release\.ts|npm publish .*--ignore-scripts$)/,
      );
    }
    const isTrusted = Object(permissions)["id-token"] === "write";
    // A job that can publish takes finished files only.
    if (isTrusted) expect(JSON.stringify(steps)).not.toMatch(/actions\/checkout|scripts\//);
  }
});

test("the copyable workflow runs as shipped, against a sandbox", async () => {
  const [port, webhookPort] = [await freePort(), await freePort()];
  const text = (await readFile(join(ROOT, "docs/conformance-workflow.yml"), "utf8"))
    .replaceAll("8080", String(port))
    .replaceAll("4021", String(webhookPort))
    .replace("--collect 30", "--collect 1");
  const { env: secrets, steps } = (parse(text) as Workflow).jobs.conformance;

  const txfeed = `"${process.execPath}" "${join(ROOT, "bin/txfeed.ts")}"`;
  const [, receiver] = /--webhook-listen (\S+)/.exec(text) ?? [];
  const webhooks = `--webhook-url http://${receiver}`;
  const start = `${txfeed} sandbox --port ${port} ${webhooks} --json > sandbox.json`;
  const control = createControlClient(`http://127.0.0.1:${port}/_sandbox`);
  const purchase = () => void control.trigger("purchase").catch(() => undefined);
  const manifest = { name: "server", version: "1.0.0", scripts: { start } };
  const lock = { ...manifest, lockfileVersion: 3, packages: { "": manifest } };
  await writeFile(join(dir, "package.json"), JSON.stringify(manifest));
  await writeFile(join(dir, "package-lock.json"), JSON.stringify(lock));

  const env: NodeJS.ProcessEnv = {
    ...process.env,
    // GitHub passes a missing secret as an empty variable.
    ...Object.fromEntries(Object.keys(secrets).map((name) => [name, ""])),
    GITHUB_STEP_SUMMARY: join(dir, "step-summary.md"),
  };
  for (const { run } of steps) {
    if (run === undefined) continue;
    // Triggers deliveries once the receiver listens.
    const timer = run.includes("--webhook-listen") && setInterval(purchase, 200);
    const step = await runStep(run, env);
    if (timer) clearInterval(timer);
    expect(step).toMatchObject({ script: run, status: 0 });
    if (run === "npm ci") await addBin(txfeed);
    if (run.startsWith("npm start")) {
      const facts = JSON.parse(await readFile(join(dir, "sandbox.json"), "utf8"));
      env.TXFEED_ACCOUNT_ID = facts.accountId;
      env.TXFEED_CLIENT_ID = facts.clientId;
      env.TXFEED_CLIENT_SECRET = facts.clientSecret;
    }
  }
  expect(await readdir(join(dir, "reports"))).toEqual([
    ...["conformance.html", "conformance.json", "conformance.xml"],
    ...["evidence.ndjson", "summary.md"],
  ]);
  const evidence = await readFile(join(dir, "reports/evidence.ndjson"), "utf8");
  expect(evidence.includes('"kind":"delivery"')).toBe(true);
  expect(await readFile(join(dir, "step-summary.md"), "utf8")).toMatch(/of 366 claims decided/);
});

/** The program at its path after `npm install txfeed`. */
async function addBin(command: string): Promise<void> {
  const bin = join(dir, "node_modules/.bin");
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, "txfeed"), `#!/bin/sh\nexec ${command} "$@"\n`);
  await chmod(join(bin, "txfeed"), 0o755);
}

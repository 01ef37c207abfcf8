import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { loadDriver, verbs } from "../../conformance/driver.ts";
import { DEFAULT_NETWORKS } from "../../src/contract/networks.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { createProjects, typecheck } from "../support/installed-package.ts";
import { run, txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Makes code of the commented verbs. */
const uncommented = (skeleton: string) => skeleton.replaceAll(/^ {4}\/\/ /gm, "    ");

async function skeleton(file = join(tempDir(), "my-driver.mjs")) {
  expect(await txfeed("driver", "init", file)).toMatchObject({ status: 0, stderr: "" });
  return { file, code: await readFile(file, "utf8") };
}

test("the skeleton runs as it is, and has every verb as a comment", async () => {
  const { file, code } = await skeleton();
  const context = { baseUrl: "http://127.0.0.1:1", networks: DEFAULT_NETWORKS };
  expect(await loadDriver(await import(pathToFileURL(file).href), context)).toEqual({});
  for (const verb of verbs) expect(code).toContain(`    // async ${verb}(`);
  expect(code).toContain("--driver ./my-driver.mjs");
});

test("the implemented skeleton is a documented driver with types", async () => {
  const { code } = await skeleton();
  const implemented = uncommented(code);
  const wrong = implemented.replace("return { feedId }", "return { feed: feedId }");
  const dir = tempDir();
  await createProjects(dir, ["drivers"]);
  const files = ["driver", "wrong"].map((name) => join(dir, "drivers", `${name}.mjs`));
  await Promise.all([implemented, wrong].map((code, index) => writeFile(files[index] ?? "", code)));
  const { stdout } = await typecheck(dir, files);
  expect(stdout).toContain("wrong.mjs");
  expect(stdout).not.toContain("driver.mjs");
  const { default: make } = await import(pathToFileURL(join(dir, "drivers/driver.mjs")).href);
  expect(Object.keys(make({ baseUrl: "http://127.0.0.1:1" }))).toEqual(verbs);
  expect(implemented.match(/ {4}\/\*\*\n {5}\* \S/g)).toHaveLength(verbs.length);
});

test("init refuses to overwrite a file without --force", async () => {
  const { file } = await skeleton();
  await writeFile(file, "mine");
  expect(await txfeed("driver", "init", file)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("exists; give --force to overwrite it"),
  });
  expect(await readFile(file, "utf8")).toBe("mine");
  expect((await txfeed("driver", "init", file, "--force")).status).toBe(0);
  expect(await readFile(file, "utf8")).toContain("@ts-check");
});

const CREDENTIALS = ["--account-id", "a", "--client-id", "c", "--client-secret", "s"];

test.each([
  [["build"], 'there is no verb "build"; the verbs are init, check'],
  [["chek"], 'there is no verb "chek"; did you mean "check"?'],
  [["init", "driver.ts"], 'FILE must end in .mjs or .js, not "driver.ts"'],
  [["init", "--account-id", "a"], "--account-id is for check, not for init"],
  [["check", "http://127.0.0.1:1"], "check requires --driver MODULE"],
  [["check", "--driver", "sandbox"], "BASE_URL is missing"],
  [
    ["check", "http://127.0.0.1:1", "--force", "--driver", "sandbox"],
    "--force is for init, not for check",
  ],
  [
    ["check", "http://127.0.0.1:1", ...CREDENTIALS, "--driver", "./no-such.mjs"],
    "there is no such file or package",
  ],
])("%j is bad usage", async (args, message) => {
  const { status, stderr, stdout } = await txfeed("driver", ...args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("check tries each verb, and says what the missing ones would decide", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  const env = { TXFEED_CLIENT_SECRET: clientSecret };
  const file = join(tempDir(), "driver.mjs");
  const flags = ["--account-id", accountId, "--client-id", clientId, "--driver", file];
  const check = (url = sandbox.baseUrl) =>
    run("bin/txfeed.ts", ["driver", "check", url, ...flags], env);
  const driverFile = pathToFileURL(join(process.cwd(), "conformance/drivers/sandbox.ts")).href;
  const imported = `import sandbox from ${JSON.stringify(driverFile)};\n`;
  const some = (verbs: string) =>
    `${imported}export default (context) => { const { ${verbs} } = sandbox(context); return { ${verbs} }; };`;

  await writeFile(file, some("subscribe, unsubscribe, settle, enroll, clearSca"));
  const good = await check();
  expect(good).toMatchObject({ status: 0, stderr: "" });
  expect(good.stdout).toMatch(/^✓ enroll +\d+ ms {2}\{ subscriptionId, cardId, last4 \} /m);
  expect(good.stdout).toMatch(/^· upgrade .*SUB-06/m);
  expect(good.stdout).toMatch(/\n5 verbs work, \d+ missing\n$/);

  await writeFile(file, `${imported}export default { enroll: async () => ({ cardId: 5 }) };`);
  const bad = await check();
  expect(bad.status).toBe(1);
  expect(bad.stdout).toContain("its result's cardId is 5 instead of an id");
  expect(bad.stdout).toMatch(/No events were checked: .*\n.*1 failing: enroll, \d+ missing\n$/);

  await writeFile(file, "export default {};");
  expect((await check()).status).toBe(4);
  await sandbox.close();
  expect(await check()).toMatchObject({ status: 3, stdout: "" });
});

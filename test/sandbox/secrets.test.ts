import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.ts";
import { tempDir } from "../support/temp-dir.ts";

const directory = tempDir();

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

test("the data file is readable only by its owner, like the files beside it", async () => {
  const folder = tempDir();
  symlinkSync(join(folder, "target.db"), join(folder, "data.db"));
  const before = process.umask(0);
  try {
    await using sandbox = await createSandbox({ data: join(folder, "data.db") });
    await sandbox.trigger("purchase");
    await sandbox.snapshot("one");
    const names = readdirSync(folder);
    expect(names).toEqual(expect.arrayContaining(["target.db", "target.db-wal"]));
    for (const name of names) expect([name, modeOf(join(folder, name))]).toEqual([name, "600"]);
  } finally {
    process.umask(before);
  }
});

test("a data file that exists keeps its mode", async () => {
  const file = join(directory, "existing.db");
  writeFileSync(file, "");
  chmodSync(file, 0o640);
  await (await createSandbox({ data: file })).close();
  expect(modeOf(file)).toBe("640");
});

/** Returns all secrets of a sandbox, followed by its ids. */
async function identityOf(sandbox: Sandbox) {
  const { secret } = await sandbox.addEndpoint({ url: "http://127.0.0.1:9/" });
  const { accounts } = sandbox;
  const secrets = accounts.flatMap((one) => [one.clientSecret, one.sdkClientSecret]);
  const ids = accounts.flatMap((one) => [one.accountId, one.clientId, one.sdkClientId]);
  return { secrets: [...secrets, secret], ids };
}

async function identityWith(options: SandboxOptions) {
  await using sandbox = await createSandbox({ world: "empty", ...options });
  return identityOf(sandbox);
}

describe("secrets", () => {
  test.each(["127.0.0.1", "localhost", "127.0.0.2"])("are seeded on %s", async (host) => {
    expect(await identityWith({ host })).toEqual(await identityWith({ seed: 1 }));
  });

  test("are random and distinct beyond loopback without a seed; ids are not", async () => {
    const seeded = await identityWith({});
    const [one, other] = [
      await identityWith({ host: "0.0.0.0" }),
      await identityWith({ host: "::" }),
    ];
    const all = [...seeded.secrets, ...one.secrets, ...other.secrets];
    expect(new Set(all).size).toBe(15);
    expect([one.ids, other.ids]).toEqual([seeded.ids, seeded.ids]);
    expect(one.secrets.map((secret) => secret.length)).toEqual(
      seeded.secrets.map((secret) => secret.length),
    );
  });

  test("are seeded beyond loopback with a seed", async () => {
    expect(await identityWith({ host: "0.0.0.0", seed: 1 })).toEqual(await identityWith({}));
  });

  test("that are random open the API and survive reset, snapshot and restart", async () => {
    const options = { host: "0.0.0.0", data: join(directory, "random.db") };
    const first = await createSandbox(options);
    const before = await identityOf(first);
    const [{ accountId, clientId, clientSecret }] = first.accounts;
    const form = { grant_type: "client_credentials", client_id: clientId };
    const response = await fetch(
      `${first.baseUrl}/auth/realms/${accountId}/protocol/openid-connect/token`,
      { method: "POST", body: new URLSearchParams({ ...form, client_secret: clientSecret }) },
    );
    expect(response.status).toBe(200);
    await first.snapshot("one");
    await first.reset({ seed: 2 });
    expect((await identityOf(first)).secrets).not.toEqual(before.secrets);
    await first.reset({ seed: 1 });
    expect(await identityOf(first)).toEqual(before);
    await first.restore("one");
    await first.close();
    await using second = await createSandbox(options);
    expect(await identityOf(second)).toEqual(before);
  });
});

test("a file with seeded secrets is not served beyond loopback without a seed", async () => {
  const data = join(directory, "seeded.db");
  await (await createSandbox({ data })).close();
  await expect(createSandbox({ data, host: "0.0.0.0" })).rejects.toMatchObject({
    code: "usage",
    message: expect.stringMatching(
      /the secrets in \S+seeded\.db are derived from its seed, and 0\.0\.0\.0 is/,
    ),
  });
  await (await createSandbox({ data, host: "0.0.0.0", seed: 1 })).close();
  const random = join(directory, "random.db");
  for (const host of ["0.0.0.0", "127.0.0.1", "0.0.0.0"]) {
    await (await createSandbox({ data: random, host })).close();
  }
});

import { expect, test } from "vitest";
import { createSandbox, type SandboxAccount } from "../../../src/sandbox/index.ts";

/** Sends a GET with an account's token. */
async function reader(baseUrl: string, { accountId, clientId, clientSecret }: SandboxAccount) {
  const reply = await fetch(`${baseUrl}/auth/realms/${accountId}/protocol/openid-connect/token`, {
    method: "POST",
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: "client_credentials",
    }),
  });
  const { access_token: token } = (await reply.json()) as { access_token: string };
  const headers = { authorization: `Bearer ${token}` };
  return async (path: string) => {
    const response = await fetch(`${baseUrl}${path}`, { headers });
    return { status: response.status, body: await response.json() };
  };
}

/** A payload's links below the base URL, and its bank transactions. */
function pathsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { href, subaccountId, bankData } = value as Record<string, string>;
  const { bankTransactionId } = (bankData ?? {}) as { bankTransactionId?: string };
  return [
    ...(href?.startsWith("/") ? [href] : []),
    ...(bankTransactionId && subaccountId
      ? [`/bank-transactions/${subaccountId}/${bankTransactionId}`]
      : []),
    ...Object.values(value).flatMap(pathsIn),
  ];
}

test("CONV-09, MSG-11, AUTH-12: only its account can fetch an event's links", async () => {
  await using sandbox = await createSandbox({ clock: "frozen", world: "small", validate: true });
  await sandbox.trigger("purchase", { amount: 42.5 });
  await sandbox.trigger("bank-post");
  await sandbox.trigger("clear");
  await sandbox.trigger("rematch");
  await sandbox.trigger("retire-duplicate");
  await sandbox.trigger("bank-post", { amount: 9.9, description: "KIOSK 8" });
  await sandbox.trigger("late-card-data");
  await sandbox.advance("1d");
  await sandbox.trigger("provider-remove");
  await sandbox.trigger("enrich");
  const [one, other] = sandbox.accounts;
  const [own, foreign] = [await reader(sandbox.baseUrl, one), await reader(sandbox.baseUrl, other)];
  const events = await sandbox.events({ accountId: one.accountId, limit: 10_000 });
  const paths = new Set(events.flatMap(({ body }) => pathsIn(body)));
  expect(paths.size).toBeGreaterThan(30);
  const wrong: string[] = [];
  for (const path of paths) {
    const statuses = [(await own(path)).status, (await foreign(path)).status];
    if (`${statuses}` !== "200,404") wrong.push(`${path} ${statuses}`);
  }
  expect(wrong).toEqual([]);
  expect(sandbox.violations).toEqual([]);
});

test("TXN-11, MSG-09: the last version sent of a resource is the one served", async () => {
  await using sandbox = await createSandbox({ clock: "frozen", world: "small", validate: true });
  const [account] = sandbox.accounts;
  const get = await reader(sandbox.baseUrl, account);
  const last = new Map<string, unknown>();
  for (const { name, body } of await sandbox.events({ accountId: account.accountId })) {
    const isOne = name === "transactionmessage.created" || /^transaction\.[cu]/.test(name);
    if (isOne) last.set((body as { _links: { self: { href: string } } })._links.self.href, body);
  }
  expect(last.size).toBeGreaterThan(10);
  for (const [path, body] of last) expect((await get(path)).body).toEqual(body);
});

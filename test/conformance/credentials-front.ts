import type { Credentials } from "../../conformance/capabilities.ts";
import type { Exchange, HttpResponse } from "../../mutation/mutation.ts";
import type { SandboxAccount } from "../../src/sandbox/index.ts";

/** What credentials are called, and what the sandbox calls them. */
type Renamed = readonly [called: Credentials, account: Credentials];

/** Credentials of both accounts of a sandbox, and those for its SDK. */
export function renamedOf(
  [own, second]: readonly [SandboxAccount, SandboxAccount],
  called: { own: Credentials; sdk: Omit<Credentials, "accountId">; second: Credentials },
): Renamed[] {
  const { accountId, sdkClientId, sdkClientSecret } = own;
  const sdk = { accountId, clientId: sdkClientId, clientSecret: sdkClientSecret };
  return [
    [called.own, own],
    [{ ...called.sdk, accountId: called.own.accountId }, sdk],
    [called.second, second],
  ];
}

/** Has a sandbox know accounts by other names in the token exchange. */
export async function exchangeRenamed(
  { request, path, forward }: Exchange,
  renamed: readonly Renamed[],
): Promise<HttpResponse> {
  if (!path.startsWith("/auth/realms/")) return forward();
  const form = new URLSearchParams(request.body);
  const realm = decodeURIComponent(path.split("/")[3] ?? "");
  // Each name by itself: a wrong one stays wrong.
  const of = (name: keyof Credentials, text: string) =>
    renamed.find(([called]) => called[name] === text)?.[1][name] ?? "nobody";
  for (const [field, name] of [
    ["client_id", "clientId"],
    ["client_secret", "clientSecret"],
  ] as const) {
    const given = form.get(field);
    if (given === null) continue;
    // Names that are the same are told apart by the account and by the secret.
    const match = renamed.find(
      ([called]) =>
        called[name] === given &&
        called.accountId === realm &&
        [called.clientId, "x"].includes(form.get("client_id") ?? "x"),
    );
    form.set(field, match?.[1][name] ?? of(name, given));
  }
  const target = path.replace(/[^/]+(?=\/protocol)/, of("accountId", realm));
  return forward({ target, body: form.toString() });
}

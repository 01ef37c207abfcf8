import type { Credentials } from "../../conformance/target.ts";
import type { Exchange, HttpResponse } from "../../mutation/mutation.ts";
import type { SandboxAccount } from "../../src/sandbox/index.ts";

/** Alternative credentials and the sandbox credentials that they replace. */
type Renamed = readonly [called: Credentials, account: Credentials];

/** Maps alternative credentials to those of a sandbox's two accounts and SDK. */
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

/** Translates alternative credentials in a token request into the sandbox's own. */
export async function exchangeRenamed(
  { request, path, forward }: Exchange,
  renamed: readonly Renamed[],
): Promise<HttpResponse> {
  if (!path.startsWith("/auth/realms/")) return forward();
  const form = new URLSearchParams(request.body);
  const realm = decodeURIComponent(path.split("/")[3] ?? "");
  // Values are translated separately, so wrong values stay wrong.
  const of = (name: keyof Credentials, text: string) =>
    renamed.find(([called]) => called[name] === text)?.[1][name] ?? "nobody";
  for (const [field, name] of [
    ["client_id", "clientId"],
    ["client_secret", "clientSecret"],
  ] as const) {
    const given = form.get(field);
    if (given === null) continue;
    // The account and the client id distinguish equal values.
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

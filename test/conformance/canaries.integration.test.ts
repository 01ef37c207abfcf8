import { request as httpRequest } from "node:http";
import { expect, test } from "vitest";
import type { Driver } from "../../conformance/driver.ts";
import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import { runConformance } from "../../conformance/run/run.ts";
import type { Credentials, Target } from "../../conformance/target.ts";
import type { Evidence } from "../../conformance/wire/evidence.ts";
import { startMutant } from "../../mutation/mutant.ts";
import type { Exchange, HttpResponse } from "../../mutation/mutation.ts";
import { createSandbox, type SandboxAccount } from "../../src/sandbox/index.ts";
import { encodings } from "./encodings.ts";
import { findingsIn, fullTarget, textsOf } from "./runs.ts";

/** Evidence and reports contain no credentials, even if the target echoes them. */

const own = {
  accountId: "canary-account-7c1d",
  clientId: "canary-client-7c1d",
  clientSecret: 'canary/s3cret+"7c1d" & more=',
};
const sdk = { clientId: "canary-sdk-7c1d", clientSecret: "canary-sdk-s3cret-7c1d" };
const second = {
  accountId: "5b3c1f9e-7f0a-4d2b-9c58-1f2e3d4c5b6a",
  clientId: "canary-second-7c1d",
  clientSecret: "canary-second-s3cret-7c1d",
};

/** Invalid credentials that the suite itself sends are not secret. */
const UNKNOWN_CREDENTIALS = Buffer.from("nobody:nothing").toString("base64");

const GIVEN = [own, sdk, second].map(({ clientSecret }) => clientSecret);

/** Alternative credentials and the sandbox credentials that they replace. */
type Renamed = readonly [called: Credentials, account: Credentials];

/** Maps alternative credentials to those of a sandbox's two accounts and SDK. */
function renamedOf(
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
async function exchangeRenamed(
  { request, path, forward }: Exchange,
  renamed: readonly Renamed[],
): Promise<HttpResponse> {
  if (!path.startsWith("/auth/realms/")) return forward();
  const form = new URLSearchParams(request.body);
  const realm = decodeURIComponent(path.split("/")[3] ?? "");
  // Values are translated separately, so wrong values stay wrong.
  const ownValueOf = (name: keyof Credentials, given: string) => {
    const [, account] = renamed.find(([called]) => called[name] === given) ?? [];
    return account?.[name] ?? "nobody";
  };
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
    form.set(field, match?.[1][name] ?? ownValueOf(name, given));
  }
  const target = path.replace(/[^/]+(?=\/protocol)/, ownValueOf("accountId", realm));
  return forward({ target, body: form.toString() });
}

/** Encodes a text in every way in which a server may return it. */
function formsOf(text: string): string[] {
  return Object.values(encodings).map((encode) => encode(text));
}

const writes = Object.values(encodings);
let written = 0;

/** Encodes each text in one way, in turn. All at once exceed the size limit of a body. */
function inTurn(texts: readonly string[]): string[] {
  return texts.map((text) => {
    written += 1;
    return writes[written % writes.length]?.(text) ?? "";
  });
}

const inHeader = (texts: readonly string[]) => texts.map(encodeURIComponent).join(" ");

/** Adds texts to a response: to its headers, its errors and its body. */
function plant({ status, headers, body }: HttpResponse, texts: readonly string[]): HttpResponse {
  // Responses with more than 16 kB of headers are rejected.
  const text = inHeader([...texts.slice(0, GIVEN.length), ...texts.slice(-2)]);
  const planted = {
    ...headers,
    "x-echo": text,
    link: `</cards/${text}>`,
    "set-cookie": `session=${text}`,
    "content-type": `${headers["content-type"] ?? "text/plain"}; x="${text}"`,
    ...(status === 404 && { location: `/${text}` }),
  };
  const forms = inTurn(texts);
  if (status >= 400)
    return { status, headers: planted, body: `${body}\n${[...texts, ...forms].join("\n")}` };
  const echo = JSON.stringify({
    texts,
    forms,
    nested: JSON.stringify({ texts }),
    _links: texts.map((text) => ({ href: `/cards/${encodeURIComponent(text)}` })),
    [texts.join(" ")]: texts.join(" "),
  });
  const inside = body.startsWith("{") ? `${body.slice(0, -1)},"echo":${echo}}` : body;
  return { status, headers: planted, body: inside };
}

/** Sends texts in every part of a delivery. */
async function deliver(url: string, texts: readonly string[]): Promise<void> {
  const text = inHeader(texts.slice(0, GIVEN.length));
  const headers = { "webhook-event-type": text, "user-agent": text, authorization: text };
  const sent = httpRequest(`${url}/${text}?q=${text}`, { method: "POST", headers });
  const forms = texts.flatMap(formsOf);
  sent.end(JSON.stringify({ texts, forms, nested: JSON.stringify({ texts }) }));
  await new Promise((resolve) => sent.on("response", (response) => resolve(response.resume())));
}

/** Returns the encoded canaries that a text contains. */
function leaksIn(text: string, canaries: readonly string[]): string[] {
  return canaries.flatMap(formsOf).filter((form) => form.length > 5 && text.includes(form));
}

test("evidence and reports contain no credential and no token", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const renamed = renamedOf(sandbox.accounts, { own, sdk, second });
  const seen = new Set<string>();
  await using faulty = await startMutant(sandbox, {
    // A debug build that echoes.
    http: async (exchange) => {
      const [, token] = /(\S{12,})$/.exec(exchange.request.headers["authorization"] ?? "") ?? [];
      if (token && token !== UNKNOWN_CREDENTIALS) seen.add(token);
      const response = await exchangeRenamed(exchange, renamed);
      const given = JSON.parse(response.body || "null")?.access_token;
      if (given === undefined) return plant(response, [...GIVEN, ...[...seen].slice(-10)]);
      seen.add(given);
      const refresh = `canary-refresh-${seen.size}`;
      seen.add(refresh);
      const body = JSON.stringify({ ...JSON.parse(response.body), refresh_token: refresh });
      return plant({ ...response, body }, [...GIVEN, given]);
    },
  });
  const inner = sandboxDriver(faulty);
  const driver: Driver = {
    ...inner,
    subscribe: async (to) => {
      await inner.subscribe?.(to);
      await deliver(to.url, [...GIVEN, ...seen]);
    },
    settle: () => {
      const texts = [...GIVEN, ...seen];
      return Promise.reject(new Error(`refused: ${[...texts, ...inTurn(texts)].join(" ")}`));
    },
  };
  const evidence: Evidence[] = [];
  const target: Target = {
    ...{ baseUrl: faulty.baseUrl, credentials: own, sdkCredentials: sdk, secondAccount: second },
    ...{ profile: "full", writes: true, driver },
  };
  const report = await runConformance(target, { onEvidence: (entry) => evidence.push(entry) });

  expect(seen.size).toBeGreaterThan(20);
  expect(report.suiteErrors).toEqual([]);
  const canaries = [...GIVEN, ...seen];
  expect(leaksIn(JSON.stringify(evidence), canaries)).toEqual([]);
  for (const text of Object.values(textsOf(report))) expect(leaksIn(text, canaries)).toEqual([]);
}, 240_000);

/** Words of the interface, short words, numbers, values, placeholders, and words of merchants. */
const careless: readonly (readonly [own: string, sdk: string, second: string])[] = [
  ["transactions", "SETTLED", "s"],
  ["100000", "status", "market"],
  ["TXFEED_TOKEN", "coffee", "a-1"],
];

test.each(careless)(
  "the sandbox has no findings if its credentials are %s, %s and %s",
  async (first, other, last) => {
    await using sandbox = await createSandbox({ world: "small" });
    const of = (word: string) => ({ accountId: word, clientId: word, clientSecret: word });
    const called = { own: of(first), sdk: of(other), second: of(last) };
    const renamed = renamedOf(sandbox.accounts, called);
    await using faulty = await startMutant(sandbox, {
      http: (exchange) => exchangeRenamed(exchange, renamed),
    });
    const { accountId, ...sdkCredentials } = called.sdk;
    const report = await runConformance({
      ...fullTarget(sandbox, faulty.baseUrl),
      ...{ credentials: called.own, sdkCredentials, secondAccount: called.second },
    });
    expect([findingsIn(report), report.suiteErrors]).toEqual([[], []]);
    expect(report.claims.decided).toBeGreaterThan(150);
  },
);

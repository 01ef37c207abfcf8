import { expect, test } from "vitest";
import type { RequirementId } from "../../../generated/requirements.ts";
import { type Exchange, type HttpHook, parseJson } from "../../../mutation/mutation.ts";
import { patternOf, refused, remembered, withJson } from "../../../mutation/rewrite.ts";
import {
  askToken,
  authorizationOf,
  claimedBy,
  forwardAs,
  onApi,
  onToken,
  TOKEN,
} from "../../../mutation/tokens.ts";
import type { SandboxAccount } from "../../../src/sandbox/index.ts";
import { attempt, titlesOf } from "./attempt.ts";

/** What the token endpoint answers, changed. */
const tokenAs = (change: (json: Record<string, unknown>) => object): HttpHook =>
  onToken(async ({ forward }) => {
    const answer = await forward();
    return answer.status === 200 ? await withJson(answer, change) : answer;
  });

interface Client {
  readonly account: string;
  readonly id: string;
  readonly secret: string;
}

const clientsOf = ({ accountId: account, ...own }: SandboxAccount): Client[] => [
  { account, id: own.clientId, secret: own.clientSecret },
  { account, id: own.sdkClientId, secret: own.sdkClientSecret },
];

/** Gives a token to whoever is taken for a client, by some part of what was sent. */
const lenient = (isTakenFor: (client: Client, sent: Client) => boolean): HttpHook =>
  onToken(async (exchange, { sandbox }) => {
    const answer = await exchange.forward();
    if (answer.status === 200) return answer;
    const form = new URLSearchParams(exchange.request.body);
    const sent = {
      account: exchange.path.split("/")[3] ?? "",
      id: form.get("client_id") ?? "",
      secret: form.get("client_secret") ?? "",
    };
    const client = sandbox.accounts.flatMap(clientsOf).find((one) => isTakenFor(one, sent));
    if (!client) return answer;
    const { account, id: client_id, secret: client_secret } = client;
    const grant_type = "client_credentials";
    return await askToken(exchange, account, { client_id, client_secret, grant_type });
  });

/** Lets requests in that are refused, as if they had come with the first account's token. */
const open = (isLetIn: (exchange: Exchange) => boolean): HttpHook =>
  onApi(async (exchange, { sandbox }) => {
    const answer = await exchange.forward();
    const isRefused = answer.status === 401 || answer.status === 403;
    if (!isRefused || !isLetIn(exchange)) return answer;
    return await forwardAs(exchange, sandbox.accounts[0]);
  });

/** Only one token of a client is good. */
const oneSession =
  (isGood: "the first" | "the latest"): HttpHook =>
  async (exchange, run) => {
    const good = remembered(run, "good", () => new Map<string, string>());
    if (patternOf(TOKEN).test(exchange.path)) {
      const answer = await exchange.forward();
      const client = new URLSearchParams(exchange.request.body).get("client_id") ?? "";
      const token = `Bearer ${parseJson(answer.body)?.access_token}`;
      const isKept = isGood === "the first" && good.has(client);
      if (answer.status === 200 && !isKept) good.set(client, token);
      return answer;
    }
    const { sub = "" } = claimedBy(exchange)?.claims ?? {};
    const isOther = good.has(sub) && good.get(sub) !== authorizationOf(exchange);
    return isOther ? refused(401, "Unauthorized") : await exchange.forward();
  };

/** What is not the account's own is found all the same: in the other account. */
const mixed: HttpHook = onApi(async (exchange, { sandbox }) => {
  const answer = await exchange.forward();
  const { account } = claimedBy(exchange)?.claims ?? {};
  const other = sandbox.accounts.find(({ accountId }) => accountId !== account);
  if (answer.status < 400 || !other || account === undefined) return answer;
  const found = await forwardAs(exchange, other);
  const [, collection, , id] = exchange.path.split("/");
  if (found.status === 200 || id === undefined) return found;
  // Below a subaccount that it is not of.
  const page = await forwardAs(
    {
      ...exchange,
      forward: (of) => exchange.forward({ target: `/${collection}?limit=100`, ...of }),
    },
    other,
  );
  const items = Object.values<{ id: string }[]>(parseJson(page.body)._embedded)[0] ?? [];
  const item = items.find((one) => one.id === id);
  return item ? { ...page, body: JSON.stringify(item) } : found;
});

const joined: HttpHook = onApi(async (exchange, { sandbox }) => {
  const isSecond = claimedBy(exchange)?.claims.account === sandbox.accounts[1].accountId;
  return isSecond ? await forwardAs(exchange, sandbox.accounts[0]) : await exchange.forward();
});

const titles = titlesOf("AUTH", "ERR");
const of = (requirement: RequirementId, words: RegExp = /./) =>
  titles.filter((title) => title.startsWith(requirement) && words.test(title));

type Case = [fault: string, http: HttpHook, found: readonly string[]];

/** Each check of authentication, with a fault that it finds. */
const cases: Case[] = [
  [
    "a token is answered 201",
    onToken(async ({ forward }) => {
      const answer = await forward();
      return answer.status === 200 ? { ...answer, status: 201 } : answer;
    }),
    of("AUTH-01"),
  ],
  ["a token lives for 600 s", tokenAs((json) => ({ ...json, expires_in: 600 })), of("AUTH-02")],
  [
    "a token is unsigned",
    tokenAs((json) => {
      const [, payload] = String(json["access_token"]).split(".");
      const header = Buffer.from('{"alg":"none"}').toString("base64url");
      return { ...json, access_token: `${header}.${payload}.bm9uZQ` };
    }),
    of("AUTH-02", /API client/),
  ],
  ["there is a refresh token", tokenAs((json) => ({ ...json, refresh_token: "a" })), of("AUTH-03")],
  [
    "any account will do",
    lenient((client, sent) => client.id === sent.id && client.secret === sent.secret),
    of("AUTH-04"),
  ],
  [
    "any client_id will do",
    lenient((client, sent) => client.account === sent.account && client.secret === sent.secret),
    of("AUTH-05"),
  ],
  [
    "any client_secret will do",
    lenient((client, sent) => client.account === sent.account && client.id === sent.id),
    of("AUTH-06"),
  ],
  ["no token is needed", open((exchange) => claimedBy(exchange) === undefined), of("AUTH-07")],
  ["any token will do", open((exchange) => authorizationOf(exchange) !== undefined), of("AUTH-08")],
  [
    "a token's claims give it an hour",
    tokenAs((json) => {
      const [header, payload = "", signature] = String(json["access_token"]).split(".");
      const claims = parseJson(Buffer.from(payload, "base64url").toString());
      const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.iat + 3_600 }));
      return { ...json, access_token: `${header}.${longer.toString("base64url")}.${signature}` };
    }),
    of("AUTH-09", /claims/),
  ],
  [
    "a token never expires",
    onApi(async (exchange, run) => {
      const good = remembered(run, "good", () => new Set<string>());
      const answer = await exchange.forward();
      const token = authorizationOf(exchange) ?? "";
      if (answer.status === 200) good.add(token);
      const isOld = answer.status === 401 && good.has(token);
      return isOld ? await forwardAs(exchange, run.sandbox.accounts[0]) : answer;
    }),
    of("AUTH-09", /minutes/),
  ],
  [
    "a token lives for three minutes",
    onApi(async (exchange, { sandbox }) => {
      const { exp = Number.POSITIVE_INFINITY } = claimedBy(exchange)?.claims ?? {};
      const { now } = await sandbox.readClock();
      const isOver = Date.parse(now) / 1_000 > exp - 120;
      return isOver ? refused(401, "Unauthorized") : await exchange.forward();
    }),
    of("AUTH-09", /minutes/),
  ],
  ["a second token ends the first", oneSession("the latest"), of("AUTH-10", /leaves/)],
  ["a second token is good for nothing", oneSession("the first"), of("AUTH-10", /opens/)],
  [
    "the SDK's token opens everything",
    open((exchange) => claimedBy(exchange)?.claims.scope === "sdk"),
    of("AUTH-11"),
  ],
  ["two accounts are one", joined, of("AUTH-12", /in common|PATCH/)],
  ["ids and cursors are looked up in all accounts", mixed, of("AUTH-12", /shown|shows/)],
  [
    "who is not let in is answered 403",
    async ({ forward }) => {
      const answer = await forward();
      return answer.status === 401 ? refused(403, "Forbidden") : answer;
    },
    of("ERR-01"),
  ],
];

test.each(cases)("the checks of authentication find that %s", async (_, http, found) => {
  const only = [...new Set(found.map((title) => title.split(" ")[0]))] as RequirementId[];
  const { failed, isSameAgain } = await attempt({ only, http });
  expect(found.length).toBeGreaterThan(0);
  expect(failed).toEqual(expect.arrayContaining([...found]));
  expect(isSameAgain).toBe(true);
});

test("every check of authentication is seen to find something", () => {
  const found = new Set(cases.flatMap(([, , titles]) => titles));
  expect(titles.filter((title) => !found.has(title))).toEqual([]);
});

const GROUPS = ["AUTH", "ERR"];

/** A right answer to it has nothing to tell. */
const CLAIMS = "AUTH-09 a token's own claims give it no other life than 300 s";

test("nothing is found in a small world, and nothing is left unseen", async () => {
  const { failed, skipped, isSameAgain } = await attempt({ only: GROUPS });
  expect({ failed, skipped, isSameAgain }).toEqual({
    failed: [],
    skipped: [CLAIMS],
    isSameAgain: true,
  });
});

test.each(["empty", "large"] as const)(
  "nothing is found in the %s world",
  async (world) => {
    const { failed } = await attempt({ only: GROUPS, world });
    expect(failed).toEqual([]);
  },
  120_000,
);

test("refusals that the interface leaves open are all the same to it", async () => {
  const other: HttpHook = async (exchange, { sandbox }) => {
    const answer = await exchange.forward();
    const isToken = patternOf(TOKEN).test(exchange.path);
    // A field that is missing is a wrong one, and an SDK token no token at all.
    if (isToken && answer.status === 400) return refused(401, "invalid_client");
    if (answer.status === 403) return { status: 401, headers: {}, body: "" };
    // What is another's may be there, and forbidden.
    const account = claimedBy(exchange)?.claims.account;
    if (answer.status === 404 && account === sandbox.accounts[1].accountId) {
      return refused(403, "Forbidden");
    }
    return answer;
  };
  expect((await attempt({ only: GROUPS, http: other })).failed).toEqual([]);
});

test("credentials that are alike are not crossed", async () => {
  const { failed, skipped } = await attempt({
    only: ["AUTH-05", "AUTH-06"],
    target: ({ accounts: [own] }) => ({
      sdkCredentials: { clientId: own.sdkClientId, clientSecret: own.clientSecret },
    }),
  });
  expect(failed).toEqual([]);
  expect(skipped).toContain("AUTH-06 another account's secret is answered 401");
});

test("a target that has enough of wrong credentials is not held to 401", async () => {
  let refusals = 0;
  const limited: HttpHook = onToken(async ({ forward }) => {
    const answer = await forward();
    if (answer.status !== 401) return answer;
    refusals += 1;
    return refusals > 3 ? refused(429, "Too many requests") : answer;
  });
  const only: RequirementId[] = ["AUTH-04", "AUTH-05", "AUTH-06", "ERR-01"];
  expect((await attempt({ only, http: limited })).failed).toEqual([]);
});

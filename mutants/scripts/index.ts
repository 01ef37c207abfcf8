import { randomScripts } from "../../mutation/random-scripts.ts";
import type { VerbParams } from "../../src/sandbox/control/types.ts";
import { scripts as stories } from "../../src/world/scripts.ts";
import type { Step } from "../../test/sandbox/verb-scripts.ts";
import { LISTS, linksIn, type Player, parsed, type Script } from "./player.ts";

/** How many random scripts are played: more of them reach hardly any other mutant. */
const RANDOM = 60;

const wait = (advance: string): Step => ({ advance });

/** A purchase with the latest card. */
const buy = (amount: number, descriptor: string, mcc?: string): Step => ({
  ...{ verb: "purchase", params: { amount, merchant: { descriptor, mcc, city: "Dublin" } } },
  about: [["cardId", "cards", 0]],
});

/** A movement on the latest account. */
const post = (amount: number, description: string, more: object = {}): Step => ({
  ...{ verb: "bank-post", params: { amount, description, ...more } },
  about: [["bankAccountId", "bank-accounts", 0]],
});

/** A step of the latest purchase. */
const clear = (verb: "clear" | "clear-partial", params: object = {}): Step => {
  return { verb, params, about: [["transactionId", "transactions", 0]] };
};

/** A new match of the latest movement. */
const rematch: Step = {
  ...{ verb: "rematch", params: {} },
  about: [["bankTransactionId", "bank-transactions", 0]],
};

const CAFE = "CORNER CAFE 12";

/** Several purchases and debits at once: who gets which, and how sure it is. */
const matches: readonly Step[] = [
  { verb: "enroll", params: { cardNumber: "4000000000005205" } },
  { verb: "sca-pass", params: {} },
  { verb: "link-start", params: { accounts: [{ name: "Everyday", mask: "5205" }] } },
  { verb: "link-complete", params: {} },
  ...[buy(10, CAFE), buy(10, CAFE), buy(10, "NORTHSIDE BAKERY")],
  post(10, "NORTHSIDE BAKERY DUBLIN"),
  post(10, "CARD 1234 CORNER CAFE 12 DUBLIN"),
  post(10.01, "CORNER CAFE"),
  // A tip, a fuel pre-authorization, and an amount that is only near.
  ...[buy(40, "BISTRO ROUGE", "5812"), post(46, "BISTRO ROUGE")],
  ...[buy(100, "FUEL STATION 7", "5541"), post(61.2, "FUEL STATION 7")],
  ...[buy(50, "GROCER AND SONS", "5411"), post(52, "GROCER AND SONS")],
  ...[buy(30, "PAYPAL *SHOP", "5999"), post(30, "SHOP", { merchantName: "Shop Ltd" })],
  ...[buy(30, "ALPHA BETA"), post(30, "GAMMA DELTA"), buy(33.33, ""), post(33.33, "")],
  ...[buy(90, "THREE PARTS"), ...[30, 40, 20].map((amount) => post(amount, "THREE PARTS"))],
  ...[1, 2, 4, 6, 9, 14].flatMap((days) => [
    buy(200 + days, "SLOW POST OFFICE"),
    wait(`${days}d`),
    post(200 + days, "SLOW POST OFFICE"),
  ]),
  ...["2025-12-28", "2026-01-02", "2026-03-20"].map((date) => post(10, "CORNER CAFE", { date })),
  // The posting settles the first purchase, and then belongs to the second one.
  ...[50, 51].flatMap((amount) => [
    ...[buy(amount, "HARBOUR LIGHTS"), post(amount, "HARBOUR LIGHTS BISTRO")],
    ...(amount === 50 ? [] : [clear("clear")]),
    ...[buy(amount, "HARBOUR LIGHTS BISTRO"), rematch, wait("1d")],
  ]),
  // Purchases that clear and post in parts, and match again.
  ...[20, 30].flatMap((part) => [
    ...[buy(100, "SHOP"), clear("clear-partial", { amount: part }), post(part, "SHOP"), rematch],
    ...[clear("clear-partial", { amount: 40 }), post(40, "SHOP"), rematch, clear("clear")],
    ...[post(60 - part, "SHOP"), rematch, wait("20d")],
  ]),
  { verb: "purchase", params: { amount: 1.234, currency: "KWD", billingAmount: 4 } },
  { verb: "bank-post", params: {} },
  { verb: "enrich", params: {} },
  { verb: "rematch", params: {} },
  wait("30d"),
];

/** Good and bad parameters of a page. */
const QUERIES = [
  ...["", "limit=1", "limit=100", "limit=0", "limit=101", "limit=-1", "limit=1.5", "limit="],
  ...["limit=abc", "limit=2&limit=3", "cursor=", "cursor=abc", "offset=0", "offset=1&limit=2"],
  ...["offset=2&limit=2", "offset=-1", "offset=x", "offset=999", "unknown=1"],
];

/** Pages of every list. */
async function pages(player: Player): Promise<void> {
  const token = await player.token();
  for (const list of LISTS) {
    for (const query of QUERIES) await player.get(`/${list}?${query}`, token);
    const cursors: string[] = [];
    for (let path = `/${list}?limit=2`; path && cursors.length < 30; ) {
      path = parsed(await player.get(path, token))._links?.next?.href ?? "";
      cursors.push(path);
    }
    const [cursor = ""] = cursors;
    // A cursor of another list, and one that was changed.
    await player.get(cursor.replace(list, list === "cards" ? "transactions" : "cards"), token);
    await player.get(cursor.replace(list, "transactions"), token);
    await player.get(cursor.replace(/cursor=./, "cursor=Z"), token);
    const other = await player.token(player.sandbox.accounts[1]);
    await player.get(cursor, other);
    await player.get(`/${list}?limit=5`, other);
  }
}

const FORM = "application/x-www-form-urlencoded";

/** Good and bad credentials. */
async function tokens(player: Player): Promise<void> {
  const [own, other] = player.sandbox.accounts;
  const client = { client_id: own.clientId, client_secret: own.clientSecret };
  const good = { ...client, grant_type: "client_credentials" };
  const sdk = { ...good, client_id: own.sdkClientId, client_secret: own.sdkClientSecret };
  const theirs = { ...good, client_id: other.clientId, client_secret: other.clientSecret };
  const forms: readonly Record<string, string>[] = [
    ...[good, sdk, {}, client, theirs, { ...good, grant_type: "password" }],
    { ...good, client_secret: "" },
    { ...good, client_secret: own.sdkClientSecret },
    { ...sdk, client_secret: own.clientSecret },
    { ...good, client_secret: other.clientSecret },
    { ...good, client_id: other.clientId },
    { ...good, client_secret: `${own.clientSecret}x` },
  ];
  for (const form of forms) await player.exchange(own.accountId, form);
  await player.exchange(other.accountId, good);
  await player.exchange("nobody", good);
  const path = `/auth/realms/${own.accountId}/protocol/openid-connect/token`;
  const authorization = `Basic ${btoa(`${own.clientId}:${own.clientSecret}`)}`;
  const full = new URLSearchParams(good).toString();
  const requests: readonly (readonly [headers: Record<string, string>, body: string])[] = [
    [{ authorization, "content-type": FORM }, "grant_type=client_credentials"],
    [{ authorization, "content-type": FORM }, full],
    [{ "content-type": "application/json" }, full],
    [{ "content-type": "text/plain" }, full],
    [{ "content-type": `${FORM}; charset=utf-8` }, full],
    [{ "content-type": "application/json" }, JSON.stringify(good)],
    [{ "content-type": FORM }, `${full}&grant_type=x`],
    [{ "content-type": FORM }, "%"],
    [{ "content-type": FORM }, `${full}&scope=all`],
  ];
  for (const [headers, body] of requests) await player.request("POST", path, { headers, body });
  await player.request("GET", path);
  await bearers(player, parsed(await player.exchange(own.accountId, sdk)).access_token ?? "");
}

const PATHS = [...LISTS, "transactions/x", "openapi.json", "nothing", "cards/", "_other"];

/** Good and bad tokens. */
async function bearers(player: Player, sdk: string): Promise<void> {
  const token = await player.token();
  const [head = "", claims = ""] = token.split(".");
  const [, , otherSeal] = (await player.token(player.sandbox.accounts[1])).split(".");
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url");
  const bad = [`${head}.${claims}.${otherSeal}`, `${none}.${claims}.`, `${head}.${claims}`, "x"];
  const values = ["", token, sdk, ...bad].map((each) => each && `Bearer ${each}`);
  values.push(token, `Basic ${token}`, `bearer ${token}`, `Bearer ${token} x`);
  for (const path of PATHS) {
    for (const authorization of path === "openapi.json" ? [] : values) {
      const headers = authorization === "" ? {} : { authorization };
      await player.request("GET", `/${path}`, { headers });
    }
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const headers = { authorization: `Bearer ${token}` };
      await player.request(method, `/${path}`, { headers });
    }
  }
  for (const by of ["299s", "999ms", "1ms", "1s"]) {
    await player.sandbox.advance(by);
    await player.get("/cards", token);
  }
}

/** What each account sees of the other, by ids and by links. */
async function isolation(player: Player): Promise<void> {
  const [own, other] = player.sandbox.accounts;
  const [mine, theirs] = [await player.token(own), await player.token(other)];
  for (const list of LISTS) {
    const links = linksIn(await player.get(`/${list}?limit=100`, mine));
    for (const href of links.filter((one) => !one.includes("?"))) await player.get(href, theirs);
  }
  const links = linksIn(await player.get("/bank-transactions?limit=1", mine));
  const path = links.find((href) => /^\/bank-transactions\/[^?]*$/.test(href)) ?? "";
  const { _embedded } = parsed(await player.get("/subaccounts", mine));
  for (const { id } of _embedded?.subaccounts ?? []) {
    await player.get(path.replace(/\/[^/]+\/([^/]+)$/, `/${id}/$1`), mine);
  }
  const { accountId } = other;
  await player.trigger("purchase", { accountId });
  await player.trigger("bank-post", { accountId });
  await player.trigger("switch-projection", { accountId, on: false });
  await player.trigger("purchase", { accountId });
  await player.trigger("purchase");
  for (const verb of ["open-subaccount", "enroll", "sca-pass", "link-card"] as const) {
    await player.trigger(verb, { accountId });
  }
}

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

/** Links that polling and PATCH complete, in either order, and accounts of every type. */
async function links(player: Player): Promise<void> {
  const { sandbox } = player;
  const start = async (params: VerbParams["link-start"]) =>
    (await sandbox.trigger("link-start", params)).result.bankLinkId;
  const patch = async (id: string, body?: string) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const headers = { authorization: `Bearer ${await player.token()}`, ...type };
    await player.request("PATCH", `/bank-links/${id}`, { headers, ...(body && { body }) });
    await player.look();
  };
  await player.trigger("enroll", { cardNumber: "4000000000005205", network: "NETWORK_A" });
  const types = ["depository/checking", "CREDIT", "credit card", "savings", "loan", "Other"];
  const accounts = types.map((type, at) => ({ type, mask: String(5205 + at), currency: "USD" }));
  const bodies = [undefined, "{}", "", "[]", "null", "{", '{"a":1}'];
  for (const [at, body] of bodies.entries()) {
    const bankLinkId = await start(at === 0 ? { accounts } : {});
    if (at % 2 === 0) await player.trigger("link-complete", { bankLinkId, by: "polling" });
    await patch(bankLinkId, body);
    await patch(bankLinkId);
    for (const time of ["1s", "29s", "30s", "10m"]) await player.play({ advance: time });
    await player.trigger("link-complete", { bankLinkId });
  }
  const accountId = sandbox.accounts[1].accountId;
  for (const id of [UNKNOWN, await start({ accountId })]) await patch(id);
  // A card that is enrolled after its account was linked.
  await player.trigger("enroll", { cardNumber: "4000000000005206", network: "NETWORK_B" });
  await player.trigger("link-card");
}

/** Endpoints for some events and for one account, and what they no longer receive. */
async function endpoints(player: Player): Promise<void> {
  const { sandbox, url } = player;
  const [{ accountId }] = sandbox.accounts;
  const events = ["transaction.created", "cardsubscription.updated"] as const;
  const added = [
    await sandbox.addEndpoint({ url: `${url}/some`, events }),
    await sandbox.addEndpoint({ url: `${url}/own`, accountId }),
    await sandbox.addEndpoint({ url: `${url}/unordered`, ordered: false, events }),
  ];
  await player.trigger("enroll");
  await player.trigger("sca-pass");
  await player.trigger("purchase");
  await player.trigger("enroll", { accountId: sandbox.accounts[1].accountId });
  for (const { id } of added) await sandbox.removeEndpoint(id);
  await player.trigger("purchase");
}

/** The scripts that decide whether a mutant is equivalent. */
export const scripts: readonly Script[] = [
  ...Object.entries(stories).map(([name, { steps }]): Script => {
    return { name, world: "empty", calls: steps.flatMap(({ calls }) => calls) };
  }),
  { name: "matches", world: "empty", steps: matches },
  ...randomScripts(RANDOM, 1).map((steps, at): Script => {
    return { name: `random ${at + 1}`, world: "empty", steps };
  }),
  { name: "pages", world: "small", probe: pages },
  { name: "tokens", world: "empty", probe: tokens },
  { name: "isolation", world: "small", probe: isolation },
  { name: "links", world: "empty", probe: links },
  { name: "endpoints", world: "empty", probe: endpoints },
];

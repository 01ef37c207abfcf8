import type { Player, Script } from "./player.ts";

const LISTS = [
  ...["subaccounts", "cards", "transactions", "bank-links"],
  ...["bank-accounts", "bank-transactions", "transaction-matches"],
];

/** Pages of every list, with good and bad parameters. */
async function pages(player: Player): Promise<void> {
  const token = await player.token();
  for (const list of LISTS) {
    const queries = ["", "limit=1", "limit=100", "limit=0", "limit=101", "limit=-1", "limit=1.5"];
    const more = ["limit=", "limit=abc", "limit=2&limit=3", "cursor=", "cursor=abc", "offset=0"];
    const offsets = ["offset=1&limit=2", "offset=2&limit=2", "offset=-1", "offset=x", "offset=999"];
    for (const query of [...queries, ...more, ...offsets, "unknown=1"]) {
      await player.get(`/${list}?${query}`, token);
    }
    let path: string | undefined = `/${list}?limit=2`;
    const walked: string[] = [];
    for (let page = 0; path && page < 30; page += 1) {
      const text: string = await player.get(path, token);
      const links = text === "" ? {} : JSON.parse(text)._links;
      path = links.next?.href;
      walked.push(path ?? "");
    }
    const [cursor = ""] = walked;
    // A cursor of another list, and one that was changed.
    await player.get(cursor.replace(list, list === "cards" ? "transactions" : "cards"), token);
    await player.get(cursor.replace(list, "transactions"), token);
    await player.get(cursor.replace(/cursor=./, "cursor=Z"), token);
    const other = await player.token(player.sandbox.accounts[1]);
    await player.get(cursor, other);
    await player.get(`/${list}?limit=5`, other);
  }
}

/** Good and bad credentials and tokens. */
async function tokens(player: Player): Promise<void> {
  const [own, other] = player.sandbox.accounts;
  const good = {
    client_id: own.clientId,
    client_secret: own.clientSecret,
    grant_type: "client_credentials",
  };
  const sdk = { ...good, client_id: own.sdkClientId, client_secret: own.sdkClientSecret };
  const forms: Record<string, string>[] = [
    ...[good, sdk, {}, { ...good, grant_type: "password" }, { ...good, client_secret: "" }],
    { ...good, client_secret: own.sdkClientSecret },
    { ...sdk, client_secret: own.clientSecret },
    { ...good, client_secret: other.clientSecret },
    { ...good, client_id: other.clientId },
    { ...good, client_id: other.clientId, client_secret: other.clientSecret },
    { ...good, client_secret: `${own.clientSecret}x` },
    { client_id: own.clientId, client_secret: own.clientSecret },
  ];
  for (const form of forms) await player.exchange(own.accountId, form);
  await player.exchange(other.accountId, good);
  await player.exchange("nobody", good);
  const path = `/auth/realms/${own.accountId}/protocol/openid-connect/token`;
  const basic = Buffer.from(`${own.clientId}:${own.clientSecret}`).toString("base64");
  const type = "application/x-www-form-urlencoded";
  const headers = { authorization: `Basic ${basic}`, "content-type": type };
  const grant = "grant_type=client_credentials";
  await player.request("POST", path, { headers, body: grant });
  const full = new URLSearchParams(good).toString();
  await player.request("POST", path, { headers, body: full });
  for (const each of ["application/json", "text/plain", `${type}; charset=utf-8`]) {
    await player.request("POST", path, { headers: { "content-type": each }, body: full });
  }
  const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(good) };
  await player.request("POST", path, json);
  for (const body of [`${full}&grant_type=x`, "%", `${full}&scope=all`]) {
    await player.request("POST", path, { headers: { "content-type": type }, body });
  }
  await player.request("GET", path);
  await bearers(player, JSON.parse((await player.exchange(own.accountId, sdk)) || "{}"));
}

async function bearers(player: Player, sdk: { access_token?: string }): Promise<void> {
  const token = await player.token();
  const [head = "", claims = "", seal = ""] = token.split(".");
  const [, , otherSeal] = (await player.token(player.sandbox.accounts[1])).split(".");
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString("base64url");
  const bad = [`${head}.${claims}.${otherSeal}`, `${none}.${claims}.`, `${head}.${claims}`, "x"];
  const paths = [...LISTS, "transactions/x", "openapi.json", "nothing", "cards/", "_other"];
  for (const path of paths) {
    for (const each of ["", token, sdk.access_token ?? "", ...bad]) {
      if (path !== "openapi.json") await player.get(`/${path}`, each);
    }
    for (const authorization of [token, `Basic ${token}`, `bearer ${token}`, `Bearer ${token} x`]) {
      if (path !== "openapi.json")
        await player.request("GET", `/${path}`, { headers: { authorization } });
    }
    for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const headers = { authorization: `Bearer ${token}` };
      await player.request(method, `/${path}`, { headers });
    }
  }
  await player.get("/cards", `${head}.${claims}.${seal}`);
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
    const text = await player.get(`/${list}?limit=100`, mine);
    for (const [, href = ""] of text.matchAll(/"href":"(\/[^"?]*)"/g)) {
      await player.get(href, theirs);
    }
  }
  const text = await player.get("/bank-transactions?limit=1", mine);
  const [, path = ""] = /"href":"(\/bank-transactions\/[^"?]*)"/.exec(text) ?? [];
  const { _embedded } = JSON.parse((await player.get("/subaccounts", mine)) || "{}");
  for (const { id } of _embedded?.subaccounts ?? []) {
    await player.get(path.replace(/\/[^/]+\/([^/]+)$/, `/${id}/$1`), mine);
  }
  await player.do("purchase", { accountId: other.accountId });
  await player.do("bank-post", { accountId: other.accountId });
  await player.do("switch-projection", { accountId: other.accountId, on: false });
  await player.do("purchase", { accountId: other.accountId });
  await player.do("purchase");
}

/** Endpoints for some events and for one account, and what they no longer receive. */
async function endpoints(player: Player): Promise<void> {
  const [own, other] = player.sandbox.accounts;
  const { url } = player;
  const some = ["transaction.created", "cardsubscription.updated"] as const;
  const added = [
    await player.sandbox.addEndpoint({ url: `${url}/some`, events: some }),
    await player.sandbox.addEndpoint({ url: `${url}/own`, accountId: own.accountId }),
    await player.sandbox.addEndpoint({ url: `${url}/unordered`, ordered: false, events: some }),
  ];
  await player.do("enroll");
  await player.do("sca-pass");
  await player.do("purchase");
  await player.do("enroll", { accountId: other.accountId });
  for (const { id } of added) await player.sandbox.removeEndpoint(id);
  await player.do("purchase");
}

export const requestScripts: readonly Script[] = [
  { name: "pages", world: "small", play: pages },
  { name: "tokens", world: "empty", play: tokens },
  { name: "isolation", world: "small", play: isolation },
  { name: "endpoints", world: "empty", play: endpoints },
];

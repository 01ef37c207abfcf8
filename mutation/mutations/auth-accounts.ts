import type { Exchange, HttpHook, Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import { nameIn, onPath, withJson } from "../rewrite.ts";
import { claimsOf, forwardAs, onApi, openTo } from "../tokens.ts";

/** Accepts SDK tokens on some paths. */
function openToSdk(isOpen: (exchange: Exchange) => boolean): HttpHook {
  return onApi(async (exchange, run) => {
    const [account] = run.sandbox.accounts;
    const isSdk = claimsOf(exchange)?.claims.scope === "sdk";
    const response = await exchange.forward();
    return isSdk && response.status === 403 && isOpen(exchange)
      ? await forwardAs(exchange, account)
      : response;
  });
}

/** Mutations of the access that a valid token gives: scopes and accounts. */
export const authAccounts: readonly Mutation[] = [
  {
    id: "auth/sdk-opens-cards",
    requirement: "AUTH-11",
    description: "The SDK's scope includes cards:read",
    checks: ["AUTH-11: GET /cards rejects SDK tokens"],
    http: openToSdk(({ path }) => path === "/cards"),
  },
  {
    id: "auth/sdk-opens-transaction",
    requirement: "AUTH-11",
    description: "The scope is checked for lists, but not for single resources",
    checks: ["AUTH-11: GET /transactions/{transactionId} rejects SDK tokens"],
    http: openToSdk(({ path }) => path.startsWith("/transactions/")),
  },
  {
    id: "auth/sdk-completes-links",
    requirement: "AUTH-11",
    description: "The scope is checked for reads only",
    checks: [
      "AUTH-11: PATCH /bank-links/{bankLinkId} rejects SDK tokens",
      "AUTH-11: an existing bank link rejects PATCH with an SDK token",
    ],
    http: openToSdk(({ request }) => request.method === "PATCH"),
  },
  {
    id: "auth/other-accounts-transaction",
    requirement: "AUTH-12",
    description: "Single resources are looked up by id without checking the account",
    checks: [
      "AUTH-12: the second account cannot read a resource of the first",
      "AUTH-12: the first account cannot read a resource of the second",
      "AUTH-12: an existing bank link rejects PATCH with another account's token",
    ],
    http: onApi(async (exchange, { sandbox }) => {
      const response = await exchange.forward();
      if (response.status !== 404 || !/^\/[\w-]+\/./.test(exchange.path)) return response;
      const { account } = claimsOf(exchange)?.claims ?? {};
      const other = sandbox.accounts.find(({ accountId }) => accountId !== account);
      return other ? await forwardAs(exchange, other) : response;
    }),
  },
  {
    id: "auth/other-accounts-list",
    requirement: "AUTH-12",
    description: "The list's query does not filter by account",
    checks: [
      "AUTH-12: the lists of two accounts have no resource in common",
      "AUTH-12: the first account cannot read a resource of the second",
    ],
    http: onPath("/bank-accounts", async (exchange, { sandbox }) => {
      const response = await exchange.forward();
      if (response.status !== 200) return response;
      const { account } = claimsOf(exchange)?.claims ?? {};
      const other = sandbox.accounts.find(({ accountId }) => accountId !== account);
      const theirs = other && parseJson((await forwardAs(exchange, other)).body);
      return await withJson(response, (json) => {
        const name = nameIn("bank-accounts");
        json._embedded[name].push(...(theirs?._embedded[name] ?? []));
        return json;
      });
    }),
  },
  {
    id: "auth/sdk-opens-everything",
    requirement: "AUTH-11",
    description: "The scope of a token is not checked",
    checks: ["AUTH-11"],
    http: openTo((exchange) => claimsOf(exchange)?.claims.scope === "sdk"),
  },
  {
    id: "auth/accounts-joined",
    requirement: "AUTH-12",
    description: "The account id of a token is replaced by that of the first account",
    checks: [
      "AUTH-12: the lists of two accounts have no resource in common",
      "AUTH-12: an existing bank link rejects PATCH with another account's token",
    ],
    http: onApi(async (exchange, { sandbox }) => {
      const isSecond = claimsOf(exchange)?.claims.account === sandbox.accounts[1].accountId;
      return isSecond ? await forwardAs(exchange, sandbox.accounts[0]) : await exchange.forward();
    }),
  },
  {
    id: "auth/ids-of-all-accounts",
    requirement: "AUTH-12",
    description: "Ids and cursors are looked up across all accounts",
    checks: [
      "AUTH-12: the second account cannot read a resource of the first",
      "AUTH-12: the first account cannot read a resource of the second",
      "AUTH-12: a resource cannot be read under another account's subaccount id",
      "AUTH-12: a next link exposes no resource of the first account to the second",
    ],
    http: onApi(async (exchange, { sandbox }) => {
      const response = await exchange.forward();
      const { account } = claimsOf(exchange)?.claims ?? {};
      const other = sandbox.accounts.find(({ accountId }) => accountId !== account);
      const isUnknown = response.status === 404 || response.status === 400;
      if (!isUnknown || !other || account === undefined) return response;
      const found = await forwardAs(exchange, other);
      const [, collection, , id] = exchange.path.split("/");
      if (found.status === 200 || id === undefined) return found;
      // The resource does not belong to the subaccount in the path.
      const forward: Exchange["forward"] = (of) =>
        exchange.forward({ target: `/${collection}?limit=100`, ...of });
      const page = await forwardAs({ ...exchange, forward }, other);
      const items = Object.values<{ id: string }[]>(parseJson(page.body)._embedded)[0] ?? [];
      const item = items.find((one) => one.id === id);
      return item ? { ...page, body: JSON.stringify(item) } : found;
    }),
  },
  {
    id: "auth/new-transactions-unowned",
    requirement: "AUTH-12",
    description: "A job assigns new transactions to their account a minute later",
    checks: ["AUTH-12: the second account cannot read what was just created"],
    http: onPath("/transactions/{}", async (exchange, { sandbox }) => {
      const response = await exchange.forward();
      const { account } = claimsOf(exchange)?.claims ?? {};
      const other = sandbox.accounts.find(({ accountId }) => accountId !== account);
      if (response.status !== 404 || !other) return response;
      const found = await forwardAs(exchange, other);
      const now = Date.parse((await sandbox.readClock()).now);
      return now - Date.parse(parseJson(found.body).createdAt) < 60_000 ? found : response;
    }),
  },
];

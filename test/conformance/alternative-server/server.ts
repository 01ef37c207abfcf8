import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Credentials } from "../../../conformance/index.ts";
import type { Delivery } from "../../../src/fixtures/index.ts";
import { pageOf, type Style } from "./pages.ts";
import { type Kind, State } from "./state.ts";
import { type Holder, holderOf, issueToken } from "./tokens.ts";

/** Choices that the interface leaves open. */
export interface Manners {
  /** The paging style of the five lists that the interface shows no style for. */
  readonly style: Style;
  /** Whether transactions embed their messages (TXN-10). */
  readonly projection: boolean;
  /** Whether a page's self link includes its position in the list. */
  readonly exactSelf?: boolean;
  /** Whether a fetched message has only the required fields. */
  readonly abridged?: boolean;
  /** Whether removed resources, which are not listed, can still be fetched by id. */
  readonly remembers?: boolean;
}

const LISTS = {
  "/subaccounts": ["subaccounts", "subaccounts"],
  "/cards": ["cards", "cards"],
  "/transactions": ["transactions", "transactions"],
  "/bank-links": ["bankLinks", "bankLinks"],
  "/bank-accounts": ["bankAccounts", "bankAccounts"],
  "/bank-transactions": ["bankTransactions", "bankTransactions"],
  "/transaction-matches": ["transactionMatches", "matches"],
} as const;

const SINGLES: readonly [RegExp, Kind][] = [
  [/^\/subaccounts\/([^/]+)$/, "subaccounts"],
  [/^\/cards\/([^/]+)$/, "cards"],
  [/^\/transactions\/([^/]+)$/, "transactions"],
  [/^\/transaction-messages\/([^/]+)$/, "messages"],
  [/^\/bank-links\/([^/]+)$/, "bankLinks"],
  [/^\/bank-accounts\/([^/]+)$/, "bankAccounts"],
  [/^\/bank-transactions\/[^/]+\/([^/]+)$/, "bankTransactions"],
  [/^\/transaction-matches\/[^/]+\/([^/]+)$/, "matches"],
  [/^\/card-subscriptions\/([^/]+)$/, "subscriptions"],
  [/^\/network-bulk-feeds\/([^/]+)$/, "feeds"],
];

const ACCOUNTS: readonly Credentials[] = [
  { accountId: "tenant one", clientId: "api@one", clientSecret: "p&ss=w%rd+1 " },
  { accountId: "zweites Konto/ü", clientId: "api@two", clientSecret: '"quoted" \\ and ünïcode' },
];
export const SDK = { clientId: "sdk@one", clientSecret: "sdk-s3cret" };

/**
 * A second implementation of the interface, to find false positives of the suite.
 * It differs from the sandbox in everything that the interface leaves open.
 */
export class AlternativeServer {
  readonly accounts = ACCOUNTS;
  readonly manners: Manners;
  readonly #states = new Map<string, State>();
  readonly #server = createServer((request, response) => this.#respond(request, response));
  baseUrl = "";
  /** How far a driver has advanced the clock. */
  offsetMs = 0;
  /** Completes a bank link; throws if there is none. Default: a server without links to complete. */
  onPatch: ((bankLinkId: string) => void) | undefined;

  constructor(manners: Manners) {
    this.manners = manners;
    for (const { accountId } of ACCOUNTS) this.#states.set(accountId, new State(manners));
  }

  async start(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    // Serve below a base path, as gateways do.
    this.baseUrl = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/feed/v2`;
    return this;
  }

  /** Applies a delivery's event to the state of an account. */
  take(delivery: Delivery, account = 0): void {
    this.#states.get(ACCOUNTS[account]?.accountId ?? "")?.take(delivery);
  }

  /** Lists and serves a resource of the first account that no event has shown yet. */
  show(kind: "bankLinks" | "feeds", id: string): void {
    this.#states.get(ACCOUNTS[0]?.accountId ?? "")?.show(kind, id);
  }

  now(): number {
    return Date.now() + this.offsetMs;
  }

  /** Keeps the state and the clock. Returns a function that restores both. */
  snapshot(): () => void {
    const { offsetMs } = this;
    const copies = [...this.#states].map(([id, state]) => [id, state.copy()] as const);
    return () => {
      this.offsetMs = offsetMs;
      for (const [id, state] of copies) this.#states.set(id, state.copy());
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://nowhere");
    const path = url.pathname.replace(/^\/feed\/v2/, "");
    const send = (status: number, body?: object) => {
      const type = body ? "application/hal+json;charset=UTF-8" : "text/html";
      response.writeHead(status, { "content-type": type, server: "alternative" });
      response.end(body ? JSON.stringify(body) : status === 404 ? "<h1>Not here</h1>" : "");
    };
    const [, realm] = /^\/auth\/realms\/([^/]+)\/protocol\/openid-connect\/token$/.exec(path) ?? [];
    if (realm !== undefined) {
      const text = Buffer.concat(await request.toArray()).toString();
      const holder = holderFor(decodeURIComponent(realm), new URLSearchParams(text));
      if (request.method !== "POST") return send(405);
      if (typeof holder === "number") return send(holder);
      const token = {
        scope: "feed",
        expires_in: 300,
        token_type: "Bearer",
        "not-before-policy": 0,
      };
      return send(200, { ...token, access_token: issueToken(holder, this.now()) });
    }
    const holder = holderOf(request.headers.authorization, this.now());
    if (!holder) return send(401);
    if (holder.use !== "api") return send(401);
    if (request.method === "PATCH") return send(this.#patch(path, holder.tenant));
    if (request.method !== "GET") return send(405);
    const body = this.#read(path, url.searchParams, this.#states.get(holder.tenant) as State);
    return body === "refused" ? send(422) : body ? send(200, body) : send(404);
  }

  #patch(path: string, tenant: string): number {
    const [, id] = /^\/bank-links\/([^/]+)$/.exec(path) ?? [];
    const isOwn = id !== undefined && this.#states.get(tenant)?.find("bankLinks", id) !== undefined;
    if (!isOwn || !this.onPatch) return 404;
    this.onPatch(id);
    return 200;
  }

  #read(path: string, query: URLSearchParams, state: State): object | "refused" | undefined {
    if (path in LISTS) {
      const [name, kind] = LISTS[path as keyof typeof LISTS];
      const known = { "/subaccounts": "cursor", "/cards": "offset" } as Record<string, Style>;
      const items = [...state[kind].values()].map((item) => this.#shown(item)).reverse();
      const style = known[path] ?? this.manners.style;
      const { exactSelf = false } = this.manners;
      return pageOf(path, name, items, { style, exactSelf }, query) ?? "refused";
    }
    for (const [pattern, kind] of SINGLES) {
      const [, id] = pattern.exec(path) ?? [];
      const found = id === undefined ? undefined : state.find(kind, id);
      if (found) return this.#shown(found);
    }
    return undefined;
  }

  #shown(item: object): object {
    if (this.manners.projection || !("_embedded" in item)) return item;
    const { _embedded, ...rest } = item;
    return rest;
  }
}

/** Returns the token's holder, or the status of the refusal: 400 for an invalid form. */
function holderFor(realm: string, form: URLSearchParams): Holder | number {
  const client = form.get("client_id");
  const secret = form.get("client_secret");
  if (client === null || secret === null) return 400;
  if (form.get("grant_type") !== "client_credentials") return 400;
  const account = ACCOUNTS.find(({ accountId }) => accountId === realm);
  if (!account) return 401;
  if (client === account.clientId && secret === account.clientSecret) {
    return { tenant: realm, use: "api" };
  }
  const isSdk = account === ACCOUNTS[0] && client === SDK.clientId && secret === SDK.clientSecret;
  return isSdk ? { tenant: realm, use: "enrollment" } : 401;
}

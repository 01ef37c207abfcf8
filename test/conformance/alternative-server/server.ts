import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Credentials } from "../../../conformance/index.ts";
import type { EventName } from "../../../generated/events.ts";
import type { Delivery } from "../../../src/fixtures/index.ts";
import { listen } from "../../../src/listen.ts";

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

type Style = "offset" | "cursor";

/** The kinds of resources, by their paths: how many ids follow, and the name of the list. */
const KINDS = {
  subaccounts: [1, "subaccounts"],
  cards: [1, "cards"],
  transactions: [1, "transactions"],
  "transaction-messages": [1],
  "bank-links": [1, "bankLinks"],
  "bank-accounts": [1, "bankAccounts"],
  "bank-transactions": [2, "bankTransactions"],
  "transaction-matches": [2, "transactionMatches"],
  "card-subscriptions": [1],
  "network-bulk-feeds": [1],
} satisfies Record<string, [ids: number, list?: string]>;

type Kind = keyof typeof KINDS;

const ACCOUNTS: readonly [Credentials, Credentials] = [
  { accountId: "tenant one", clientId: "api@one", clientSecret: "p&ss=w%rd+1 " },
  { accountId: "zweites Konto/ü", clientId: "api@two", clientSecret: '"quoted" \\ and ünïcode' },
];
export const SDK = { clientId: "sdk@one", clientSecret: "sdk-s3cret" };

/**
 * A second implementation of the interface, to find false positives of the suite.
 * It differs from the sandbox in everything that the interface leaves open.
 */
export class AlternativeServer implements AsyncDisposable {
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
    // Serve below a base path, as gateways do.
    this.baseUrl = `${await listen(this.#server, { host: "127.0.0.1", port: 0 })}/feed/v2`;
    return this;
  }

  /** Applies a delivery's event to the state of an account. */
  take(delivery: Delivery, account = 0): void {
    this.#states.get(ACCOUNTS[account]?.accountId ?? "")?.take(delivery);
  }

  /** Lists and serves a resource of the first account that no event has shown yet. */
  show(kind: "bank-links" | "network-bulk-feeds", id: string): void {
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
      const access_token = issueToken(holder, this.now());
      const token = { scope: "feed", expires_in: 300, token_type: "Bearer", access_token };
      return send(200, { ...token, "not-before-policy": 0 });
    }
    const holder = holderOf(request.headers.authorization, this.now());
    if (holder?.use !== "api") return send(401);
    const state = this.#states.get(holder.tenant) as State;
    if (request.method === "PATCH") return send(this.#patch(path, state));
    if (request.method !== "GET") return send(405);
    const body = this.#read(path, url.searchParams, state);
    return body === "refused" ? send(422) : body ? send(200, body) : send(404);
  }

  #patch(path: string, state: State): number {
    const [, id] = /^\/bank-links\/([^/]+)$/.exec(path) ?? [];
    if (id === undefined || !state.find("bank-links", id) || !this.onPatch) return 404;
    this.onPatch(id);
    return 200;
  }

  #read(path: string, query: URLSearchParams, state: State): object | "refused" | undefined {
    const [, kind = "", ...ids] = path.split("/");
    const [depth, name] = Object.hasOwn(KINDS, kind) ? KINDS[kind as Kind] : [];
    if (ids.length === depth) {
      const found = state.find(kind, ids.at(-1) ?? "");
      return found && this.#shown(found);
    }
    if (ids.length > 0 || name === undefined) return undefined;
    const items = state.list(kind).map((item) => this.#shown(item));
    const styles: Partial<Record<string, Style>> = { subaccounts: "cursor", cards: "offset" };
    const style = styles[kind] ?? this.manners.style;
    const { exactSelf = false } = this.manners;
    return pageOf(path, name, items.reverse(), { style, exactSelf }, query) ?? "refused";
  }

  #shown(item: object): object {
    if (this.manners.projection || !("_embedded" in item)) return item;
    const { _embedded, ...rest } = item;
    return rest;
  }
}

// --- tokens: signed with a shared key, with claims of their own

const KEY = "the key of this process";
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
const sign = (text: string) => createHmac("sha384", KEY).update(text).digest();

interface Holder {
  readonly tenant: string;
  readonly use: "api" | "enrollment";
}

/** Returns the token's holder, or the status of the refusal: 400 for an invalid form. */
function holderFor(realm: string, form: URLSearchParams): Holder | number {
  const [client, secret] = [form.get("client_id"), form.get("client_secret")];
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

function issueToken(holder: Holder, nowMs: number): string {
  const now = Math.floor(nowMs / 1_000);
  const claims = { ...holder, nbf: now, exp: now + 300, jti: Math.random() };
  const signed = `${encode({ typ: "at+jwt", alg: "HS384", kid: "7" })}.${encode(claims)}`;
  return `${signed}.${sign(signed).toString("base64url")}`;
}

/** Returns the holder of a valid token, else undefined. */
function holderOf(authorization: string | undefined, nowMs: number): Holder | undefined {
  const [scheme, token = ""] = authorization?.split(" ") ?? [];
  const [header, payload = "", signature = ""] = token.split(".");
  const mac = Buffer.from(signature, "base64url");
  const expected = sign(`${header}.${payload}`);
  const isSigned = mac.length === expected.length && timingSafeEqual(mac, expected);
  // Several base64url texts decode to the same bytes. Accept only the canonical one.
  if (scheme?.toLowerCase() !== "bearer" || !isSigned) return undefined;
  if (mac.toString("base64url") !== signature) return undefined;
  const { exp, ...holder } = JSON.parse(Buffer.from(payload, "base64url").toString());
  return exp * 1_000 > nowMs ? holder : undefined;
}

// --- pages

const DEFAULT_LIMIT = 4;

/** Builds a page. Returns undefined if the request must be refused. */
function pageOf(
  path: string,
  name: string,
  items: readonly unknown[],
  { style, exactSelf }: { readonly style: Style; readonly exactSelf: boolean },
  query: URLSearchParams,
): object | undefined {
  const requests = query.get("limit");
  // Invalid limits are ignored.
  const isLimit =
    requests !== null && /^\d{1,3}$/.test(requests) && +requests >= 1 && +requests <= 100;
  const limit = isLimit ? Number(requests) : DEFAULT_LIMIT;
  const start = startOf(style, query, items.length);
  if (start === undefined) return undefined;
  const link = (at: number) => {
    const place = style === "offset" ? `offset=${at}` : `cursor=${cursorOf(at)}`;
    return { href: `${path}?${place}&limit=${limit}` };
  };
  const lastStart = Math.max(0, Math.ceil(items.length / limit) - 1) * limit;
  const hasMore = start + limit < items.length;
  return {
    // The interface allows a self link with or without the page's position.
    _links: {
      self: { ...(exactSelf ? link(start) : { href: path }), templated: false },
      ...(hasMore && { next: { ...link(start + limit), title: "more" } }),
      ...(style === "offset" && {
        first: link(0),
        last: link(lastStart),
        ...(start > 0 && { prev: link(Math.max(0, start - limit)) }),
      }),
    },
    _embedded: { [name]: items.slice(start, start + limit) },
    ...(style === "offset" && { totalItems: items.length, page: Math.floor(start / limit) }),
  };
}

function startOf(style: Style, query: URLSearchParams, count: number): number | undefined {
  if (style === "offset") {
    const offset = query.get("offset") ?? "0";
    return /^\d+$/.test(offset) ? Math.min(Number(offset), count) : undefined;
  }
  const cursor = query.get("cursor");
  if (cursor === null) return 0;
  const [, at] = /^at:(\d+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  return at === undefined ? undefined : Number(at);
}

const cursorOf = (at: number) => Buffer.from(`at:${at}`).toString("base64url");

// --- resources

type Body = { readonly id: string; readonly [name: string]: unknown };

/** The fields of events that show resources. */
interface Naming extends Body {
  amount?: number;
  category?: string | null;
  subaccountId?: string;
  cardId?: string | null;
  cardTransaction?: { cardId: string | null };
  bankAccountId?: string;
  bankLinkId?: string;
  matchId?: string;
  bankAccounts?: readonly { id: string; cardIds: readonly string[] }[];
}

/** Keeps only the fields of a message that the interface requires. */
export function abridged(message: object): Body {
  const names = [
    ...["id", "_links", "messageType", "network", "result", "accountId", "subaccountId"],
    ...["transactionAmount", "transactionCurrency", "traceId", "metadata"],
  ];
  const fields = Object.entries(message).filter(([name]) => names.includes(name));
  return Object.fromEntries(fields) as Body;
}

/** The resources after some events, with only the fields that the interface requires. */
class State {
  readonly #manners: Pick<Manners, "abridged" | "remembers">;
  /** By kind and id. */
  #listed = new Map<string, Body>();
  #removed = new Map<string, Body>();

  constructor(manners: Pick<Manners, "abridged" | "remembers">) {
    this.#manners = manners;
  }

  copy(): State {
    const copy = new State(this.#manners);
    copy.#listed = new Map(this.#listed);
    copy.#removed = new Map(this.#removed);
    return copy;
  }

  list(kind: string): object[] {
    const own = [...this.#listed].filter(([key]) => key.startsWith(`${kind} `));
    return own.map(([, body]) => body);
  }

  /** Finds a resource by id, whether listed or removed. */
  find(kind: string, id: string): object | undefined {
    return this.#listed.get(`${kind} ${id}`) ?? this.#removed.get(`${kind} ${id}`);
  }

  /** Adds a resource with only an id and a self link, if the interface specifies nothing else. */
  show(kind: Kind, id: string | null | undefined): void {
    const body = { _links: { self: { href: `/${kind}/${id}` } }, id: `${id}` };
    if (id) this.#listed.set(`${kind} ${id}`, body);
  }

  take({ headers, body }: Delivery): void {
    const name = headers["webhook-event-type"];
    const { metadata, ...fields } = body as unknown as Naming;
    const { id, amount, category, matchId = "" } = fields;
    this.show("subaccounts", fields.subaccountId);
    this.show("cards", fields.cardId ?? fields.cardTransaction?.cardId);
    this.show("bank-accounts", fields.bankAccountId);
    this.show("bank-links", fields.bankLinkId);
    for (const account of fields.bankAccounts ?? []) {
      this.show("bank-accounts", account.id);
      for (const cardId of account.cardIds) this.show("cards", cardId);
    }
    const shown: Partial<Record<EventName, readonly [Kind, Body]>> = {
      "transactionmessage.created": [
        "transaction-messages",
        this.#manners.abridged ? abridged(fields) : fields,
      ],
      "transaction.created": ["transactions", fields],
      "transaction.updated": ["transactions", fields],
      "cardsubscription.created": ["card-subscriptions", fields],
      "cardsubscription.updated": ["card-subscriptions", fields],
      // Only these members are certain. Links are not specified.
      "banktransaction.created": [
        "bank-transactions",
        { id, amount, category: category === null ? [] : [category] },
      ],
      "transaction.match.created": ["transaction-matches", { id: matchId }],
    };
    const [kind, resource] = shown[name] ?? [];
    if (resource) this.#listed.set(`${kind} ${resource.id}`, resource);
    if (name === "networkbulkfeed.statechanged") this.show("network-bulk-feeds", id);
    if (name === "banktransaction.deleted") this.#remove(`bank-transactions ${id}`);
    if (name === "transaction.match.deleted") this.#remove(`transaction-matches ${matchId}`);
  }

  #remove(key: string): void {
    const body = this.#listed.get(key);
    if (body && this.#manners.remembers) this.#removed.set(key, body);
    this.#listed.delete(key);
  }
}

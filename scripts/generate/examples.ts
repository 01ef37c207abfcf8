import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import { type Change, Engine } from "../../src/sandbox/engine.ts";
import { FaultInjector } from "../../src/sandbox/fault-injector.ts";
import { interfaceApp } from "../../src/sandbox/http/app.ts";
import { tokensOf } from "../../src/sandbox/http/tokens.ts";
import { createService } from "../../src/sandbox/service.ts";
import { openDatabase } from "../../src/sandbox/store/database.ts";
import { openAccount } from "../../src/world/accounts.ts";
import { type ScriptId, scripts } from "../../src/world/scripts.ts";
import { type SentEvent, World } from "../../src/world/world.ts";
import { ScriptError } from "../run-script.ts";

/** An example that a script makes. */
export interface ScriptedExample {
  /** The event, or the operation's id. */
  readonly of: string;
  /** Unique within the event or operation. */
  readonly name: string;
  readonly summary: string;
  readonly script: ScriptId;
  readonly value: unknown;
}

/** A place in a script: the n-th event of a name. Default: the last. */
type Place = readonly [script: ScriptId, at?: number];

/** A resource whose path contains fields of an event. */
interface Resource {
  readonly event: string;
  readonly path: string;
}

const SUBACCOUNT = { event: "transaction.created", path: "/subaccounts/{subaccountId}" };
const CARD = { event: "transaction.created", path: "/cards/{cardId}" };
const SUBSCRIPTION = { event: "cardsubscription.created", path: "/card-subscriptions/{id}" };
const FEED = { event: "networkbulkfeed.statechanged", path: "/network-bulk-feeds/{id}" };
const TRANSACTION = { event: "transaction.created", path: "/transactions/{id}" };
const MESSAGE = { event: "transactionmessage.created", path: "/transaction-messages/{id}" };
const ACCOUNT = { event: "banktransaction.created", path: "/bank-accounts/{bankAccountId}" };
const POSTING = {
  event: "banktransaction.created",
  path: "/bank-transactions/{subaccountId}/{id}",
};
const MATCH = {
  event: "transaction.match.created",
  path: "/transaction-matches/{subaccountId}/{matchId}",
};

const TABLE = "scripts/generate/examples.ts";

const { b: B } = DEFAULT_NETWORKS;

const SETTLED = "purchase-settled-by-bank";
const CLEARED = "purchase-cleared-by-network";
const LATE = "late-card-match";
const UPGRADED = "in-place-upgrade";
const LOST = "connection-lost-and-recovery";
const CARDLESS = "bank-only-movement";
const REMOVED = "deletion-of-matched-bank-transaction";
const FED = "bulk-feed-with-expected-card-count";
const MINTED = "link-with-bank-feed-cards";
const ON_C = "network-c-with-trace-id";
const UNSURE = "late-card-match-of-low-confidence";

/**
 * The scripts of the account whose lists are shown, so that their first pages are of many kinds.
 * Each other script has its own account.
 */
const LISTED: readonly ScriptId[] = [
  CLEARED,
  CARDLESS,
  SETTLED,
  ON_C,
  "purchase-cleared-by-network-alone",
  LATE,
  FED,
  "bulk-feed-rejected",
];

/** Name, summary and place of each event. An event without a row gets the first that is sent. */
const EVENTS: Readonly<Record<string, readonly (readonly [string, string, ...Place])[]>> = {
  "transactionmessage.created": [
    ["authorization", "An authorization", CLEARED, 0],
    ["bank-posting", "A settlement created from a bank posting", CLEARED, 1],
    ["clearing-network-c", "A clearing on NETWORK_C, with a traceId", ON_C],
  ],
  "transaction.created": [
    ["pending", "A purchase, authorized", CLEARED],
    ["standalone", "A bank-only movement, grouped under the oldest linked card", LATE, 0],
    ["standalone-cardless", "A bank-only movement on a link without cards", CARDLESS],
  ],
  "transaction.updated": [
    ["settled-by-bank", "A bank posting settles the purchase", CLEARED, 0],
    ["cleared-by-network", "The network clears: the bank's message is superseded", CLEARED, 1],
    ["netted-to-zero", "A bank-only transaction whose movement belongs to a purchase", LATE, 0],
  ],
  "transaction.match.created": [
    ["high", "HIGH: the bank posting settles the purchase", CLEARED],
    ["low", "LOW: the amounts and the dates differ", UNSURE],
  ],
  "transaction.match.deleted": [
    ["bank-transaction-retired", "Its bank transaction was deleted", REMOVED],
    ["rematch-superseded", "A forced re-match replaced it", "forced-rematch"],
  ],
  "banktransaction.created": [
    ["debit", "A debit for a card purchase", CLEARED],
    ["unmatched", "A debit without card data", CARDLESS],
  ],
  "banktransaction.deleted": [
    ["provider-removed", "The provider removed it", REMOVED],
    ["duplicate-retired", "It was a duplicate of another posting", "deletion-of-twin"],
  ],
  "banklink.completed": [
    ["without-cards", "An account without a card", CLEARED],
    ["minted-cards", "Two credit accounts: a card is created from each", MINTED],
    ["enrolled-cards", "Enrolled cards are found by their digits", "link-of-enrolled-cards"],
  ],
  "bankaccount.state_changed": [
    ["consent-expiring", "The consent expires soon", "consent-expiring-and-recovery", 0],
    ["recovered", "A lost connection is restored", LOST, 1],
  ],
  "cardsubscription.created": [
    ["cardholder-single", "Enrolled by the cardholder: authentication is pending", CLEARED],
    ["network-bulk", "Enrolled by a bulk feed: active immediately", FED],
    ["bank-feed", "Created from a bank account: active immediately", UPGRADED],
  ],
  "cardsubscription.updated": [
    ["activated", "The cardholder has authenticated", CLEARED, 0],
    ["linked", "The card is linked to a bank account", CLEARED, 1],
    ["upgraded-in-place", "The number of a bank-feed card was enrolled: the ids stay", UPGRADED, 0],
  ],
  "networkbulkfeed.statechanged": [
    ["accepted", "The network accepted a feed of three cards", FED],
    ["failed", "The network rejected a feed", "bulk-feed-rejected"],
  ],
};

/** Name, summary, resource and place of each response. */
const RESOURCES: Readonly<
  Record<string, readonly (readonly [string, string, Resource, ...Place])[]>
> = {
  getSubaccount: [["subaccount", "A subaccount", SUBACCOUNT, CLEARED]],
  getCard: [["card", "A card", CARD, "enrichment"]],
  getCardSubscription: [
    ["cardholder-single", "A card enrolled by its holder", SUBSCRIPTION, CLEARED],
    ["network-bulk", "A card enrolled by a bulk feed", SUBSCRIPTION, FED],
    ["bank-feed", "A card created from a bank account", SUBSCRIPTION, MINTED],
  ],
  getNetworkBulkFeed: [
    ["with-card-count", "A feed of three cards", FEED, FED],
    ["without-card-count", "A feed without a card count", FEED, "bulk-feed-accepted"],
  ],
  getTransaction: [
    ["bank-only", "A bank-only movement on a link without cards", TRANSACTION, CARDLESS],
    ["cleared", "A purchase that the bank settled and the network cleared", TRANSACTION, CLEARED],
    ["pending", "A purchase, authorized", TRANSACTION, "enrichment"],
  ],
  getTransactionMessage: [
    ["authorization", "An authorization", MESSAGE, CLEARED, 0],
    ["superseded", "A superseded message: it can still be fetched", MESSAGE, CLEARED, 1],
    ["network-c", "An authorization on NETWORK_C, with a traceId", MESSAGE, ON_C, 0],
  ],
  getBankAccount: [["bank-account", "A bank account", ACCOUNT, CLEARED]],
  getBankTransaction: [
    ["debit", "A debit for a card purchase", POSTING, CLEARED],
    ["unmatched", "A debit without card data", POSTING, CARDLESS],
  ],
  getTransactionMatch: [
    ["high", "HIGH: the bank posting settled the purchase", MATCH, CLEARED],
    ["low", "LOW: the amounts and the dates differ", MATCH, UNSURE],
  ],
};

/** The pages of each list, from its first address on: name and summary. */
const LISTS: Readonly<Record<string, readonly [string, ...(readonly [string, string])[]]>> = {
  listSubaccounts: [
    "/subaccounts?limit=1",
    ["first-page", "The first page: no prev"],
    ["last-page", "The last page: no next"],
  ],
  listCards: [
    "/cards?limit=3",
    ["first-page", "The first of three pages: no prev"],
    ["middle-page", "The second of three pages"],
    ["last-page", "The last of three pages: no next"],
  ],
  listBankLinks: ["/bank-links", ["only-page", "Everything on one page"]],
  listBankAccounts: ["/bank-accounts", ["only-page", "Everything on one page"]],
  listTransactions: [
    "/transactions?limit=5",
    ["first-page", "The first page"],
    ["last-page", "The last page: no next"],
  ],
  listBankTransactions: [
    "/bank-transactions?limit=3",
    ["first-page", "The first page"],
    ["last-page", "The last page: no next"],
  ],
  listTransactionMatches: ["/transaction-matches", ["only-page", "Everything on one page"]],
};

/**
 * Plays every script in a sandbox, and takes the examples of events and responses from it. The
 * examples of a list are all of its pages.
 *
 * @throws {ScriptError} A line: which script fails, or sends no such event.
 */
export async function scriptedExamples(): Promise<ScriptedExample[]> {
  const examples: ScriptedExample[] = [];
  const show = (of: string, [name, summary, script]: Shown, value: unknown) =>
    examples.push({ of, name, summary, script, value });

  const { events, get } = playScripts();
  for (const [of, rows] of Object.entries(EVENTS)) {
    for (const [name, summary, ...place] of rows) {
      show(of, [name, summary, place[0]], eventAt(events, of, place).body);
    }
  }
  for (const [script, sent] of events) {
    for (const { name, body } of sent) {
      const isShown = examples.some(({ of }) => of === name);
      if (!isShown) show(name, [script, scripts[script].title, script], body);
    }
  }
  for (const [of, rows] of Object.entries(RESOURCES)) {
    for (const [name, summary, { event, path }, ...place] of rows) {
      // A match has no subaccountId; other events of the script have.
      const bodies = events.get(place[0])?.map(({ body }) => body) ?? [];
      const fields = Object.assign({}, ...bodies, eventAt(events, event, place).body);
      const href = path.replace(/\{(\w+)\}/g, (_, field) => fields[field]);
      show(of, [name, summary, place[0]], await get(href, place[0]));
    }
  }
  for (const [of, [start, ...pages]] of Object.entries(LISTS)) {
    let href = start;
    const cursors = new Map<string, string>();
    for (const [at, [name, summary]] of pages.entries()) {
      const body: Page = await get(href, CLEARED);
      show(of, [name, summary, CLEARED], withPlainCursors(body, cursors));
      const { next } = body._links;
      const isLast = at === pages.length - 1;
      if (isLast !== (next === undefined)) {
        throw new ScriptError([`${TABLE}: ${of}/${name}: is ${isLast ? "not " : ""}the last page`]);
      }
      href = next?.href ?? "";
    }
  }
  return examples;
}

/**
 * Numbers the cursors of a page, which the sandbox seals with a random key.
 *
 * @param known the numbers of the list's cursors so far; new ones are added
 */
function withPlainCursors(body: Page, known: Map<string, string>): Page {
  const text = JSON.stringify(body).replace(/(?<=\?cursor=)[\w-]+/g, (cursor) => {
    const plain = known.get(cursor) ?? btoa(`page ${known.size + 2}`).replace(/=+$/, "");
    known.set(cursor, plain);
    return plain;
  });
  return JSON.parse(text);
}

type Shown = readonly [name: string, summary: string, script: ScriptId];

interface Page {
  readonly _links: { readonly next?: { readonly href: string } };
}

type Played = ReadonlyMap<ScriptId, readonly SentEvent[]>;

function eventAt(events: Played, name: string, [script, at = -1]: Place): SentEvent {
  const sent = events.get(script)?.filter((event) => event.name === name);
  const event = sent?.at(at);
  if (!event) throw new ScriptError([`${TABLE}: ${script} sends no ${name}, or not as often`]);
  return event;
}

function played(id: ScriptId, world: World): readonly SentEvent[] {
  try {
    return world.play(scripts[id], "1h");
  } catch (error) {
    throw new ScriptError([`src/world/scripts.ts: ${id}: ${(error as Error).message}`]);
  }
}

/** Plays the scripts in an empty sandbox, without a server. */
function playScripts() {
  const startMs = Date.UTC(2025, 2, 3, 8, 0, 0, 120);
  const settings = { networks: DEFAULT_NETWORKS, validate: false };
  const clock = { clock: "frozen", startMs } as const;
  const engine = new Engine(openDatabase(), { ...settings, ...clock, seed: 1 });
  const parts = { engine, faults: new FaultInjector(1), world: "empty" } as const;
  const app = interfaceApp(
    createService(parts, (reason) => {
      throw new ScriptError([`src/world/scripts.ts: ${reason}`]);
    }),
  );

  const accounts = new Map<ScriptId, string>();
  const events = new Map<ScriptId, readonly SentEvent[]>();
  const play = (work: Change, ids: readonly ScriptId[]) => {
    const accountId = openAccount(work);
    const world = new World(work, { startMs, accountId });
    // The card is on another network than that of the other scripts.
    const onB = new World(work, { startMs, accountId, defaults: { enroll: { network: B } } });
    for (const id of ids) {
      accounts.set(id, accountId);
      events.set(id, played(id, id === SETTLED ? onB : world));
    }
  };
  const others = (Object.keys(scripts) as ScriptId[]).filter((id) => !LISTED.includes(id));
  engine.commit((work) => {
    for (const ids of [LISTED, ...others.map((id) => [id])]) play(work, ids);
  });

  const get = async <Body>(href: string, script: ScriptId): Promise<Body> => {
    const bearer = { accountId: accounts.get(script) ?? "", scope: "api" } as const;
    const token = await tokensOf(engine).issue(bearer, "examples");
    const headers = { authorization: `Bearer ${token}` };
    const response = await app.request(href, { headers });
    if (!response.ok) throw new ScriptError([`${TABLE}: GET ${href}: ${await response.text()}`]);
    return (await response.json()) as Body;
  };
  return { events, get };
}

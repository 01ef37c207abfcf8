import { setTimeout as sleep } from "node:timers/promises";
import type { Driver } from "../../../conformance/driver.ts";
import type { EventName } from "../../../generated/events.ts";
import { type Mutation, parseJson } from "../../../mutation/mutation.ts";
import {
  announced,
  answered,
  dropped,
  followed,
  type Json,
  onPath,
  refused,
  remembered,
  sentAs,
  served,
  shown,
  swapped,
  withJson,
} from "../../../mutation/rewrite.ts";

/** What is wrong with a target, and the checks that tell. */
export interface Breach extends Partial<Mutation> {
  readonly wrap?: (driver: Driver) => Driver;
  readonly seenBy: readonly string[];
}

const OTHER = "0a0a0a0a-0000-4000-8000-000000000001";
const BANK = "OPEN_BANKING";
const isStandalone = ({ network }: Json) => network === BANK;
const isProvisional = ({ bankData, network }: Json) => bankData && network !== BANK;

/** Sends an event a second time. */
const doubled = (name: EventName, change = (body: Json) => body) =>
  followed(name, (body) => ({ name, body: change(body) }));

/** What a collection had keeps standing in it. */
const kept = (path: string, name: string) =>
  answered(path, (json, { run }) => {
    const all = remembered(run, path, () => new Map<string, Json>());
    for (const item of json._embedded[name]) all.set(item.id, item);
    json._embedded[name] = [...all.values()];
  });

export const breaches: readonly Breach[] = [
  {
    seenBy: ["TXN-09: a driven purchase's settled amounts are the sum of its messages"],
    http: served("transactions", (body) => {
      if (body.status === "SETTLED") body.transactionSettledAmount += 1;
    }),
  },
  {
    seenBy: ["TXN-12: a posting matched with high confidence settles its purchase"],
    deliveries: dropped("transaction.updated"),
  },
  {
    seenBy: ["TXN-12: a posting matched with high confidence settles its purchase"],
    ...shown("transactions", (body) => {
      body.status = "PENDING";
    }),
  },
  {
    seenBy: ["TXN-12: the bank's message inherits from the authorization"],
    ...shown(["transaction-messages", "projection"], (body) => {
      if (isProvisional(body)) body.approvalCode = null;
    }),
  },
  {
    seenBy: ["TXN-13: the update with the network's clearing supersedes the bank's"],
    ...shown("transactions", (body) => {
      body.supersededMessageIds = [];
    }),
  },
  {
    seenBy: [
      "TXN-14: a card match of a standalone's movement nets it to 0",
      "TXN-14: a match of a movement nets its standalone, however sure it is",
    ],
    deliveries: dropped("transaction.updated", isStandalone),
  },
  {
    seenBy: ["TXN-15: a bank-only movement yields a message and a settled transaction"],
    deliveries: dropped("transactionmessage.created", isStandalone),
  },
  {
    seenBy: ["TXN-15: a bank-only message is announced before its transaction"],
    deliveries: swapped("transactionmessage.created", "transaction.created", isStandalone),
  },
  {
    seenBy: ["TXN-16: a bank-only transaction and its message bear the marks"],
    ...shown(["transaction-messages", "projection"], (body) => {
      if (isStandalone(body)) body.transactionReference = "x1";
    }),
  },
  {
    seenBy: ["TXN-17: a bank-only transaction has its account's oldest linked card"],
    ...shown("transactions", (body) => {
      if (isStandalone(body) && body.cardId) body.cardId = OTHER;
    }),
  },
  {
    seenBy: ["TXN-17: a bank-only transaction on a card-less link has no card"],
    ...shown("transactions", (body) => {
      if (isStandalone(body)) body.cardId ??= OTHER;
    }),
  },
  {
    seenBy: ["MAT-09: card data that comes late is matched in time"],
    deliveries: dropped("transaction.match.created"),
  },
  {
    seenBy: [
      "BTX-04: a posting that the provider removes is told deleted",
      "BTX-04: a duplicate posting that is retired is told deleted",
    ],
    deliveries: sentAs("banktransaction.deleted", (body) => {
      body.bankAccountId = OTHER;
    }),
  },
  {
    seenBy: [
      "BTX-05: the match of a removed posting is told deleted",
      "BTX-05: the match of a retired duplicate is told deleted",
    ],
    deliveries: dropped("transaction.match.deleted"),
  },
  {
    seenBy: ["BTX-05: the retraction of a match follows the deletion of its posting"],
    deliveries: swapped("banktransaction.deleted", "transaction.match.deleted"),
  },
  {
    seenBy: ["MAT-05: a retraction names the match that was announced"],
    deliveries: sentAs("transaction.match.deleted", (body) => {
      body.cardTransactionId = OTHER;
    }),
  },
  {
    seenBy: ["MAT-05: nothing is retracted of a movement that was never matched"],
    deliveries: followed("banktransaction.deleted", ({ id, metadata }) => ({
      name: "transaction.match.deleted",
      body: {
        ...{ matchId: OTHER, bankTransactionId: id, cardTransactionId: OTHER, metadata },
        reason: "bank_transaction_retired",
      },
    })),
  },
  {
    seenBy: ["MAT-07: a forced re-match retracts the old match by its id"],
    deliveries: sentAs("transaction.match.deleted", (body) => {
      body.reason = "bank_transaction_retired";
    }),
  },
  {
    seenBy: ["MAT-07: a forced re-match creates matches of new ids"],
    deliveries: sentAs("transaction.match.created", (body, { run }) => {
      const ids = remembered(run, "ids", () => new Map<string, string>());
      const [{ id }] = body.matches;
      body.matchId = ids.get(id) ?? body.matchId;
      ids.set(id, body.matchId);
    }),
  },
  {
    seenBy: ["MAT-08: each debit of a purchase in parts is matched to its own leg"],
    deliveries: sentAs("transaction.match.created", (body) => {
      body.cardTransaction.id = OTHER;
    }),
  },
  {
    seenBy: [
      "MAT-08: parts that are posted and cleared in any order settle once each",
      "TXN-13: the clearing of a part supersedes the posting of that part alone",
    ],
    // The clearing of a part supersedes the other part's posting as well.
    ...shown("transactions", (body) => {
      const finals = (body._embedded?.messages ?? []).filter(
        (one: Json) => one.messageType === "FINL_ADVC",
      );
      const left = finals.filter((one: Json) => one.bankData && !one.superseded);
      if (finals.length !== 3 || left.length !== 1) return;
      left[0].superseded = true;
      body.supersededMessageIds.push(left[0].id);
      body.transactionSettledAmount -= left[0].transactionAmount;
    }),
  },
  {
    seenBy: ["BTX-07: a removed posting is listed no longer"],
    http: kept("/bank-transactions", "bankTransactions"),
  },
  {
    seenBy: ["MAT-11: a retracted match is listed no longer"],
    http: kept("/transaction-matches", "transactionMatches"),
  },
  {
    seenBy: ["MSG-03: a message that a driven clearing superseded stays"],
    http: async (exchange, run) => {
      const gone = remembered(run, "gone", () => new Set<string>());
      const id = exchange.path.split("/").at(-1) ?? "";
      if (gone.has(id)) return refused(404, "Not found");
      const answer = await exchange.forward();
      return withJson(answer, (json) => {
        for (const one of json.supersededMessageIds ?? []) gone.add(one);
        return json;
      });
    },
  },
  {
    seenBy: ["MSG-04: traceId of driven authorizations is populated on NETWORK_C alone"],
    deliveries: announced("transaction-messages", (body) => {
      body.traceId = "007";
    }),
  },
  {
    seenBy: ["MSG-09: each message of a driven purchase is announced as it is served"],
    deliveries: dropped("transactionmessage.created", isProvisional),
  },
  {
    seenBy: ["MSG-09: each message of a driven purchase is announced as it is served"],
    deliveries: announced("transaction-messages", abridge),
  },
  {
    seenBy: [
      "BTX-01: what a bank posts is announced as it was posted",
      "SUB-08: bank transactions sync and are announced in reqSCA",
    ],
    deliveries: dropped("banktransaction.created"),
  },
  {
    seenBy: [
      "MAT-01: a match that settles a purchase is announced",
      "SUB-08: bank transactions match and are announced in reqSCA",
    ],
    deliveries: dropped("transaction.match.created"),
  },
  {
    seenBy: ["ENR-01: a message that is enriched is announced"],
    deliveries: dropped("enrichment.merchant.created"),
  },
  {
    seenBy: ["WHK-05: a driven transaction is created once, before its updates"],
    deliveries: doubled("transaction.created", (body) => ({ ...body, descriptor: "AGAIN" })),
  },
  {
    seenBy: ["WHK-05: a purchase that is cleared at once is created, then updated"],
    deliveries: swapped("transaction.created", "transaction.updated"),
  },
  {
    seenBy: ["WHK-05: a purchase that is cleared at once is created, then updated"],
    deliveries: sentAs("transaction.updated", (body) => {
      delete body.descriptor;
    }),
  },
  {
    seenBy: ["SUB-09: a subscription that changes at once is created, then updated"],
    deliveries: swapped("cardsubscription.created", "cardsubscription.updated"),
  },
  {
    seenBy: ["WHK-06: a URL subscribed to some events gets each of them, and no other"],
    wrap: (driver) => ({
      ...driver,
      subscribe: async ({ url }) => driver.subscribe?.({ url }),
    }),
  },
  {
    seenBy: ["WHK-06: a URL subscribed to some events gets each of them, and no other"],
    wrap: (driver) => ({
      ...driver,
      subscribe: async ({ url, events }) =>
        driver.subscribe?.({ url, ...(events && { events: events.slice(-1) }) }),
    }),
  },
  {
    seenBy: ["TXN-11: an update has the whole set of superseded messages"],
    deliveries: announced("transactions", (body) => {
      body.supersededMessageIds = [];
    }),
  },
  {
    seenBy: ["TXN-18: a driven transaction's createdAt stays, updatedAt goes forward"],
    http: served("transactions", (body) => {
      if (body.status === "SETTLED") body.createdAt = "2025-01-01T00:00:00.000Z";
    }),
  },
  {
    seenBy: ["TXN-20: a driven transaction that is SETTLED is not PENDING again"],
    http: served("transactions", (body) => {
      if (body.supersededMessageIds.length > 0) body.status = "PENDING";
    }),
  },
  {
    seenBy: ["TXN-20: a driven transaction that is SETTLED is not PENDING again"],
    deliveries: doubled("transaction.updated", (body) => ({ ...body, status: "PENDING" })),
  },
  {
    seenBy: [
      "BLK-02: a notification completes a link with one banklink.completed",
      "BLK-02: the polling completes a link with one banklink.completed",
    ],
    deliveries: doubled("banklink.completed"),
  },
  {
    seenBy: ["BLK-03: a completion tells of the cards that it created, and of no others"],
    deliveries: sentAs("banklink.completed", ({ bankAccounts }) => {
      for (const account of bankAccounts) delete account.cards;
    }),
  },
  {
    seenBy: ["BLK-04: cardIds has an enrolled card with the account's last 4 digits"],
    deliveries: sentAs("banklink.completed", ({ bankAccounts }) => {
      for (const account of bankAccounts) if (!account.cards) account.cardIds = [];
    }),
  },
  {
    seenBy: ["BLK-05: each card that a completion created is announced by itself"],
    deliveries: dropped("cardsubscription.created", (body) => body.bankAccountId),
  },
  {
    seenBy: ["SUB-10: a bank-derived card is enrolled by cardsubscription.created alone"],
    deliveries: followed("cardsubscription.created", (body) => ({
      name: "cardsubscription.updated",
      body,
    })),
  },
  {
    seenBy: [
      "SUB-04: a cardholder-single enrollment starts in reqSCA and is announced",
      "SUB-04: a network-bulk enrollment starts in active and is announced",
      "SUB-04: a bank-feed enrollment starts in active and is announced",
    ],
    deliveries: sentAs("cardsubscription.created", (body) => {
      body.state = body.state === "active" ? "reqSCA" : "active";
    }),
  },
  {
    seenBy: ["SUB-05: a driven subscription moves as the table has it"],
    ...shown("card-subscriptions", (body) => {
      if (body.state === "deactivated") body.state = "reqSCA";
    }),
  },
  {
    seenBy: ["SUB-06: a real card number upgrades a bank-feed subscription in place"],
    deliveries: followed("cardsubscription.updated", (body) => ({
      name: "cardsubscription.created",
      body: { ...body, id: OTHER },
    })),
  },
  {
    seenBy: [
      "SUB-07: a card that is linked later gains its bank account, no more",
      "SUB-07: an enrolled card that a completion links gains its bank account",
    ],
    deliveries: sentAs("cardsubscription.updated", (body) => {
      if (body.bankAccountId) body.enrollmentType = "bank-feed";
    }),
  },
  {
    seenBy: ["SUB-09: each change of a driven subscription is told, created once"],
    deliveries: doubled("cardsubscription.created"),
  },
  {
    seenBy: ["NBF-02: errorReason is told of a rejected feed of NETWORK_B, of no other"],
    deliveries: sentAs("networkbulkfeed.statechanged", (body) => {
      delete body.errorReason;
    }),
  },
  {
    seenBy: ["NBF-03: expectedCardCount is on every event of a feed created with it"],
    deliveries: sentAs("networkbulkfeed.statechanged", (body) => {
      delete body.expectedCardCount;
    }),
  },
  {
    seenBy: [
      "NBF-04: a feed that is accepted is told to be active",
      "NBF-04: a feed that is rejected is told to have failed",
    ],
    deliveries: sentAs("networkbulkfeed.statechanged", (body) => {
      [body.oldState, body.newState] = [body.newState, body.oldState];
    }),
  },
  {
    seenBy: ["BAC-01: each change of a connection is told once, with both states"],
    deliveries: doubled("bankaccount.state_changed", (body) => ({
      ...body,
      previousState: body.state,
    })),
  },
  {
    seenBy: [
      "BAC-03: previousState is where the change before led to",
      "BAC-05: auth_required is entered from active, active from another state",
    ],
    deliveries: sentAs("bankaccount.state_changed", (body) => {
      body.previousState = body.state === "active" ? "active" : "disconnected";
    }),
  },
  {
    seenBy: ["BAC-04: a consent that expires asks for authentication, with a reason"],
    deliveries: sentAs("bankaccount.state_changed", (body) => {
      body.reason = null;
    }),
  },
  {
    seenBy: ["BAC-04: a lost connection is told from any state, and so is recovery"],
    deliveries: dropped("bankaccount.state_changed", ({ state }) => state === "active"),
  },
];

/** What no requirement owes: nothing may be held against it. */
export const liberties: readonly (Breach & { readonly title: string })[] = [
  {
    title: "every delivery comes twice",
    seenBy: [],
    deliveries: async (delivery, { send }) => {
      await send(delivery);
      await send(delivery);
    },
  },
  {
    title: "deliveries overtake each other",
    seenBy: [],
    deliveries: async (delivery, { send, defer: keep, takeDeferred: takeKept }, run) => {
      const count = remembered(run, "count", () => ({ of: 0 }));
      count.of += 1;
      if (count.of % 3 === 0) return keep(delivery);
      await send(delivery);
      for (const late of takeKept()) await send(late);
    },
  },
  {
    title: "all deliveries are under way at once",
    seenBy: [],
    deliveries: async (delivery, { send }, run) => {
      const count = remembered(run, "count", () => ({ of: 0 }));
      count.of += 1;
      await sleep((count.of * 7) % 11);
      await send(delivery);
    },
  },
  {
    title: "transactions have no projection",
    seenBy: [],
    ...shown("transactions", (body) => {
      delete body._embedded;
    }),
  },
  {
    title: "each update comes in two",
    seenBy: [],
    deliveries: async (delivery, { send }) => {
      await send(delivery);
      if (!delivery.name.endsWith(".updated")) return;
      const body = { ...parseJson(delivery.body), more: "of this and that" };
      await send({ ...delivery, body: JSON.stringify(body) });
    },
  },
  {
    title: "what was removed is listed on with a mark",
    seenBy: [],
    http: answered(["/bank-transactions", "/transaction-matches"], (json, { run, path = "" }) => {
      const [name = ""] = Object.keys(json._embedded);
      const all = remembered(run, path, () => new Map<string, Json>());
      const here = new Set(json._embedded[name].map(({ id }: Json) => id));
      for (const item of json._embedded[name]) all.set(item.id, item);
      json._embedded[name] = [...all.values()].map((item) =>
        here.has(item.id) ? item : { ...item, removed: true },
      );
    }),
  },
  {
    title: "standalone messages are abridged",
    seenBy: [],
    http: served("transaction-messages", abridge),
    deliveries: announced("transaction-messages", abridge),
  },
  {
    title: "REST bank transactions and matches have nothing but what is certain",
    seenBy: [],
    http: served(["bank-transactions", "transaction-matches"], ({ id, category }) => ({
      id,
      ...(category && { category }),
    })),
  },
  {
    title: "subscription resources are not served",
    seenBy: [],
    http: onPath("/card-subscriptions/{}", async () => refused(404, "Not found")),
  },
];

function abridge(body: Json): void {
  for (const name of ["approvalCode", "transactionReference", "dateTime", "cardId"]) {
    delete body[name];
  }
}

import { keepListed } from "../internals.ts";
import type { Mutation, SentDelivery } from "../mutation.ts";
import {
  changeEvents,
  changeEventsNamed,
  changeResource,
  changeResponseAt,
  changeResponses,
  delayEvents,
  dropEvents,
  type Json,
  mutationState,
  OTHER_ID,
  onEvents,
  rename,
} from "../rewrite.ts";

const CREATED = "banktransaction.created" as const;
const MATCHED = "transaction.match.created" as const;
const DELETED = "banktransaction.deleted" as const;
const RETRACTED = "transaction.match.deleted" as const;

const DELETIONS = [
  "BTX-04: a movement that the provider removes is announced as deleted",
  "BTX-04: a posting that the provider removes is announced as deleted",
  "BTX-04: a retired duplicate posting is announced as deleted",
];

const isRetired = (body: Json) => body.reason === "bank_transaction_retired";

export const btx: readonly Mutation[] = [
  {
    id: "btx/snake-case",
    requirement: "BTX-01",
    description: "The provider's field names are passed through: merchant_name",
    checks: ["BTX-01: every body"],
    deliveries: changeEvents("bank-transactions", (body) => {
      rename(body, "merchantName", "merchant_name");
      rename(body, "transactionType", "transaction_type");
    }),
  },
  {
    id: "btx/no-merchant",
    requirement: "BTX-01",
    description: "merchantName is omitted if it equals the description",
    checks: ["BTX-01: every body"],
    deliveries: changeEvents("bank-transactions", (body) => {
      if ([null, body.description].includes(body.merchantName)) delete body.merchantName;
    }),
  },
  {
    id: "btx/pending-text",
    requirement: "BTX-01",
    description: "A boolean comes from a form, so pending is a string",
    checks: ["BTX-01: every body"],
    deliveries: changeEvents("bank-transactions", (body) => {
      body.pending = String(body.pending);
    }),
  },
  {
    id: "btx/type-upper-case",
    requirement: "BTX-01",
    description: "transactionType is in upper case",
    checks: ["BTX-01: every body"],
    deliveries: changeEvents("bank-transactions", (body) => {
      body.transactionType = body.transactionType.toUpperCase();
    }),
  },
  {
    id: "btx/debits-negative",
    requirement: "BTX-02",
    description: "Debits have a negative sign",
    checks: ["BTX-02: every body"],
    ...changeResource("bank-transactions", (body) => {
      if (body.transactionType === "debit") body.amount = -body.amount;
    }),
  },
  {
    id: "btx/amount-zero",
    requirement: "BTX-02",
    description: "Amounts are divided by a million, as if in micros, and rounded to 0",
    checks: ["BTX-02: every body"],
    deliveries: changeEvents("bank-transactions", (body) => {
      body.amount = Math.floor(body.amount / 1_000_000);
    }),
  },
  {
    id: "btx/event-categories",
    requirement: "BTX-03",
    description: "The event uses the resource's format: category is an array",
    checks: ["BTX-03: every body"],
    deliveries: changeEvents("bank-transactions", (body) => {
      body.category = body.category === null ? [] : [body.category];
    }),
  },
  {
    id: "btx/resource-category-null",
    requirement: "BTX-03",
    description: "The resource's category is null if the provider has none",
    checks: ["BTX-03: every body"],
    http: changeResponses("bank-transactions", (body) => {
      if (body.category.length < 3) body.category = null;
    }),
  },
  {
    id: "btx/deletes-other-id",
    requirement: "BTX-04",
    description: "The deletion has the provider's id",
    checks: [...DELETIONS, "BTX-04: no delivery contradicts another"],
    deliveries: changeEventsNamed(DELETED, (body) => {
      body.id = `${body.id.slice(0, -1)}${body.id.endsWith("0") ? "1" : "0"}`;
      body.metadata.resourceId = body.id;
    }),
  },
  {
    id: "btx/deleted-without-account",
    requirement: "BTX-04",
    description: "The deletion has no bankAccountId, because the row is already deleted",
    checks: DELETIONS,
    deliveries: changeEventsNamed(DELETED, (body) => {
      delete body.bankAccountId;
    }),
  },
  {
    id: "btx/deleted-for-other-reason",
    requirement: "BTX-04",
    description: "The provider's own reason is passed through",
    checks: [...DELETIONS, "BTX-04: every body"],
    deliveries: changeEventsNamed(DELETED, (body) => {
      body.reason = "removed";
    }),
  },
  {
    id: "btx/duplicate-as-removed",
    requirement: "BTX-04",
    description: "Every deletion has the reason provider_removed",
    checks: ["BTX-04: a retired duplicate posting is announced as deleted"],
    deliveries: changeEventsNamed(DELETED, (body) => {
      body.reason = "provider_removed";
    }),
  },
  {
    id: "btx/deletion-unannounced",
    requirement: "BTX-04",
    description: "Bank transactions that the provider removes are deleted without an event",
    checks: [
      "BTX-04: a movement that the provider removes is announced as deleted",
      "BTX-04: a posting that the provider removes is announced as deleted",
    ],
    deliveries: dropEvents(DELETED, ({ reason }) => reason === "provider_removed"),
  },
  {
    id: "btx/match-stays",
    requirement: "BTX-05",
    description: "A deletion cascades in the database, so the match's event is not sent",
    checks: [
      "BTX-05: the match of a removed posting is announced as deleted",
      "BTX-05: the match of a retired duplicate is announced as deleted",
    ],
    deliveries: dropEvents(RETRACTED, isRetired),
  },
  {
    id: "btx/match-deleted-for-other-reason",
    requirement: "BTX-05",
    description: "Every retraction has the reason rematch_superseded",
    checks: [
      "BTX-05: the match of a removed posting is announced as deleted",
      "BTX-05: the match of a retired duplicate is announced as deleted",
      "BTX-05: no delivery contradicts another",
    ],
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      if (isRetired(body)) body.reason = "rematch_superseded";
    }),
  },
  {
    id: "btx/match-deleted-first",
    requirement: "BTX-05",
    description: "Children first: the match's deletion is announced before the bank transaction's",
    checks: ["BTX-05: the retraction of a match is sent after the deletion of its posting"],
    deliveries: delayEvents(DELETED, RETRACTED),
  },
  {
    id: "btx/resource-of-account",
    requirement: "BTX-06",
    description: "metadata.resourceId is the bank account's id",
    checks: ["BTX-06: every body"],
    deliveries: changeEventsNamed(DELETED, (body) => {
      body.metadata.resourceId = body.bankAccountId;
    }),
  },
  {
    id: "btx/deleted-still-listed",
    requirement: "BTX-07",
    description: "The list's query ignores the soft-delete flag",
    checks: [
      "BTX-07: a retired duplicate posting is no longer listed",
      "BTX-07: a retired duplicate movement is no longer listed",
      "BTX-07: a removed posting is no longer listed",
    ],
    inside: keepListed("bank-transactions"),
  },
  {
    id: "btx/category-of-rest-in-get",
    requirement: "BTX-03",
    description: "The single resource uses the event's format: category is a string",
    checks: ["BTX-03: every body"],
    http: changeResponseAt("/bank-transactions/{}/{}", (json) => {
      json.category = json.category[0] ?? null;
    }),
  },
  {
    id: "btx/deletes-previous-id",
    requirement: "BTX-04",
    description: "A deletion has the id of the previously deleted bank transaction",
    checks: ["BTX-04: a retired duplicate posting is announced as deleted"],
    deliveries: onEvents(DELETED, async (delivery, { send }, run) => {
      const ids = mutationState(run, "ids", () => ({ last: "" }));
      const before = ids.last;
      ids.last = JSON.parse(delivery.body).id;
      const body = before ? delivery.body.replaceAll(ids.last, before) : delivery.body;
      await send({ ...delivery, body });
    }),
  },
  {
    id: "btx/deleted-of-other-account",
    requirement: "BTX-04",
    description: "The deletion has the id of another bank account",
    checks: DELETIONS,
    deliveries: changeEventsNamed("banktransaction.deleted", (body) => {
      body.bankAccountId = OTHER_ID;
    }),
  },
  {
    id: "btx/created-unannounced",
    requirement: "BTX-01",
    description: "Bank transactions are synced without an event",
    checks: [
      "BTX-01: the posting of a purchase is announced",
      "BTX-01: a posting is announced while a card of the account is in reqSCA",
      "BTX-01: a bank posting is announced with its account, amount and type",
      "SUB-08: bank transactions sync and are announced in reqSCA",
    ],
    deliveries: dropEvents("banktransaction.created"),
  },
  {
    id: "btx/matched-not-listed",
    requirement: "BTX-07",
    description: "The list has only bank transactions without a match",
    checks: [
      "BTX-07: GET /bank-transactions lists the bank transactions of listed matches",
      "BTX-07: GET /bank-transactions lists announced resources until removal",
      "MAT-11: GET /transaction-matches names only listed bank transactions",
    ],
    http: changeResponseAt("/bank-transactions", async ({ _embedded }, { run }) => {
      const matches = await run.sandbox.resources("transaction-matches", { limit: 10_000 });
      const matched = new Set(matches.map(({ body }) => (body as Json).matches[0].id));
      _embedded.bankTransactions = _embedded.bankTransactions.filter(
        ({ id }: Json) => !matched.has(id),
      );
    }),
  },
  {
    id: "btx/created-twice",
    requirement: "BTX-01",
    description: "A bank transaction is announced again when it is matched",
    checks: ["BTX-01: the posting of a purchase is announced"],
    deliveries: onEvents([CREATED, MATCHED], async (delivery, { send }, { memory }) => {
      await send(delivery);
      const { id, matches } = JSON.parse(delivery.body);
      if (delivery.name === CREATED) memory.set(id, delivery);
      const created = memory.get(matches?.[0].id) as SentDelivery | undefined;
      if (created) await send(created);
    }),
  },
  {
    id: "btx/unmatched-deleted-silently",
    requirement: "BTX-04",
    description: "The deletion is announced only together with the retraction of a match",
    checks: ["BTX-04: a movement that the provider removes is announced as deleted"],
    deliveries: onEvents([DELETED, MATCHED], async (delivery, { send }, { memory }) => {
      const { id, matches } = JSON.parse(delivery.body);
      if (delivery.name === MATCHED) memory.set(matches[0].id, true);
      if (delivery.name === MATCHED || memory.has(id)) await send(delivery);
    }),
  },
];

import type { EventName, EventPayloads } from "../../../generated/events.ts";
import type { ResponseBodies } from "../../../generated/operations.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { components } from "../../../generated/types.ts";
import type { Finding } from "../finding.ts";
import type { Networks } from "../networks.ts";
import * as conv from "./conv.ts";
import * as mat from "./mat.ts";
import * as msg from "./msg.ts";
import * as page from "./page.ts";
import { FindingCollector, listOf, NOTHING, type RuleList } from "./rule.ts";
import * as short from "./short-groups.ts";
import * as txn from "./txn.ts";

type Schemas = components["schemas"];

const token = listOf(short.tokenRules);
const transaction = listOf({ ...txn.transactionRules, ...conv.transactionLinkRules });
const message = listOf(msg.messageRules);
const standalone = listOf(msg.standaloneRules);
const subscription = listOf({ ...short.subscriptionRules, ...conv.subscriptionLinkRules });
const feed = listOf(short.feedRules);
const bankLink = listOf(short.bankLinkRules);
const bankAccount = listOf(short.bankAccountRules);
const bankTransaction = listOf(short.bankTransactionRules);
const bankTransactionDeleted = listOf(short.bankTransactionDeletedRules);
const match = listOf(mat.matchRules);
const listedMatch = listOf(mat.listedMatchRules);
const matchDeleted = listOf(mat.matchDeletedRules);
const cursorPage = listOf(page.cursorPageRules);
const eitherStylePage = listOf(page.eitherStylePageRules);
const { resourceRules: resource } = conv;

/** The requirements that have a rule. */
export function ruledRequirements(): ReadonlySet<RequirementId> {
  const lists = [
    ...[token, transaction, message, standalone, subscription, feed, bankLink, bankAccount],
    ...[bankTransaction, bankTransactionDeleted, match, listedMatch, matchDeleted],
    ...[cursorPage, eitherStylePage, resource],
  ];
  return new Set(lists.flatMap((rules) => rules.map(({ requirement }) => requirement)));
}

/** Bank transactions and enrichments have no fields to compare. */
const UNRULED = new Set<EventName>(["banktransaction.created", "enrichment.merchant.created"]);

/**
 * Applies every rule to an event's body, whose shape is valid.
 *
 * @returns The findings; always the same empty list if there are none.
 */
export function applyEventRules(
  name: EventName,
  body: unknown,
  networks: Networks,
): readonly Finding[] {
  if (UNRULED.has(name)) return NOTHING;
  const collector = new FindingCollector(name, networks);
  switch (name) {
    case "transaction.created":
    case "transaction.updated":
      applyTransactionRules(body as Schemas["Transaction"], collector);
      break;
    case "transactionmessage.created":
      applyMessageRules(body as Schemas["TransactionMessage"], collector);
      break;
    case "cardsubscription.created":
    case "cardsubscription.updated":
      applySubscriptionRules(body as Schemas["CardSubscription"], collector);
      break;
    case "networkbulkfeed.statechanged":
      collector.apply(feed, body as EventPayloads[typeof name]);
      collector.apply(resource, body as EventPayloads[typeof name]);
      break;
    case "banklink.completed":
      collector.apply(bankLink, body as EventPayloads[typeof name]);
      break;
    case "bankaccount.state_changed":
      collector.apply(bankAccount, body as EventPayloads[typeof name]);
      break;
    case "banktransaction.deleted":
      collector.apply(bankTransactionDeleted, body as EventPayloads[typeof name]);
      break;
    case "transaction.match.created":
      collector.apply(match, body as EventPayloads[typeof name]);
      break;
    case "transaction.match.deleted":
      collector.apply(matchDeleted, body as EventPayloads[typeof name]);
      break;
  }
  return collector.findings;
}

/** Applies every rule to the body of an operation's 200 response, whose shape is valid. */
export function applyResponseRules(
  operation: keyof ResponseBodies,
  body: unknown,
  networks: Networks,
): readonly Finding[] {
  const collector = new FindingCollector(operation, networks);
  responseRules[operation](body as never, collector);
  return collector.findings;
}

type ApplyRules<Body> = (body: Body, collector: FindingCollector) => void;

const applyResourceRules: ApplyRules<conv.Linked> = (body, collector) =>
  collector.apply(resource, body);

const responseRules: {
  readonly [Key in keyof ResponseBodies]: ApplyRules<ResponseBodies[Key][200]>;
} = {
  "POST /auth/realms/{account_id}/protocol/openid-connect/token": (body, collector) =>
    collector.apply(token, body),
  "GET /subaccounts": pageOf("subaccounts", cursorPage, applyResourceRules),
  "GET /subaccounts/{id}": applyResourceRules,
  "GET /cards": pageOf("cards", [], applyResourceRules),
  "GET /cards/{id}": applyResourceRules,
  "GET /card-subscriptions/{id}": applySubscriptionRules,
  "GET /network-bulk-feeds/{id}": applyResourceRules,
  "GET /transactions": pageOf("transactions", eitherStylePage, applyTransactionRules),
  "GET /transactions/{transactionId}": applyTransactionRules,
  "GET /transaction-messages/{id}": applyMessageRules,
  "GET /bank-links": pageOf("bankLinks", eitherStylePage, applyResourceRules),
  "GET /bank-accounts": pageOf("bankAccounts", eitherStylePage, applyResourceRules),
  "GET /bank-accounts/{id}": applyResourceRules,
  "GET /bank-transactions": pageOf("bankTransactions", eitherStylePage, applyBankTransactionRules),
  "GET /bank-transactions/{subaccountId}/{id}": applyBankTransactionRules,
  "GET /transaction-matches": pageOf("transactionMatches", eitherStylePage, applyListedMatchRules),
  "GET /transaction-matches/{subaccountId}/{matchId}": applyListedMatchRules,
};

function applyTransactionRules(body: Schemas["Transaction"], collector: FindingCollector): void {
  collector.apply(transaction, body);
  const messages = body._embedded?.messages;
  if (messages) collector.applyToEach(message, "/_embedded/messages", messages);
}

function applyMessageRules(body: Schemas["TransactionMessage"], collector: FindingCollector): void {
  collector.apply(standalone, body);
  collector.apply(message, body);
  collector.apply(resource, body);
}

function applySubscriptionRules(
  body: Schemas["CardSubscription"],
  collector: FindingCollector,
): void {
  collector.apply(subscription, body);
  collector.apply(resource, body);
}

function applyBankTransactionRules(
  body: Schemas["BankTransaction"],
  collector: FindingCollector,
): void {
  collector.apply(bankTransaction, body);
  collector.apply(resource, body);
}

function applyListedMatchRules(
  body: Schemas["TransactionMatch"],
  collector: FindingCollector,
): void {
  collector.apply(listedMatch, body);
  collector.apply(resource, body);
}

/** Applies rules to a page, and then to each of its items. */
function pageOf<Name extends string, Item, Page>(
  name: Name,
  pageRules: RuleList<Page>,
  applyRules: ApplyRules<Item>,
): ApplyRules<Page & { readonly _embedded: { readonly [Key in Name]: readonly Item[] } }> {
  return (body, collector) => {
    collector.apply(pageRules, body);
    body._embedded[name].forEach((item, index) => {
      collector.within(`/_embedded/${name}/${index}`);
      applyRules(item, collector);
    });
    collector.within("");
  };
}

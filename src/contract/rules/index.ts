import type { EventName, EventPayloads } from "../../../generated/events.ts";
import type { ResponseBodies } from "../../../generated/operations.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { components } from "../../../generated/types.ts";
import type { Finding } from "../finding.ts";
import type { Networks } from "../networks.ts";
import * as auth from "./auth.ts";
import * as bac from "./bac.ts";
import * as blk from "./blk.ts";
import * as btx from "./btx.ts";
import * as conv from "./conv.ts";
import * as mat from "./mat.ts";
import * as msg from "./msg.ts";
import * as nbf from "./nbf.ts";
import * as page from "./page.ts";
import { Judge, listOf, NOTHING } from "./rule.ts";
import * as sub from "./sub.ts";
import * as txn from "./txn.ts";

type Schemas = components["schemas"];

const token = listOf(auth.tokenRules);
const transaction = listOf({ ...txn.transactionRules, ...conv.transactionLinkRules });
const message = listOf(msg.messageRules);
const standalone = listOf(msg.standaloneRules);
const subscription = listOf({ ...sub.subscriptionRules, ...conv.subscriptionLinkRules });
const feed = listOf(nbf.feedRules);
const bankLink = listOf(blk.bankLinkRules);
const bankAccount = listOf(bac.bankAccountRules);
const bankTransaction = listOf(btx.bankTransactionRules);
const bankTransactionDeleted = listOf(btx.bankTransactionDeletedRules);
const match = listOf(mat.matchRules);
const listedMatch = listOf(mat.listedMatchRules);
const matchDeleted = listOf(mat.matchDeletedRules);
const cursorPage = listOf(page.cursorPageRules);
const eitherStylePage = listOf(page.eitherStylePageRules);
const { resourceRules: resource } = conv;

/** The requirements that some rule decides. */
export function ruledRequirements(): ReadonlySet<RequirementId> {
  const lists = [
    ...[token, transaction, message, standalone, subscription, feed, bankLink, bankAccount],
    ...[bankTransaction, bankTransactionDeleted, match, listedMatch, matchDeleted],
    ...[cursorPage, eitherStylePage, resource],
  ];
  return new Set(lists.flatMap((rules) => rules.map(({ requirement }) => requirement)));
}

/** A posting's and an enrichment's fields have nothing to be compared with. */
const UNRULED = new Set<EventName>(["banktransaction.created", "enrichment.merchant.created"]);

/**
 * Applies every rule to an event's body, whose shape holds.
 *
 * @returns what was found; the same empty list each time where all is well.
 */
export function applyEventRules(
  name: EventName,
  body: unknown,
  networks: Networks,
): readonly Finding[] {
  if (UNRULED.has(name)) return NOTHING;
  const judge = new Judge(name, networks);
  switch (name) {
    case "transaction.created":
    case "transaction.updated":
      judgeTransaction(body as Schemas["Transaction"], judge);
      break;
    case "transactionmessage.created":
      judgeMessage(body as Schemas["TransactionMessage"], judge);
      break;
    case "cardsubscription.created":
    case "cardsubscription.updated":
      judgeSubscription(body as Schemas["CardSubscription"], judge);
      break;
    case "networkbulkfeed.statechanged":
      judge.apply(feed, body as EventPayloads[typeof name]);
      judge.apply(resource, body as EventPayloads[typeof name]);
      break;
    case "banklink.completed":
      judge.apply(bankLink, body as EventPayloads[typeof name]);
      break;
    case "bankaccount.state_changed":
      judge.apply(bankAccount, body as EventPayloads[typeof name]);
      break;
    case "banktransaction.deleted":
      judge.apply(bankTransactionDeleted, body as EventPayloads[typeof name]);
      break;
    case "transaction.match.created":
      judge.apply(match, body as EventPayloads[typeof name]);
      break;
    case "transaction.match.deleted":
      judge.apply(matchDeleted, body as EventPayloads[typeof name]);
      break;
  }
  return judge.findings;
}

/** Applies every rule to the body of an operation's 200 answer, whose shape holds. */
export function applyAnswerRules(
  operation: keyof ResponseBodies,
  body: unknown,
  networks: Networks,
): readonly Finding[] {
  const judge = new Judge(operation, networks);
  answers[operation](body as never, judge);
  return judge.findings;
}

type JudgeAnswer<Body> = (body: Body, judge: Judge) => void;

const judgeResource: JudgeAnswer<conv.Linked> = (body, judge) => judge.apply(resource, body);

const answers: { readonly [Key in keyof ResponseBodies]: JudgeAnswer<ResponseBodies[Key][200]> } = {
  "POST /auth/realms/{account_id}/protocol/openid-connect/token": (body, judge) =>
    judge.apply(token, body),
  "GET /subaccounts": (body, judge) => {
    judge.apply(cursorPage, body);
    judgeEach("subaccounts", body._embedded.subaccounts, judgeResource, judge);
  },
  "GET /subaccounts/{id}": judgeResource,
  "GET /cards": (body, judge) => judgeEach("cards", body._embedded.cards, judgeResource, judge),
  "GET /cards/{id}": judgeResource,
  "GET /card-subscriptions/{id}": judgeSubscription,
  "GET /network-bulk-feeds/{id}": judgeResource,
  "GET /transactions": (body, judge) => {
    judge.apply(eitherStylePage, body);
    judgeEach("transactions", body._embedded.transactions, judgeTransaction, judge);
  },
  "GET /transactions/{transactionId}": judgeTransaction,
  "GET /transaction-messages/{id}": judgeMessage,
  "GET /bank-links": (body, judge) => {
    judge.apply(eitherStylePage, body);
    judgeEach("bankLinks", body._embedded.bankLinks, judgeResource, judge);
  },
  "GET /bank-accounts": (body, judge) => {
    judge.apply(eitherStylePage, body);
    judgeEach("bankAccounts", body._embedded.bankAccounts, judgeResource, judge);
  },
  "GET /bank-accounts/{id}": judgeResource,
  "GET /bank-transactions": (body, judge) => {
    judge.apply(eitherStylePage, body);
    judgeEach("bankTransactions", body._embedded.bankTransactions, judgeBankTransaction, judge);
  },
  "GET /bank-transactions/{subaccountId}/{id}": judgeBankTransaction,
  "GET /transaction-matches": (body, judge) => {
    judge.apply(eitherStylePage, body);
    judgeEach("transactionMatches", body._embedded.transactionMatches, judgeListedMatch, judge);
  },
  "GET /transaction-matches/{subaccountId}/{matchId}": judgeListedMatch,
};

function judgeTransaction(body: Schemas["Transaction"], judge: Judge): void {
  judge.apply(transaction, body);
  const messages = body._embedded?.messages;
  if (messages) judge.applyToEach(message, "/_embedded/messages", messages);
}

function judgeMessage(body: Schemas["TransactionMessage"], judge: Judge): void {
  judge.apply(standalone, body);
  judge.apply(message, body);
  judge.apply(resource, body);
}

function judgeSubscription(body: Schemas["CardSubscription"], judge: Judge): void {
  judge.apply(subscription, body);
  judge.apply(resource, body);
}

function judgeBankTransaction(body: Schemas["BankTransaction"], judge: Judge): void {
  judge.apply(bankTransaction, body);
  judge.apply(resource, body);
}

function judgeListedMatch(body: Schemas["TransactionMatch"], judge: Judge): void {
  judge.apply(listedMatch, body);
  judge.apply(resource, body);
}

function judgeEach<Body>(
  name: string,
  items: readonly Body[],
  judgeItem: JudgeAnswer<Body>,
  judge: Judge,
): void {
  items.forEach((item, index) => {
    judge.within(`/_embedded/${name}/${index}`);
    judgeItem(item, judge);
  });
  judge.within("");
}

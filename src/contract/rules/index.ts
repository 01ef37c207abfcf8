import type { EventName, EventPayloads } from "../../../generated/events.ts";
import type { ResponseBodies } from "../../../generated/operations.ts";
import type { ClaimId } from "../../../generated/requirements.ts";
import type { components } from "../../../generated/types.ts";
import type { Finding } from "../finding.ts";
import type { Networks } from "../networks.ts";
import * as conv from "./conv.ts";
import * as mat from "./mat.ts";
import * as msg from "./msg.ts";
import * as page from "./page.ts";
import {
  type BodyRules,
  FindingCollector,
  NOTHING,
  type OnDecided,
  type Rules,
  rulesOf,
} from "./rule.ts";
import * as short from "./short-groups.ts";
import * as txn from "./txn.ts";

type Schemas = components["schemas"];

/** Adds the rules of the items in a list of `_embedded`. */
function embedding<Body>(
  key: string,
  rules: BodyRules<never>,
  ...own: readonly Rules<Body>[]
): BodyRules<Body> {
  return { ...rulesOf(...own), embedded: { key, path: `/_embedded/${key}`, rules } };
}

const resource = rulesOf(conv.resourceRules);
const projected = rulesOf<Schemas["ProjectedTransactionMessage"]>(
  msg.messageRules,
  conv.resourceRules,
);
const transaction = embedding<Schemas["Transaction"]>(
  "messages",
  projected,
  txn.transactionRules,
  conv.resourceRules,
  conv.transactionLinkRules,
);
const message = rulesOf<Schemas["TransactionMessage"]>(
  msg.standaloneRules,
  msg.messageRules,
  conv.resourceRules,
);
const subscription = rulesOf<Schemas["CardSubscription"]>(
  short.subscriptionRules,
  conv.subscriptionLinkRules,
  conv.resourceRules,
);
const bankTransaction = rulesOf<Schemas["BankTransaction"]>(
  short.bankTransactionRules,
  conv.resourceRules,
);
const listedMatch = rulesOf<Schemas["TransactionMatch"]>(mat.listedMatchRules, conv.resourceRules);

/** The rules of each event's body. Bank transactions and enrichments have no fields to compare. */
const eventRules: { readonly [Name in EventName]?: BodyRules<EventPayloads[Name]> } = {
  "transaction.created": transaction,
  "transaction.updated": transaction,
  "transactionmessage.created": message,
  "cardsubscription.created": subscription,
  "cardsubscription.updated": subscription,
  "networkbulkfeed.statechanged": rulesOf(short.feedRules, conv.resourceRules),
  "banklink.completed": rulesOf(short.bankLinkRules),
  "bankaccount.state_changed": rulesOf(short.bankAccountRules),
  "banktransaction.deleted": rulesOf(short.bankTransactionDeletedRules),
  "transaction.match.created": rulesOf(mat.matchRules),
  "transaction.match.deleted": rulesOf(mat.matchDeletedRules),
};

/** The rules of each operation's body with status 200. */
const responseRules: {
  readonly [Key in keyof ResponseBodies]: BodyRules<ResponseBodies[Key][200]>;
} = {
  "POST /auth/realms/{account_id}/protocol/openid-connect/token": rulesOf(short.tokenRules),
  "GET /subaccounts": embedding("subaccounts", resource, page.cursorPageRules),
  "GET /subaccounts/{id}": resource,
  "GET /cards": embedding("cards", resource),
  "GET /cards/{id}": resource,
  "GET /card-subscriptions/{id}": subscription,
  "GET /network-bulk-feeds/{id}": resource,
  "GET /transactions": embedding("transactions", transaction, page.eitherStylePageRules),
  "GET /transactions/{transactionId}": transaction,
  "GET /transaction-messages/{id}": message,
  "GET /bank-links": embedding("bankLinks", resource, page.eitherStylePageRules),
  "GET /bank-accounts": embedding("bankAccounts", resource, page.eitherStylePageRules),
  "GET /bank-accounts/{id}": resource,
  "GET /bank-transactions": embedding(
    "bankTransactions",
    bankTransaction,
    page.eitherStylePageRules,
  ),
  "GET /bank-transactions/{subaccountId}/{id}": bankTransaction,
  "GET /transaction-matches": embedding(
    "transactionMatches",
    listedMatch,
    page.eitherStylePageRules,
  ),
  "GET /transaction-matches/{subaccountId}/{matchId}": listedMatch,
};

/** The claims that have a rule, by the path of the bodies that they check; `*` is any index. */
export type RuledClaims = ReadonlyMap<string, ReadonlySet<ClaimId>>;

/** The claims that have a rule for the body of an event or of an operation's response. */
export function ruledClaimsOf(name: EventName | keyof ResponseBodies): RuledClaims {
  const found = new Map<string, Set<ClaimId>>();
  let rules: BodyRules<never> | undefined =
    name in responseRules
      ? responseRules[name as keyof ResponseBodies]
      : eventRules[name as EventName];
  for (let path = ""; rules; rules = rules.embedded?.rules) {
    found.set(path, new Set(rules.own.map(({ claim }) => claim)));
    path += `${rules.embedded?.path}/*`;
  }
  return found;
}

/**
 * Applies every rule to an event's body, whose shape is valid.
 *
 * @returns The findings; always the same empty list if there are none.
 */
export function applyEventRules(
  name: EventName,
  body: unknown,
  networks: Networks,
  onDecided?: OnDecided,
): readonly Finding[] {
  return apply(name, eventRules[name], body, networks, onDecided);
}

/** Applies every rule to the body of an operation's 200 response, whose shape is valid. */
export function applyResponseRules(
  operation: keyof ResponseBodies,
  body: unknown,
  networks: Networks,
  onDecided?: OnDecided,
): readonly Finding[] {
  return apply(operation, responseRules[operation], body, networks, onDecided);
}

function apply(
  subject: string,
  rules: BodyRules<never> | undefined,
  body: unknown,
  networks: Networks,
  onDecided: OnDecided | undefined,
): readonly Finding[] {
  if (!rules) return NOTHING;
  const collector = new FindingCollector(subject, networks, onDecided);
  collector.apply(rules as BodyRules<unknown>, body);
  return collector.findings;
}

import type { ComponentChildren } from "preact";
import type { Kind } from "../../../world/resources.ts";
import type { VerbName } from "../../../world/verbs/names.ts";
import type { Shown } from "./api.ts";
import { amountOf, Badge, Id, Moment, money } from "./format.tsx";
import { bankAccountName, cardName, otherAccount, subscriptionOf } from "./names.ts";
import type { Head } from "./rows.tsx";

type Transaction = Shown<"transactions">["body"];
type Match = Shown<"transaction-matches">["body"];

/** How the page shows a kind of resource that has a tab. */
interface KindView<K extends Kind> {
  readonly title: string;
  /** The kind whose state diagram it has. Default: the same kind. */
  readonly diagram?: Kind;
  /** The verbs that create one. */
  readonly creators: readonly VerbName[];
  /** What would be in an empty list. */
  readonly empty: string;
  /** The time by which the rows are sorted. Default: the order of creation. */
  readonly timeOf?: (shown: Shown<K>) => string;
  readonly stateOf: (shown: Shown<K>) => string;
  readonly ids: (shown: Shown<K>) => Readonly<Record<string, string | null | undefined>>;
  readonly terms?: (shown: Shown<K>) => Readonly<Record<string, ComponentChildren>>;
  /** What an open row shows below its ids and terms. */
  readonly more?: (shown: Shown<K>) => ComponentChildren;
  /** The ids by which verbs name it. */
  readonly params: (shown: Shown<K>) => Readonly<Record<string, string>>;
}

/** The kinds that have a tab. */
export type TabKind = Exclude<Kind, "subaccounts" | "card-subscriptions" | "transaction-messages">;

const HEADS: { readonly [K in Kind]: (shown: Shown<K>) => Head } = {
  transactions: ({ body, hidden }) => ({
    name: body.descriptor || "no descriptor",
    amount: amountOf(body),
    badges: [body.status, hidden.declined && "declined", hidden.netted && "netted"],
    facts: [cardName(body.cardId) ?? "no card", body.network, body.createdAt.slice(0, 10)],
  }),
  cards: (card) => {
    const { state = "", enrollmentType, bankAccountId } = subscriptionOf(card) ?? {};
    const account = bankAccountName(bankAccountId) ?? "no bank account";
    return {
      name: `••${card.hidden.last4}`,
      badges: [state],
      facts: [enrollmentType, card.hidden.network, account],
    };
  },
  "bank-links": ({ hidden }) => ({
    name: hidden.provider,
    badges: [hidden.state],
    facts: [hidden.accounts.map(({ name, mask }) => `${name} ••${mask}`).join(", ")],
  }),
  "bank-accounts": ({ hidden }) => ({
    name: `${hidden.name} ••${hidden.mask}`,
    badges: [hidden.state],
    facts: [
      ...[hidden.type, hidden.currency, hidden.cardIds.map(cardName).join(", ") || "no card"],
      hidden.unsynced.length > 0 && `${hidden.unsynced.length} not synced`,
    ],
  }),
  "bank-transactions": ({ body, hidden: { posting, deleted, matchId, standaloneId } }) => ({
    name: posting.merchantName ?? posting.description,
    amount: money(body.amount, posting.currency),
    badges: [
      deleted && "deleted",
      posting.pending && "pending",
      !deleted && matchId && "matched",
      !deleted && !matchId && standaloneId && "bank-only",
    ],
    facts: [posting.transactionType, bankAccountName(body.bankAccountId), posting.day],
  }),
  "transaction-matches": ({ body: { cardTransaction, score, matches }, hidden }) => ({
    name: cardTransaction?.descriptor || "no descriptor",
    amount: money(cardTransaction?.amount, cardTransaction?.currency),
    badges: [hidden.confidence],
    facts: [`score ${score}`, matches?.[0]?.description, matches?.[0]?.date],
  }),
  "network-bulk-feeds": ({ hidden: { networkReference, state, network, expectedCardCount } }) => ({
    name: networkReference,
    badges: [state],
    facts: [network, expectedCardCount !== null && `${expectedCardCount} cards expected`],
  }),
  subaccounts: ({ hidden }) => ({ name: hidden.name }),
  "card-subscriptions": ({ body }) => ({
    name: cardName(body.cardId) ?? "no card",
    badges: [body.state],
  }),
  "transaction-messages": ({ body }) => ({
    name: body.messageType,
    amount: money(body.transactionAmount, body.transactionCurrency),
  }),
};

/** How each tab shows its kind, in the order of the tabs. */
export const VIEWS: { readonly [K in TabKind]: KindView<K> } = {
  transactions: {
    title: "Transactions",
    creators: ["purchase", "switch-projection"],
    empty: "Purchases and bank-only movements appear here. The verb purchase makes one.",
    timeOf: ({ body }) => body.createdAt,
    stateOf: ({ body }) => body.status,
    terms: ({ body }) => ({
      hold: billed(body, body.transactionHoldAmount, body.cardholderBillingHoldAmount),
      settled: billed(body, body.transactionSettledAmount, body.cardholderBillingSettledAmount),
      created: <Moment at={body.createdAt} />,
    }),
    ids: ({ id }) => ({ transaction: id }),
    more: ({ body }) => <Messages {...body} />,
    params: ({ id }) => ({ transactionId: id }),
  },
  cards: {
    title: "Cards",
    diagram: "card-subscriptions",
    creators: ["enroll", "open-subaccount"],
    empty: "Enrolled cards appear here. The verb enroll makes one.",
    stateOf: (card) => subscriptionOf(card)?.state ?? "",
    ids: (card) => ({
      card: card.id,
      subscription: card.hidden.subscriptionId,
      "bank account": subscriptionOf(card)?.bankAccountId,
      "bulk feed": subscriptionOf(card)?.networkBulkFeedId,
    }),
    params: ({ id, hidden }) => ({ cardId: id, subscriptionId: hidden.subscriptionId }),
  },
  "bank-links": {
    title: "Links",
    creators: ["link-start"],
    empty: "Bank links appear here. The verb link-start makes one.",
    stateOf: ({ hidden }) => hidden.state,
    ids: ({ id }) => ({ link: id }),
    more: ({ id, hidden }) =>
      hidden.state === "started" && (
        <p>
          <a href={`link/${id}`} target="_blank" class="hosted" rel="noopener">
            Open the hosted page
          </a>
        </p>
      ),
    params: ({ id }) => ({ bankLinkId: id }),
  },
  "bank-accounts": {
    title: "Accounts",
    creators: ["link-complete"],
    empty: "Bank accounts appear here. The verb link-complete connects some.",
    stateOf: ({ hidden }) => hidden.state,
    ids: ({ id }) => ({ "bank account": id }),
    terms: ({ hidden }) => ({ provider: hidden.provider }),
    params: ({ id }) => ({ bankAccountId: id }),
  },
  "bank-transactions": {
    title: "Postings",
    creators: ["bank-post"],
    empty: "Bank transactions appear here. The verb bank-post makes one.",
    timeOf: ({ hidden }) => hidden.posting.day,
    stateOf: ({ hidden }) => (hidden.deleted ? "deleted" : "synced"),
    ids: ({ id }) => ({ "bank transaction": id }),
    terms: ({ hidden: { posting } }) => ({
      description: posting.description,
      category: posting.category.join(", "),
    }),
    params: ({ id }) => ({ bankTransactionId: id }),
  },
  "transaction-matches": {
    title: "Matches",
    creators: ["rematch"],
    empty: "Matches of purchases and bank transactions appear here. The verb bank-post makes one.",
    timeOf: ({ body }) => body.matches?.[0]?.date ?? "",
    stateOf: () => "announced",
    ids: ({ id, body }) => ({
      match: id,
      transaction: body.cardTransaction?.id,
      "bank transaction": body.matches?.[0]?.id,
    }),
    more: ({ body }) => <Reasons reasons={body.reasons ?? []} />,
    // No verb takes the id of a match.
    params: ({ body }) => ({ bankTransactionId: body.matches?.[0]?.id ?? "" }),
  },
  "network-bulk-feeds": {
    title: "Feeds",
    creators: ["feed-submit"],
    empty: "Bulk feeds appear here. The verb feed-submit makes one.",
    stateOf: ({ hidden }) => hidden.state,
    ids: ({ id }) => ({ feed: id }),
    params: ({ id }) => ({ feedId: id }),
  },
};

/** The row of a resource. */
export function headOf<K extends Kind>(kind: K, shown: Shown<K>): Head {
  const { facts = [], ...head } = HEADS[kind](shown);
  return { ...head, facts: [...facts, otherAccount(shown.accountId)] };
}

/** A readable label of any resource, for a picker. */
export function labelOf<K extends Kind>(kind: K, shown: Shown<K>): string {
  const { name, amount, badges = [] } = HEADS[kind](shown);
  const label = [name, amount, badges.find(Boolean)].filter(Boolean).join(", ");
  const other = otherAccount(shown.accountId);
  return other ? `${label} (${other})` : label;
}

/** An amount, with that of the billing if its currency differs. */
function billed(transaction: Transaction, amount: number, billedAmount: number): string {
  const { transactionCurrency, cardholderBillingCurrency } = transaction;
  const sum = money(amount, transactionCurrency);
  if (transactionCurrency === cardholderBillingCurrency) return sum;
  return `${sum} (${money(billedAmount, cardholderBillingCurrency)})`;
}

/** The messages of a transaction. TXN-10: without a projection, only their ids are known. */
function Messages({ _embedded, _links, supersededMessageIds }: Transaction) {
  const ids = _links.messages.map(({ href }) => href.slice(href.lastIndexOf("/") + 1));
  return (
    <ul class="messages" aria-label="Messages">
      {_embedded?.messages?.map(({ id, superseded, ...message }) => (
        <Message key={id} isSuperseded={superseded}>
          <span>{message.messageType}</span>
          <span>{message.bankData?.provider ?? message.network}</span>
          <span>{message.result}</span>
          <span class="amount">
            {money(message.transactionAmount, message.transactionCurrency)}
          </span>
        </Message>
      )) ??
        ids.map((id) => (
          <Message key={id} isSuperseded={supersededMessageIds.includes(id)}>
            <Id id={id} />
          </Message>
        ))}
    </ul>
  );
}

function Message(props: { isSuperseded: boolean; children: ComponentChildren }) {
  const Parts = props.isSuperseded ? "del" : "span";
  return (
    <li class="row">
      <Parts class="parts row">{props.children}</Parts>
      {props.isSuperseded && <Badge state="superseded" />}
    </li>
  );
}

function Reasons({ reasons }: { reasons: NonNullable<Match["reasons"]> }) {
  return (
    <ul class="reasons" aria-label="Reasons">
      {reasons.map(({ type, score, message }) => (
        <li key={type}>
          <span>{type}</span>
          <span class="amount">{score}</span>
          <span>{message}</span>
        </li>
      ))}
    </ul>
  );
}

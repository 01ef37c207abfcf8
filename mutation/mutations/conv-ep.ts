import * as is from "../bugs.ts";
import { bug, field } from "../bugs.ts";
import { event } from "../events.ts";
import { type HttpHook, type Mutation, type MutationRun, parseJson } from "../mutation.ts";
import { LISTS, linkedFromCards, on, status } from "../requests.ts";
import {
  itemsOf,
  type Json,
  mutationState,
  OTHER_ID,
  resource,
  resourcesOf,
  response,
  responses,
} from "../rewrite.ts";
import { announcement, message as anyMessage, shown, transaction } from "../transactions.ts";

const message = resource("transaction-messages");
const subscription = resource("card-subscriptions");
const match = resource("transaction-matches");
const posting = resource("bank-transactions");
const removed = event("banktransaction.deleted");
const feed = event("networkbulkfeed.statechanged");
const connection = event("bankaccount.state_changed");

const TIMES = ["/createdAt", "/updatedAt"];
const DATES = ["/effectiveDate", "/expirationDate"];
const SETTLED = "/cardholderBillingSettledAmount";
const offset = is.respelled("Z", "+00:00");
const serial = is.changed((id) => Number.parseInt(id.slice(0, 8), 16));
const withoutDashes = is.changed((id) => id.replaceAll("-", ""));
const reversed = is.changed((id) => id.split("").reverse().join(""));
const seconds = is.changed((time) => time.replace(/\.\d{3}Z$/, "Z"));
const US = "$2/$3/$1";
const ofLocale = is.changed((date) => date.replace(/(.+)-(.+)-(.+)/, US));
const shortened = is.changed((all) => all.slice(0, -1));
const hrefOnly = is.changed((link) => link.href, "is a string instead of an object");
const hour24 = is.changed((text) => text.replace(/T\d\d/, "T24"), "has hour 24");
const epoch = is.changed(Date.parse, "is a number of milliseconds since 1970");

/** Changes every link of a body. */
function relink(body: Json, change: (href: string) => string): void {
  if (typeof body !== "object" || body === null) return;
  for (const [name, value] of Object.entries<Json>(body)) {
    if (name === "href" && typeof value === "string") body[name] = change(value);
    else relink(value, change);
  }
}

/** Mutations of conventions: identifiers, times, amounts and links. */
export const conv: readonly Mutation[] = [
  bug("conv/numeric-account-id", "CONV-01.uuid")
    .is("accountId is a serial number from a legacy database")
    .by(serial(message, "/accountId")),
  bug("conv/prefixed-subaccount-id", "CONV-01.uuid")
    .is("Ids have a prefix for their type")
    .by(transaction.set("/subaccountId", (id) => `sub_${id.replaceAll("-", "")}`)),
  bug("conv/ids-without-dashes", "CONV-01.uuid")
    .is("Ids are stored and returned without dashes")
    .by(withoutDashes(match, ["/matchId", "/id"])),
  bug("conv/date-of-locale", "CONV-03.form")
    .is("A date is formatted for a locale")
    .by(ofLocale(match, "/cardTransaction/date")),
  bug("conv/offset-for-z", "CONV-02.form")
    .is("The date library writes +00:00")
    .by(offset(transaction, TIMES)),
  bug("conv/no-milliseconds", "CONV-02.form")
    .is("Milliseconds are omitted if they are 0")
    .by(seconds(subscription, DATES)),
  field("conv/microseconds", "CONV-02.form", removed, "/deletedAt", is.respelled("Z", "000Z")),
  field("conv/epoch", "CONV-02.form", feed, "/updatedAt", epoch),
  field("conv/hour-24", "CONV-02.exists", feed, "/updatedAt", hour24),
  field("conv/local-timestamp", "CONV-02.form", connection, "/expiresAt", is.respelled("Z", "")),
  field("conv/date-as-timestamp", "CONV-03.form", posting, "/date", is.suffixed("T00:00:00.000Z")),
  field("conv/amounts-as-text", "CONV-04.number", anyMessage, "/transactionAmount", is.decimals),
  bug("conv/settled-as-text", "CONV-04.number")
    .is("The sum of decimals is a string, although each amount is a number")
    .by(is.decimals(transaction, SETTLED)),
  bug("conv/amount-as-object", "CONV-04.number").is(
    "An amount is an object with value and currency",
    event("banktransaction.created").set("/amount", (value, { currency }) => ({ value, currency })),
  ),
  bug("conv/absolute-links", "CONV-05.relative")
    .is("The framework's link builder creates absolute URLs")
    .by(shown, (body) => relink(body, (href) => `https://api.example.com${href}`)),
  bug("conv/localhost-links", "CONV-05.relative")
    .is("A worker without a configured host builds links with localhost")
    .by(announcement, (body) => relink(body, (href) => `http://localhost:8080${href}`)),
  field("conv/links-as-text", "CONV-05.object", subscription, "/_links/self", hrefOnly),
  bug("conv/links-without-slash", "CONV-05.relative").is(
    "Links have no leading slash",
    event("transactionmessage.created").change((body) => relink(body, (href) => href.slice(1))),
  ),
  field("conv/no-hal", "CONV-06.links", responses("cards"), "/_links", is.named("links")),
  bug("conv/plain-collection", "CONV-06.links")
    .is("A collection is a bare array")
    .by(response("/bank-links"), itemsOf),
  bug("conv/self-of-first", "CONV-07.self-id").is(
    "Links are built once outside the loop: every item has those of the first",
    response("/bank-accounts").set("/_embedded/bankAccounts/*/_links", (_, json) => {
      return itemsOf(json)[0]._links;
    }),
  ),
  bug("conv/card-link-of-subscription", "CONV-08.card")
    .is("The card link has the subscription's id")
    .by(subscription.set("/_links/card/href", (_, { id }) => `/cards/${id}`)),
  bug("conv/subaccount-link-of-account", "CONV-08.subaccount").is(
    "Copy and paste: the subaccount link has the card's id",
    transaction
      .when(({ cardId }) => cardId !== null)
      .set("/_links/subaccount/href", (_, { cardId }) => `/subaccounts/${cardId}`),
  ),
  bug("conv/gateway-prefix", "CONV-09.response-links", "CONV-09.delivery-links")
    .is("Links have the service's internal path behind the gateway")
    .by(transaction.set("/_links/subaccount/href", (href) => `/internal/v1${href}`)),
  bug("conv/dangling-bank-links", "CONV-09.response-links")
    .is("A self link points to a missing route")
    .by(status("GET /bank-links/{}", 404)),
  field("conv/card-links-as-text", "CONV-05.relative", responses("cards"), "/_links/*", hrefOnly),
  bug("conv/html-content-type", "CONV-06.json")
    .is("One endpoint has the framework's default content type")
    .by("GET /subaccounts/{}", async ({ forward }) => {
      const answer = await forward();
      return { ...answer, headers: { ...answer.headers, "content-type": "text/html" } };
    }),
  bug("conv/messages-outside", "CONV-06.embedded")
    .is("A transaction has its messages beside _embedded")
    .by(shown, (body) => {
      body.messages = body._embedded.messages;
      delete body._embedded;
    }),
  bug("conv/self-returns-latest", "EP-04.returns")
    .is("The query of a single transaction ignores the id")
    .by("GET /transactions/{}", async ({ forward }) => {
      const { body } = await forward({ target: "/transactions?limit=1" });
      const [first] = parseJson(body)?._embedded?.transactions ?? [];
      return await forward(first && { target: `/transactions/${first.id}` });
    }),
  bug("conv/self-of-collection", "CONV-07.self-id")
    .is("The self link lacks its id")
    .by(message.set("/_links/self/href", "/transaction-messages/")),
];

const EVENT_LINKED = ["card-subscriptions", "network-bulk-feeds"] as const;

/** The paths of single resources. */
const RESOURCES = [
  ...["/transactions/{}", "/transaction-messages/{}", "/bank-transactions/{}/{}"],
  ...["/transaction-matches/{}/{}", "/cards/{}", "/subaccounts/{}", "/bank-accounts/{}"],
  ...EVENT_LINKED.map((kind) => `/${kind}/{}`),
];

const completed = event("banklink.completed");
const PATCH = "PATCH /bank-links/{}";

/** Leaves resources out of a list. */
const unlisted = (
  kind: "bank-links" | "bank-accounts" | "transactions",
  idsOf: (run: MutationRun) => Promise<readonly string[]>,
) =>
  response(`/${kind}`).change(async (json, run) => {
    const hidden = new Set(await idsOf(run));
    const [name = ""] = Object.keys(json._embedded);
    json._embedded[name] = itemsOf(json).filter(({ id }) => !hidden.has(id));
  });

/** Leaves resources out of a list that were created after the first request for it. */
const unlistedIfNew = (kind: "bank-accounts" | "transactions") =>
  unlisted(kind, async (run) => {
    const ids = (await resourcesOf(run, kind)).map(({ id }) => id);
    const known = mutationState(run, "known", () => new Set(ids));
    return ids.filter((id) => !known.has(id));
  });

/** The ids of the account's bank links that are complete or not, the latest first. */
async function linksThat({ sandbox }: MutationRun, areComplete: boolean): Promise<string[]> {
  const [{ accountId }] = sandbox.accounts;
  const links = await sandbox.resources("bank-links", { accountId, limit: 10_000 });
  return links
    .filter(({ hidden }) => ((hidden as Json).state === "completed") === areComplete)
    .map(({ id }) => id);
}

/** Notes which links were patched, in this order. */
const noted: HttpHook = async ({ path, forward }, { memory }) => {
  const id = path.split("/")[2];
  if (!memory.has(id)) memory.set(id, memory.size);
  return await forward();
};

/** Mutations of endpoints: lists, single resources, and how they compare with events. */
export const ep: readonly Mutation[] = [
  bug("ep/subaccounts-singular", "EP-01.items")
    .is("The list has a singular name")
    .by(response("/subaccounts").rename("/_embedded/subaccounts", "subaccount")),
  bug("ep/subaccounts-by-offset", "EP-01.cursor-style")
    .is("One paginator for all: subaccounts use offset style")
    .by(response("/subaccounts"), (json) => {
      json.totalItems = itemsOf(json).length;
      json._links.first = { href: "/subaccounts?offset=0" };
      json._links.last = { href: "/subaccounts?offset=0" };
    }),
  bug("ep/cards-nested", "EP-02.items")
    .is("Each item of the list is a card in an envelope")
    .by(response("/cards").set("/_embedded/cards/*", (card) => ({ card }))),
  bug("ep/cards-by-cursor", "EP-02.offset-style")
    .is("One paginator for all: cards have no totalItems, first, last or prev")
    .by(response("/cards").drop("/_links/first", "/_links/last", "/_links/prev", "/totalItems")),
  bug("ep/cards-total-in-page", "EP-02.offset-style")
    .is("The total is in a page object, the framework's default")
    .by(response("/cards"), (json) => {
      json.page = { totalElements: json.totalItems };
      delete json.totalItems;
    }),
  bug("ep/transactions-abridged", "EP-03.items").is(
    "The list contains only a summary of each transaction",
    response("/transactions").each("/_embedded/transactions/*", (one) => {
      for (const name of ["acceptor", "supersededMessageIds", "_embedded"]) delete one[name];
    }),
  ),
  bug("ep/transaction-wrapped", "EP-04.returns", "EP-04.superseded-ids")
    .is("A single resource is wrapped in a data envelope")
    .by(response("/transactions/{}"), (json) => ({ data: json })),
  bug("ep/transaction-without-superseded", "EP-04.superseded-ids")
    .is("supersededMessageIds was added to the list and events only")
    .by(response("/transactions/{}").drop("/supersededMessageIds")),
  bug("ep/transaction-without-messages", "TXN-07.links-all")
    .is("Only the list links to messages")
    .by(response("/transactions/{}").drop("/_links/messages")),
  bug("ep/message-wrapped", "EP-05.returns")
    .is("A single message is returned as a page of search results")
    .by(response("/transaction-messages/{}"), (json) => {
      return { _links: json._links, _embedded: { transactionMessages: [json] } };
    }),
  bug("ep/authorizations-not-found", "EP-05.returns")
    .is("The endpoint reads from a table that contains only settlement messages")
    .by(status("GET /transaction-messages/{}", 404, ({ body }) => body.includes('"AUTH_REQU"'))),
  bug("ep/bank-links-snake", "PAGE-10.key")
    .is("The name of the list of bank links is in snake case")
    .by(response("/bank-links").rename("/_embedded/bankLinks", "bank_links")),
  bug("ep/bank-links-not-implemented", "EP-06.items")
    .is("The list is not implemented")
    .by(status("GET /bank-links", 501, ({ status: code }) => code === 200)),
  // GET returns the same response.
  bug("ep/patch-without-effect", "EP-07.triggers")
    .is("The PATCH is accepted but completes nothing")
    .by(on(PATCH, ({ forward }) => forward({ method: "GET", body: "" }))),
  bug("ep/patch-without-event", "EP-07.triggers")
    .is("Only the hosted flow sends the event, and PATCH bypasses it")
    .by({
      ...on(PATCH, noted),
      ...completed.silent(({ bankLinkId }, { memory }) => memory.has(bankLinkId)),
    }),
  bug("ep/patch-not-allowed", "EP-07.accepted")
    .is("The gateway allows only GET and POST")
    .by(status(PATCH, 405)),
  bug("ep/bank-accounts-without-id", "EP-08.items")
    .is("The id of an account is named bankAccountId, as in events")
    .by(response("/bank-accounts").rename("/_embedded/bankAccounts/*/id", "bankAccountId")),
  bug("ep/bank-accounts-object", "PAGE-10.key")
    .is("An array with one item becomes an object in an XML conversion")
    .by(response("/bank-accounts"), ({ _embedded, _links }) => {
      const all = _embedded.bankAccounts;
      if (all.length < 2 || _links.next) _embedded.bankAccounts = all[0] ?? null;
    }),
  bug("ep/bank-transactions-nested", "EP-09.items")
    .is("Each item of the list is a bank transaction in an envelope")
    .by(response("/bank-transactions").set("/_embedded/bankTransactions/*", (item) => ({ item }))),
  bug("ep/category-of-event", "EP-09.category-array", "EP-09.same-as-single").is(
    "The list uses the event's format: category is a string",
    response("/bank-transactions").set(
      "/_embedded/bankTransactions/*/category",
      (category) => category[0] ?? null,
    ),
  ),
  field(
    "ep/bank-transaction-without-id",
    "EP-10.returns",
    response("/bank-transactions/{}/{}"),
    "/id",
    is.named("bankTransactionId"),
  ),
  bug("ep/bank-transaction-other-id", "EP-10.returns", "EP-10.same-as-event")
    .is("The single resource has the provider's id")
    .by(reversed(response("/bank-transactions/{}/{}"), "/id")),
  bug("ep/bank-transaction-not-found", "EP-10.returns", "EP-10.same-as-event")
    .is("Only the list is implemented")
    .by(status("GET /bank-transactions/{}/{}", 404)),
  bug("ep/matches-match-id", "EP-11.items")
    .is("The list uses the event's format: matchId instead of id")
    .by(response("/transaction-matches").rename("/_embedded/transactionMatches/*/id", "matchId")),
  field(
    "ep/match-match-id",
    "EP-12.returns",
    response("/transaction-matches/{}/{}"),
    "/id",
    is.named("matchId"),
  ),
  bug("ep/match-without-last-reason", "EP-12.same-as-listed")
    .is("A loop over the reasons of a single match ends one too early")
    .by(shortened(response("/transaction-matches/{}/{}"), "/reasons")),
  bug("ep/match-of-bank-transaction", "EP-12.returns")
    .is("A match has the id of its bank transaction")
    .by(response("/transaction-matches/{}/{}").set("/id", (_, { matches }) => matches[0].id)),
  ...(["subaccounts", "bank-accounts", "cards", ...EVENT_LINKED] as const).map((kind) =>
    bug(`ep/${kind}-not-found`, `EP-13.${kind}`).is(
      `Links lead to /${kind}/{id}, which does not exist`,
      linkedFromCards(status(`GET /${kind}/{}`, 404)),
    ),
  ),
  ...(["card-subscriptions", "network-bulk-feeds"] as const).map((kind) =>
    bug(`ep/announced-${kind}-not-found`, `EP-13.${kind}`).is(
      `/${kind}/{id} does not exist, and only deliveries link to it`,
      status(`GET /${kind}/{}`, 404),
    ),
  ),
  bug("ep/lists-not-implemented", "EP-01.items").is(
    "The gateway has routes for single resources only",
    status(
      LISTS.map((path) => `GET ${path}`),
      501,
    ),
  ),
  bug(
    "ep/row-ids",
    "EP-13.cards",
    "EP-13.subaccounts",
    "EP-13.bank-accounts",
    "EP-13.card-subscriptions",
    "EP-13.network-bulk-feeds",
  )
    .is("A single resource has the id of its database row")
    .by(linkedFromCards(response(...RESOURCES).set("/id", OTHER_ID))),
  bug("ep/unknown-id-is-latest", "EP-13.no-other").is(
    "A request for an unknown id returns the latest resource",
    linkedFromCards(
      on(
        RESOURCES.map((path) => `GET ${path}`),
        async ({ path, forward }, { sandbox }) => {
          const answer = await forward();
          if (answer.status !== 404) return answer;
          const kind = path.split("/")[1] as (typeof EVENT_LINKED)[number];
          const [{ accountId }] = sandbox.accounts;
          const [latest] = await sandbox.resources(kind, { accountId, limit: 1 });
          const { href } = (latest?.body as Json)?._links?.self ?? {};
          return href === undefined ? answer : await forward({ target: href });
        },
      ),
    ),
  ),
  bug("ep/resource-of-old-version", "EP-13.same-as-listed").is(
    "Single resources are served by an old version, whose links differ",
    responses("subaccounts", "cards", "transactions", "bank-accounts")
      .when((_, { path }) => !LISTS.includes(path ?? ""))
      .set("/_links/*/href", (href) => `/v1${href}`),
  ),
  bug("ep/transaction-not-found", "EP-04.returns", "EP-04.same-as-event")
    .is("Only the list of transactions is implemented")
    .by(status("GET /transactions/{}", 404)),
  bug("ep/match-not-found", "EP-12.returns")
    .is("Only the list of matches is implemented")
    .by(status("GET /transaction-matches/{}/{}", 404)),
  bug("ep/new-transactions-not-listed", "EP-03.lists-new")
    .is("The list is served from a snapshot that is made at night")
    .by(unlistedIfNew("transactions")),
  bug("ep/incomplete-links-not-listed", "EP-06.lists-started")
    .is("Only completed bank links are listed")
    .by(unlisted("bank-links", (run) => linksThat(run, false))),
  bug("ep/completed-links-not-listed", "EP-06.lists-started")
    .is("A completed bank link leaves the list, like a finished task")
    .by(unlisted("bank-links", (run) => linksThat(run, true))),
  bug("ep/patch-of-latest", "EP-07.triggers", "EP-07.only-that-link")
    .is("PATCH completes the link that was started last, whatever its id")
    .by(PATCH, async ({ forward }, run) => {
      const [latest] = await linksThat(run, false);
      return await forward(latest === undefined ? {} : { target: `/bank-links/${latest}` });
    }),
  bug("ep/patch-of-all", "EP-07.only-that-link")
    .is("PATCH completes every link of the cardholder")
    .by({
      ...on(PATCH, noted),
      ...completed.handle(async ({ bankLinkId }, { send, ...run }) => {
        await send();
        const others = run.memory.has(bankLinkId) ? await linksThat(run, false) : [];
        for (const id of others) await send({ bankLinkId: id, bankAccounts: [] });
      }),
    }),
  bug("ep/second-patch-without-event", "EP-07.triggers")
    .is("Only the first PATCH announces a completion: the handler keeps its transaction")
    .by({
      ...on(PATCH, noted),
      ...completed.silent(({ bankLinkId }, { memory }) => memory.get(bankLinkId) > 0),
    }),
  bug("ep/new-accounts-not-listed", "EP-08.lists-new")
    .is("A new bank account is listed after its first sync, the next day")
    .by(unlistedIfNew("bank-accounts")),
  bug("ep/lost-accounts-not-listed", "EP-08.lists-new").is(
    "Only bank accounts with a connection are listed",
    unlisted("bank-accounts", async (run) => {
      const all = await resourcesOf(run, "bank-accounts");
      return all.filter(({ hidden }) => hidden.state === "disconnected").map(({ id }) => id);
    }),
  ),
  bug("ep/date-of-value", "EP-09.same-as-event")
    .is("The REST resource has the value date, and the event the booking date")
    .by(responses("bank-transactions").set("/date", (date) => `2019${date.slice(4)}`)),
  bug("ep/score-of-list", "EP-11.same-as-event").is(
    "The list has the score of the first pass",
    response("/transaction-matches").set("/_embedded/transactionMatches/*/score", (score) => {
      return typeof score === "number" ? score / 2 : score;
    }),
  ),
  bug("ep/subscription-dates-of-card", "EP-13.same-as-event")
    .is("GET of a subscription has the expiration date of its card")
    .by(responses("card-subscriptions").set("/expirationDate", "2031-01-31T00:00:00.000Z")),
];

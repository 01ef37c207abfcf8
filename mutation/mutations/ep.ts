import type { Mutation } from "../mutation.ts";
import {
  changeEvents,
  changeResponseAt,
  changeResponses,
  dropEvents,
  nameIn,
  onPath,
  problemResponse,
  rename,
} from "../rewrite.ts";

const notFound = async () => problemResponse(404, "Not found");

export const ep: readonly Mutation[] = [
  {
    id: "ep/subaccounts-singular",
    requirement: "EP-01",
    description: "The list has a singular name",
    checks: ["EP-01: _embedded.subaccounts[] contains subaccounts, in cursor style"],
    http: changeResponseAt("/subaccounts", (json) =>
      rename(json._embedded, "subaccounts", "subaccount"),
    ),
  },
  {
    id: "ep/subaccounts-by-offset",
    requirement: "EP-01",
    description: "One paginator for all: subaccounts use offset style",
    checks: ["EP-01: _embedded.subaccounts[] contains subaccounts, in cursor style"],
    http: changeResponseAt("/subaccounts", (json) => {
      json.totalItems = json._embedded.subaccounts.length;
      json._links.first = { href: "/subaccounts?offset=0" };
      json._links.last = { href: "/subaccounts?offset=0" };
    }),
  },
  {
    id: "ep/cards-by-cursor",
    requirement: "EP-02",
    description: "One paginator for all: cards have no totalItems, first, last or prev",
    checks: ["EP-02: _embedded.cards[] contains cards, in offset style with totalItems"],
    http: changeResponseAt("/cards", (json) => {
      for (const name of ["first", "last", "prev"]) delete json._links[name];
      delete json.totalItems;
    }),
  },
  {
    id: "ep/cards-total-in-page",
    requirement: "EP-02",
    description: "The total is in a page object, the framework's default",
    checks: ["EP-02: _embedded.cards[] contains cards, in offset style with totalItems"],
    http: changeResponseAt("/cards", (json) => {
      json.page = { totalElements: json.totalItems };
      delete json.totalItems;
    }),
  },
  {
    id: "ep/transactions-abridged",
    requirement: "EP-03",
    description: "The list contains only a summary of each transaction",
    checks: ["EP-03: _embedded.transactions[] contains transactions with all fields"],
    http: changeResponseAt("/transactions", (json) => {
      for (const one of json._embedded.transactions) {
        for (const name of ["acceptor", "supersededMessageIds", "_embedded"]) delete one[name];
      }
    }),
  },
  {
    id: "ep/transaction-wrapped",
    requirement: "EP-04",
    description: "A single resource is wrapped in a data envelope",
    checks: [
      "EP-04: GET /transactions/{transactionId} returns the same id",
      "EP-04: GET of a transaction has supersededMessageIds",
    ],
    http: changeResponseAt("/transactions/{}", (json) => ({ data: json })),
  },
  {
    id: "ep/transaction-without-superseded",
    requirement: "EP-04",
    description: "supersededMessageIds was added to the list and events only",
    checks: ["EP-04: GET of a transaction has supersededMessageIds"],
    http: changeResponseAt("/transactions/{}", (json) => {
      delete json.supersededMessageIds;
    }),
  },
  {
    id: "ep/message-wrapped",
    requirement: "EP-05",
    description: "A single message is returned as a page of search results",
    checks: ["EP-05: GET /transaction-messages/{id} returns the same id"],
    http: changeResponseAt("/transaction-messages/{}", (json) => ({
      _links: json._links,
      _embedded: { transactionMessages: [json] },
    })),
  },
  {
    id: "ep/authorizations-not-found",
    requirement: "EP-05",
    description: "The endpoint reads from a table that contains only settlement messages",
    checks: ["EP-05: GET /transaction-messages/{id} returns 200"],
    http: onPath("/transaction-messages/{}", async ({ forward }) => {
      const response = await forward();
      return response.body.includes('"AUTH_REQU"') ? await notFound() : response;
    }),
  },
  {
    id: "ep/bank-links-snake",
    requirement: "PAGE-10",
    description: "The name of the list of bank links is in snake case",
    checks: [
      "PAGE-10: items are in _embedded under the resource's plural name",
      "EP-06: _embedded.bankLinks[] contains bank links",
    ],
    http: changeResponseAt("/bank-links", (json) =>
      rename(json._embedded, "bankLinks", "bank_links"),
    ),
  },
  {
    id: "ep/bank-links-not-implemented",
    requirement: "EP-06",
    description: "The list is not implemented",
    checks: ["EP-06: GET /bank-links returns 200"],
    http: onPath("/bank-links", async ({ forward }) => {
      const response = await forward();
      return response.status === 200 ? problemResponse(501, "Not implemented") : response;
    }),
  },
  {
    id: "ep/patch-without-effect",
    requirement: "EP-07",
    description: "The PATCH is accepted but completes nothing",
    checks: ["EP-07: PATCH of a bank link triggers its banklink.completed"],
    http: onPath(
      "/bank-links/{}",
      // GET returns the same response.
      ({ forward }) => forward({ method: "GET", body: "" }),
      "PATCH",
    ),
  },
  {
    id: "ep/patch-without-event",
    requirement: "EP-07",
    description: "Only the hosted flow sends the event, and PATCH bypasses it",
    checks: ["EP-07: PATCH of a bank link triggers its banklink.completed"],
    http: onPath(
      "/bank-links/{}",
      async ({ path, forward }, { memory }) => {
        memory.set(path.split("/")[2] ?? "", "patched");
        return await forward();
      },
      "PATCH",
    ),
    deliveries: dropEvents("banklink.completed", ({ bankLinkId }, { memory }) =>
      memory.has(bankLinkId),
    ),
  },
  {
    id: "ep/patch-not-allowed",
    requirement: "EP-07",
    description: "The gateway allows only GET and POST",
    checks: ["EP-07: PATCH of an incomplete bank link returns 2xx"],
    http: onPath("/bank-links/{}", async () => problemResponse(405, "Method not allowed"), "PATCH"),
  },
  {
    id: "ep/bank-accounts-without-id",
    requirement: "EP-08",
    description: "The id of an account is named bankAccountId, as in events",
    checks: ["EP-08: _embedded.bankAccounts[] contains bank accounts"],
    http: changeResponseAt("/bank-accounts", (json) => {
      for (const one of json._embedded.bankAccounts) rename(one, "id", "bankAccountId");
    }),
  },
  {
    id: "ep/bank-accounts-object",
    requirement: "EP-08",
    description: "An array with one item becomes an object in an XML conversion",
    checks: ["PAGE-10: items are in _embedded under the resource's plural name"],
    http: changeResponseAt("/bank-accounts", (json) => {
      const items = json._embedded.bankAccounts;
      if (items.length < 2 || json._links.next) json._embedded.bankAccounts = items[0] ?? null;
    }),
  },
  {
    id: "ep/category-of-event",
    requirement: "EP-09",
    description: "The list uses the event's format: category is a string",
    checks: [
      "EP-09: _embedded.bankTransactions[] contains items with a category array",
      "EP-09: each item of GET /bank-transactions equals the resource with its id",
      "BTX-03: every body",
      "EP-10: GET /bank-transactions/{subaccountId}/{id} equals its listing",
    ],
    http: changeResponseAt("/bank-transactions", (json) => {
      for (const one of json._embedded.bankTransactions) one.category = one.category[0] ?? null;
    }),
  },
  {
    id: "ep/bank-transaction-other-id",
    requirement: "EP-10",
    description: "The single resource has the provider's id",
    checks: [
      "EP-10: GET /bank-transactions/{subaccountId}/{id} returns the same id",
      "EP-10: GET of a bank transaction equals its event",
      "MAT-04: GET finds the bank transactions of a delivered match",
    ],
    http: changeResponses("bank-transactions", (body, { path }) => {
      if (path !== "/bank-transactions") body.id = body.id.split("").reverse().join("");
    }),
  },
  {
    id: "ep/bank-transaction-not-found",
    requirement: "EP-10",
    description: "Only the list is implemented",
    checks: [
      "EP-10: GET /bank-transactions/{subaccountId}/{id} returns 200",
      "EP-10: GET of a bank transaction equals its event",
    ],
    http: onPath("/bank-transactions/{}/{}", notFound),
  },
  {
    id: "ep/matches-match-id",
    requirement: "EP-11",
    description: "The list uses the event's format: matchId instead of id",
    checks: ["EP-11: _embedded.transactionMatches[] contains matches"],
    http: changeResponseAt("/transaction-matches", (json) => {
      for (const one of json._embedded[nameIn("transaction-matches")]) rename(one, "id", "matchId");
    }),
  },
  {
    id: "ep/match-match-id",
    requirement: "EP-12",
    description: "The single match has matchId instead of id",
    checks: [
      "EP-12: GET /transaction-matches/{subaccountId}/{matchId} returns the same id",
      "EP-12: GET of a match equals its event, with matchId as id",
      "EP-12: every body",
    ],
    http: changeResponseAt("/transaction-matches/{}/{}", (json) => rename(json, "id", "matchId")),
  },
  {
    id: "ep/match-of-bank-transaction",
    requirement: "EP-12",
    description: "A match has the id of its bank transaction",
    checks: [
      "EP-12: GET /transaction-matches/{subaccountId}/{matchId} returns the same id",
      "EP-12: GET of a match equals its event, with matchId as id",
    ],
    http: changeResponseAt("/transaction-matches/{}/{}", (json) => {
      json.id = json.matches[0].id;
    }),
  },
  {
    id: "ep/event-other-match-id",
    requirement: "EP-12",
    description: "The event has the id of a scoring run, which no endpoint knows",
    checks: ["EP-12: GET of a match equals its event, with matchId as id"],
    deliveries: changeEvents("transaction-matches", (body) => {
      const last = body.matchId.at(-1) === "0" ? "1" : "0";
      body.matchId = body.matchId.slice(0, -1) + last;
    }),
  },
];

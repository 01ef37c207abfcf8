import type { HttpHook, Mutation } from "../mutation.ts";
import { LISTS } from "../pages.ts";
import {
  changeResponseAt,
  changeResponses,
  type Json,
  linkFromCards,
  OTHER_ID,
  onPath,
  problemResponse,
  rename,
} from "../rewrite.ts";

const EVENT_LINKED = ["card-subscriptions", "network-bulk-feeds"] as const;

/** The paths of single resources. */
const RESOURCES = [
  ...["/transactions/{}", "/transaction-messages/{}", "/bank-transactions/{}/{}"],
  ...["/transaction-matches/{}/{}", "/cards/{}", "/subaccounts/{}", "/bank-accounts/{}"],
  ...EVENT_LINKED.map((kind) => `/${kind}/{}`),
];

const notFound: HttpHook = async () => problemResponse(404, "Not found");

/** Mutations of single resources, and of how they compare with their lists. */
export const epResources: readonly Mutation[] = [
  ...(["subaccounts", "bank-accounts", "cards", ...EVENT_LINKED] as const).map(
    (kind): Mutation => ({
      id: `ep/${kind}-not-found`,
      requirement: "EP-13",
      description: `Links lead to /${kind}/{id}, which does not exist`,
      checks: [
        `EP-13: GET /${kind}/{id} returns 200`,
        `EP-13: links in deliveries lead to /${kind}/{id}`,
      ],
      http: linkFromCards(onPath(`/${kind}/{}`, notFound)),
    }),
  ),
  {
    id: "ep/lists-not-implemented",
    requirement: "EP-01",
    description: "The gateway has routes for single resources only",
    checks: [
      "EP-01: GET /subaccounts returns 200",
      "EP-02: GET /cards returns 200",
      "EP-03: GET /transactions returns 200",
      "EP-06: GET /bank-links returns 200",
      "EP-08: GET /bank-accounts returns 200",
      "EP-09: GET /bank-transactions returns 200",
      "EP-11: GET /transaction-matches returns 200",
    ],
    http: onPath(LISTS, async () => problemResponse(501, "Not implemented")),
  },
  {
    id: "ep/row-ids",
    requirement: "EP-13",
    description: "A single resource has the id of its database row",
    checks: [
      "EP-04: GET /transactions/{transactionId} returns the same id",
      "EP-05: GET /transaction-messages/{id} returns the same id",
      "EP-10: GET /bank-transactions/{subaccountId}/{id} returns the same id",
      "EP-12: GET /transaction-matches/{subaccountId}/{matchId} returns the same id",
      "EP-13: GET /cards/{id} returns the same id",
      "EP-13: GET /subaccounts/{id} returns the same id",
      "EP-13: GET /bank-accounts/{id} returns the same id",
      "EP-13: GET /card-subscriptions/{id} returns the same id",
      "EP-13: GET /network-bulk-feeds/{id} returns the same id",
    ],
    http: linkFromCards(
      changeResponseAt(RESOURCES, (json) => {
        json.id = OTHER_ID;
      }),
    ),
  },
  {
    id: "ep/unknown-id-is-latest",
    requirement: "EP-13",
    description: "A request for an unknown id returns the latest resource",
    checks: [
      "EP-04: GET /transactions/{transactionId} finds no unknown id",
      "EP-05: GET /transaction-messages/{id} finds no unknown id",
      "EP-10: GET /bank-transactions/{subaccountId}/{id} finds no unknown id",
      "EP-12: GET /transaction-matches/{subaccountId}/{matchId} finds no unknown id",
      "EP-13: GET /cards/{id} finds no unknown id",
      "EP-13: GET /subaccounts/{id} finds no unknown id",
      "EP-13: GET /bank-accounts/{id} finds no unknown id",
      "EP-13: GET /card-subscriptions/{id} finds no unknown id",
      "EP-13: GET /network-bulk-feeds/{id} finds no unknown id",
    ],
    http: linkFromCards(
      onPath(RESOURCES, async ({ path, forward }, { sandbox }) => {
        const response = await forward();
        if (response.status !== 404) return response;
        const kind = path.split("/")[1] as (typeof EVENT_LINKED)[number];
        const [{ accountId }] = sandbox.accounts;
        const [latest] = await sandbox.resources(kind, { accountId, limit: 1 });
        const { href } = (latest?.body as Json)?._links?.self ?? {};
        return href === undefined ? response : await forward({ target: href });
      }),
    ),
  },
  {
    id: "ep/resource-of-old-version",
    requirement: "EP-13",
    description: "Single resources are served by an old version, whose links differ",
    checks: [
      "EP-01: each item of GET /subaccounts equals the resource with its id",
      "EP-02: each item of GET /cards equals the resource with its id",
      "EP-03: each item of GET /transactions equals the resource with its id",
      "EP-04: GET /transactions/{transactionId} equals its listing",
      "EP-08: each item of GET /bank-accounts equals the resource with its id",
      "EP-13: GET /subaccounts/{id} equals its listing",
      "EP-13: GET /cards/{id} equals its listing",
      "EP-13: GET /bank-accounts/{id} equals its listing",
    ],
    http: changeResponses(
      ["subaccounts", "cards", "transactions", "bank-accounts"],
      ({ _links }, { path }) => {
        if (LISTS.includes(path ?? "")) return;
        for (const link of Object.values<Json>(_links)) {
          if (link.href) link.href = `/v1${link.href}`;
        }
      },
    ),
  },
  {
    id: "ep/transaction-not-found",
    requirement: "EP-04",
    description: "Only the list of transactions is implemented",
    checks: [
      "EP-04: GET /transactions/{transactionId} returns 200",
      "EP-04: GET of a transaction equals its latest snapshot",
    ],
    http: onPath("/transactions/{}", notFound),
  },
  {
    id: "ep/match-not-found",
    requirement: "EP-12",
    description: "Only the list of matches is implemented",
    checks: ["EP-12: GET /transaction-matches/{subaccountId}/{matchId} returns 200"],
    http: onPath("/transaction-matches/{}/{}", notFound),
  },
  {
    id: "ep/match-without-last-reason",
    requirement: "EP-12",
    description: "A loop over the reasons of a single match ends one too early",
    checks: [
      "EP-11: each item of GET /transaction-matches equals the resource with its id",
      "EP-12: GET /transaction-matches/{subaccountId}/{matchId} equals its listing",
    ],
    http: changeResponseAt("/transaction-matches/{}/{}", ({ reasons }) => {
      reasons.pop();
    }),
  },
  {
    id: "ep/bank-transaction-without-id",
    requirement: "EP-10",
    description: "The single bank transaction has bankTransactionId instead of id",
    checks: [
      "EP-10: GET /bank-transactions/{subaccountId}/{id} returns the same id",
      "EP-10: every body",
    ],
    http: changeResponseAt("/bank-transactions/{}/{}", (json) => {
      rename(json, "id", "bankTransactionId");
    }),
  },
];

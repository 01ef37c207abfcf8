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
} from "../rewrite.ts";

const EVENT_LINKED = ["card-subscriptions", "network-bulk-feeds"] as const;

/** The paths of single resources. */
const RESOURCES = [
  ...["/transactions/{}", "/transaction-messages/{}", "/bank-transactions/{}/{}"],
  ...["/transaction-matches/{}/{}", "/cards/{}", "/subaccounts/{}", "/bank-accounts/{}"],
  ...EVENT_LINKED.map((kind) => `/${kind}/{}`),
];

const notFound: HttpHook = async () => problemResponse(404, "Not found");

/** The checks of the single resources with a title that ends as given. */
const ofEachResource = (end: string): string[] => [
  `EP-04: GET /transactions/{transactionId} ${end}`,
  `EP-05: GET /transaction-messages/{id} ${end}`,
  `EP-10: GET /bank-transactions/{subaccountId}/{id} ${end}`,
  `EP-12: GET /transaction-matches/{subaccountId}/{matchId} ${end}`,
  ...["cards", "subaccounts", "bank-accounts", ...EVENT_LINKED].map(
    (kind) => `EP-13: GET /${kind}/{id} ${end}`,
  ),
];

/** Mutations of single resources, and of how they compare with their lists. */
export const epResources: readonly Mutation[] = [
  ...(["subaccounts", "bank-accounts", "cards", ...EVENT_LINKED] as const).map(
    (kind): Mutation => ({
      id: `ep/${kind}-not-found`,
      requirement: "EP-13",
      description: `Links lead to /${kind}/{id}, which does not exist`,
      checks: [
        `EP-13: GET /${kind}/{id} answers 200`,
        `EP-13: links of deliveries address /${kind}/{id}`,
      ],
      http: linkFromCards(onPath(`/${kind}/{}`, notFound)),
    }),
  ),
  {
    id: "ep/lists-not-implemented",
    requirement: "EP-01",
    description: "The gateway has routes for single resources only",
    checks: [
      "EP-01: GET /subaccounts answers 200",
      "EP-02: GET /cards answers 200",
      "EP-03: GET /transactions answers 200",
      "EP-06: GET /bank-links answers 200",
      "EP-08: GET /bank-accounts answers 200",
      "EP-09: GET /bank-transactions answers 200",
      "EP-11: GET /transaction-matches answers 200",
    ],
    http: onPath(LISTS, async () => problemResponse(501, "Not implemented")),
  },
  {
    id: "ep/row-ids",
    requirement: "EP-13",
    description: "A single resource has the id of its database row",
    checks: ofEachResource("is what its id says"),
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
    checks: ofEachResource("knows no unknown id"),
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
    id: "ep/list-of-other-version",
    requirement: "EP-13",
    description: "Lists are served by an old version, whose links differ",
    checks: [
      "EP-01: what GET /subaccounts lists is as it is alone",
      "EP-02: what GET /cards lists is as it is alone",
      "EP-03: what GET /transactions lists is as it is alone",
      "EP-04: GET /transactions/{transactionId} is as it is listed",
      "EP-08: what GET /bank-accounts lists is as it is alone",
      "EP-13: GET /subaccounts/{id} is as it is listed",
      "EP-13: GET /cards/{id} is as it is listed",
      "EP-13: GET /bank-accounts/{id} is as it is listed",
    ],
    http: changeResponses(
      ["subaccounts", "cards", "transactions", "bank-accounts"],
      ({ _links: { self } }, { path }) => {
        if (LISTS.includes(path ?? "")) self.href = self.href.replace("/", "/v1/");
      },
    ),
  },
  {
    id: "ep/transaction-not-found",
    requirement: "EP-04",
    description: "Only the list of transactions is implemented",
    checks: ["EP-04: GET /transactions/{transactionId} answers 200"],
    http: onPath("/transactions/{}", notFound),
  },
  {
    id: "ep/match-not-found",
    requirement: "EP-12",
    description: "Only the list of matches is implemented",
    checks: ["EP-12: GET /transaction-matches/{subaccountId}/{matchId} answers 200"],
    http: onPath("/transaction-matches/{}/{}", notFound),
  },
  {
    id: "ep/match-without-last-reason",
    requirement: "EP-12",
    description: "A loop over the reasons of a single match ends one too early",
    checks: [
      "EP-11: what GET /transaction-matches lists is as it is alone",
      "EP-12: GET /transaction-matches/{subaccountId}/{matchId} is as it is listed",
    ],
    http: changeResponseAt("/transaction-matches/{}/{}", ({ reasons }) => {
      reasons.pop();
    }),
  },
];

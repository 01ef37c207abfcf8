import { endpoints } from "../../../conformance/checks/ep/responses.ts";
import { UNKNOWN_ID } from "../../../conformance/feed/operations.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { HttpHook } from "../../../mutation/mutation.ts";
import {
  changeResponseAt,
  changeResponses,
  type Json,
  mutationState,
  nameIn,
  onPath,
  problemResponse,
} from "../../../mutation/rewrite.ts";
import type { Kind } from "../../../src/sandbox/index.ts";
import { type Break, both, eachFails, linking } from "./behind.ts";

/** Mutations that make a kind's list differ from its resources. Unlisted kinds have none. */
const otherwise: Partial<Record<Kind, [ofList: RequirementId, (body: Json) => unknown]>> = {
  subaccounts: [
    "EP-01",
    (body) => {
      body._links.self.href = `/subaccounts/${UNKNOWN_ID}`;
    },
  ],
  cards: ["EP-02", leadElsewhere],
  transactions: [
    "EP-03",
    (body) => {
      body.transactionSettledAmount += 1;
    },
  ],
  "bank-accounts": ["EP-08", leadElsewhere],
  "bank-transactions": [
    "EP-09",
    (body) => {
      body.description = "SOMETHING ELSE";
    },
  ],
  "transaction-matches": [
    "EP-11",
    (body) => {
      body.reasons.pop();
    },
  ],
};

function leadElsewhere(body: Json) {
  body._links.subaccount = { href: `/subaccounts/${UNKNOWN_ID}` };
}

const collections: [RequirementId, Kind, holds: string][] = [
  ["EP-01", "subaccounts", "_embedded.subaccounts[] contains subaccounts, in cursor style"],
  ["EP-02", "cards", "_embedded.cards[] contains cards, in offset style with totalItems"],
  ["EP-03", "transactions", "_embedded.transactions[] contains transactions with all fields"],
  ["EP-06", "bank-links", "_embedded.bankLinks[] contains bank links"],
  ["EP-08", "bank-accounts", "_embedded.bankAccounts[] contains bank accounts"],
  [
    "EP-09",
    "bank-transactions",
    "_embedded.bankTransactions[] contains items with a category array",
  ],
  ["EP-11", "transaction-matches", "_embedded.transactionMatches[] contains matches"],
];

const resources: [RequirementId, Kind, template: string][] = [
  ["EP-04", "transactions", "/transactions/{transactionId}"],
  ["EP-05", "transaction-messages", "/transaction-messages/{id}"],
  ["EP-10", "bank-transactions", "/bank-transactions/{subaccountId}/{id}"],
  ["EP-12", "transaction-matches", "/transaction-matches/{subaccountId}/{matchId}"],
  ["EP-13", "cards", "/cards/{id}"],
  ["EP-13", "card-subscriptions", "/card-subscriptions/{id}"],
  ["EP-13", "network-bulk-feeds", "/network-bulk-feeds/{id}"],
  ["EP-13", "subaccounts", "/subaccounts/{id}"],
  ["EP-13", "bank-accounts", "/bank-accounts/{id}"],
];

const delivered = ["card-subscriptions", "network-bulk-feeds"] as const;

/** Returns another resource of the kind than the requested one. */
function another(kind: Kind, pattern: string, isMeant: (path: string) => boolean): HttpHook {
  return onPath(pattern, async ({ path, forward }, run) => {
    const [{ accountId }] = run.sandbox.accounts;
    const all = () => run.sandbox.resources(kind, { accountId, limit: 1000 });
    const known = mutationState(run, "known", all);
    const paths = (await known).map(({ body }) => (body as Json)._links.self.href as string);
    const other = paths.find((one) => one !== path);
    return isMeant(path) && other ? forward({ target: other }) : forward();
  });
}

const ofResources = resources.flatMap(([requirement, kind, template]): Break[] => {
  const pattern = template.replaceAll(/\{\w+\}/g, "{}");
  const name = `GET ${template}`;
  const link = delivered.find((one) => one === kind);
  const asLinked = (hook: HttpHook) => (link ? both(linking(link), hook) : hook);
  const isKnown = (path: string) => !path.endsWith(UNKNOWN_ID);
  const [ofList, change] = otherwise[kind] ?? [];
  return [
    [
      requirement,
      `${name} returns 200`,
      asLinked(onPath(pattern, async () => problemResponse(404, ""))),
    ],
    [
      requirement,
      `${name} returns the same id`,
      asLinked(kind === "network-bulk-feeds" ? renamed(pattern) : another(kind, pattern, isKnown)),
    ],
    [requirement, `${name} finds no unknown id`, another(kind, pattern, (path) => !isKnown(path))],
    ...(ofList && change
      ? [
          [requirement, `${name} equals its listing`, changeResponseAt(pattern, change)] as const,
          [
            ofList,
            `each item of GET /${kind} equals the resource with its id`,
            changeResponseAt(pattern, change),
          ] as const,
        ]
      : []),
  ];
});

/** The sandbox has only one such resource. */
function renamed(pattern: string): HttpHook {
  return changeResponseAt(pattern, (json) => {
    json.id = UNKNOWN_ID;
  });
}

eachFails(endpoints, [
  ...collections.map(
    ([requirement, kind]): Break => [
      requirement,
      `GET /${kind} returns 200`,
      onPath(`/${kind}`, async () => problemResponse(501, "Not implemented")),
    ],
  ),
  ...collections.map(([requirement, kind, title]): Break => {
    const name = nameIn(kind);
    return [
      requirement,
      title,
      changeResponseAt(`/${kind}`, (json) => {
        json._embedded = { [`${name}s`]: json._embedded[name] };
      }),
    ];
  }),
  [
    "EP-01",
    collections[0]?.[2] ?? "",
    changeResponseAt("/subaccounts", (json) => {
      json._links.first = json._links.self;
    }),
  ],
  [
    "EP-02",
    collections[1]?.[2] ?? "",
    changeResponseAt("/cards", (json) => {
      delete json.totalItems;
    }),
  ],
  [
    "EP-03",
    collections[2]?.[2] ?? "",
    changeResponseAt("/transactions", (json) => {
      for (const one of json._embedded.transactions) delete one.acceptor;
    }),
  ],
  [
    "EP-09",
    collections[5]?.[2] ?? "",
    changeResponseAt("/bank-transactions", (json) => {
      for (const one of json._embedded.bankTransactions) one.category = "FOOD";
    }),
  ],
  ...ofResources,
  [
    "EP-04",
    "GET of a transaction has supersededMessageIds",
    changeResponseAt("/transactions/{}", (json) => {
      delete json.supersededMessageIds;
    }),
  ],
  [
    "EP-13",
    "links to related resources have the specified path",
    changeResponses("transactions", (body) => {
      if (body._links.card) body._links.card.href = `/card/${body.cardId}`;
    }),
  ],
]);

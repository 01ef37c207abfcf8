import type { Checkout } from "./checkout.ts";

const ID = "0a6d53b7-0f1f-4ad6-8a5c-5f4f6b9a3e11";

/** Adds an event `card.blocked` as a contributor would. */
export async function addEvent(checkout: Checkout): Promise<void> {
  const file = "spec/resources/card.tsp";
  const definition = `
/** A card that was blocked. */
@requirement("WHK-01.json-body")
model BlockedCard {
  /** The card. */
  @resourceId
  @requirement("CONV-01")
  cardId: Id;
}

`;
  const operation = `
  /** A card was blocked. */
  blocked is Delivery<"card.blocked", "a card was blocked", BlockedCard>;
}
`;
  const text = (await checkout.read(file)).replace('@route("/cards")', `${definition}$&`);
  await checkout.write(file, text.replace(/\}\n$/, operation));
}

/** Adds an example of that event. */
export async function addEventExample(checkout: Checkout): Promise<void> {
  await checkout.write("spec/examples/card.blocked/blocked.json", exampleOf({ cardId: ID }));
}

/** Lets the verb `deactivate` send that event, so the example by hand has served its purpose. */
export async function sendEvent(checkout: Checkout): Promise<void> {
  await checkout.remove("spec/examples/card.blocked");
  await checkout.edit(
    "src/world/enrollment/card-verbs.ts",
    '(work, subscription) => changeSubscription(work, subscription, "deactivate")',
    `(work, subscription) => {
    const { accountId, body: { cardId } } = subscription;
    work.announce("card.blocked", { accountId, resource: cardId }, { cardId });
    return changeSubscription(work, subscription, "deactivate");
  }`,
  );
}

/** Adds an operation `GET /limits/{id}` as a contributor would. */
export async function addEndpoint(checkout: Checkout): Promise<void> {
  await checkout.write(
    "spec/resources/limit.tsp",
    `using Http;
using OpenAPI;
using Webhooks;

namespace TransactionFeed;

/** A spending limit. */
model Limit is OpenResource<SelfLinks>;

@route("/limits")
@tag("Cards")
interface Limits {
  /** Gets one limit. */
  @operationId("getLimit")
  @requirement("EP-13")
  get is GetById<"limit", Limit>;
}
`,
  );
  const last = 'import "./resources/enrichment.tsp";';
  await checkout.edit("spec/main.tsp", last, `${last}\nimport "./resources/limit.tsp";`);
}

/** Adds an example of that operation. */
export async function addEndpointExample(checkout: Checkout): Promise<void> {
  const value = { id: ID, _links: { self: { href: `/limits/${ID}` } } };
  await checkout.write("spec/examples/getLimit/limit.json", exampleOf(value));
}

const exampleOf = (value: object) => JSON.stringify({ summary: "An example", value });

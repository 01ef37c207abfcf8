import type { Checkout } from "./checkout.ts";

/** Adds an event `card.blocked` as a contributor would. */
export async function addEvent(checkout: Checkout): Promise<void> {
  await checkout.write(
    "spec/events/card-blocks.tsp",
    `using Webhooks;

namespace TransactionFeed;

/** A card that was blocked. */
@requirement("WHK-01.json-body")
model BlockedCard {
  /** The card. */
  @requirement("CONV-01")
  cardId: Id;
}

@tag("Cards")
interface CardBlockEvents {
  /** A card was blocked. */
  blocked is Delivery<"card.blocked", "a card was blocked", BlockedCard>;
}
`,
  );
  await addImport(checkout, "./events/card-blocks.tsp");
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
  await addImport(checkout, "./resources/limit.tsp");
}

async function addImport(checkout: Checkout, file: string): Promise<void> {
  const last = 'import "./events/enrichment.tsp";';
  await checkout.edit("spec/main.tsp", last, `${last}\nimport "${file}";`);
}

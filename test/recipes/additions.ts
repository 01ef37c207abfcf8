import type { Checkout } from "./checkout.ts";

/** Adds an event `card.blocked` as a contributor would. */
export async function addEvent(checkout: Checkout): Promise<void> {
  await checkout.write(
    "spec/events/card-blocks.tsp",
    `import "@typespec/http";
import "typespec-webhooks";
import "./delivery.tsp";

using Http;
using Webhooks;

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
  @summary("card.blocked: a card was blocked")
  @webhook("card.blocked")
  @requirement("WHK-01", "WHK-02")
  blocked is Delivery<"card.blocked", BlockedCard>;
}
`,
  );
  await addImport(checkout, "./events/card-blocks.tsp");
}

/** Adds an operation `GET /limits/{id}` as a contributor would. */
export async function addEndpoint(checkout: Checkout): Promise<void> {
  await checkout.write(
    "spec/resources/limit.tsp",
    `import "@typespec/http";
import "@typespec/openapi";
import "typespec-webhooks";
import "../conventions/errors.tsp";
import "../conventions/links.tsp";

using Http;
using OpenAPI;
using Webhooks;

namespace TransactionFeed;

/** A spending limit. */
@requirement("CONV-06.links")
model Limit {
  ...OpenResource<SelfLinks>;
}

@route("/limits")
@tag("Cards")
interface Limits {
  /**
   * Gets one limit.
   *
   * @returns The limit.
   */
  @summary("Get a limit")
  @operationId("getLimit")
  @requirement("EP-13")
  @get
  get(
    /** The limit. */
    @path id: Id,
  ): Limit | Errors;
}
`,
  );
  await addImport(checkout, "./resources/limit.tsp");
}

async function addImport(checkout: Checkout, file: string): Promise<void> {
  const last = 'import "./events/enrichment.tsp";';
  await checkout.edit("spec/main.tsp", last, `${last}\nimport "${file}";`);
}

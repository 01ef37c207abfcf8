import type { EventPayloads } from "../../generated/events.ts";
import { linkTo } from "./links.ts";

type Enriched = EventPayloads["enrichment.merchant.created"];

/** What an enrichment adds to a message. */
interface EnrichmentFields extends Pick<Enriched, "id" | "createdAt" | "location"> {
  readonly messageId: string;
  readonly merchant: Enriched["merchant"];
  readonly siteUrl: string;
  readonly logoUrl: string;
}

/** ENR-01: builds the enrichment of a message with its merchant. Experimental (ENR-02). */
export function enrichmentBody(fields: EnrichmentFields): Enriched {
  const { id, createdAt, merchant, location, messageId, siteUrl, logoUrl } = fields;
  const { name } = merchant;
  return {
    id,
    createdAt,
    merchant,
    location,
    _links: {
      message: linkTo("transaction-messages", messageId),
      merchant: { href: siteUrl, title: name },
      "merchant-logo": { href: logoUrl, type: "image/png", title: `${name} logo` },
    },
  };
}

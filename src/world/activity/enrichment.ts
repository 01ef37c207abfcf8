import type { EnrichParams, VerbResults } from "../../../generated/control-types.ts";
import { type Merchant, merchantOf } from "../../model/merchants.ts";
import { enrichmentBody } from "../../model/transaction-message.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { messageToEnrich } from "./defaults.ts";

/** ENR-01: announces the merchant of a message. Experimental (ENR-02). */
export function enrich(work: UnitOfWork, params: EnrichParams): VerbResults["enrich"] {
  const { store, random } = work;
  const message = messageToEnrich(store, params);
  const transaction = store.find("transactions", message.parent);
  const { descriptor } = transaction.body;
  const merchant: Merchant = merchantOf(descriptor);
  const slug = merchant.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  const id = random.id("enrichment");
  work.announce(
    "enrichment.merchant.created",
    { accountId: message.accountId, resource: transaction.id },
    enrichmentBody({
      id,
      createdAt: work.now(),
      merchant: { name: merchant.name, category: merchant.trade },
      location: {
        address: `${1 + random.below(200)} Main Street`,
        city: merchant.city,
        state: merchant.state,
        country: merchant.country,
        postalCode: random.digits(5),
        phoneNumber: `+353 1 555 ${random.digits(4)}`,
      },
      messageId: message.id,
      siteUrl: `https://${slug}.example/`,
      logoUrl: `https://logos.example/${slug}.png`,
    }),
  );
  return { enrichmentId: id, messageId: message.id };
}

import * as z from "zod";
import { type Merchant, merchantOf } from "../../model/merchants.ts";
import { enrichmentBody } from "../../model/transaction-message.ts";
import { Id, OfAccount } from "../fields.ts";
import type { Of } from "../schema.ts";
import { verb } from "../verbs/verb.ts";
import { messageToEnrich } from "./defaults.ts";

export const EnrichParams = z
  .strictObject({ ...OfAccount.shape, messageId: Id.optional(), transactionId: Id.optional() })
  .describe("The message to enrich, or its transaction. Default: the latest message.");
export type EnrichParams = Of<typeof EnrichParams>;

/** Announces the merchant of a message. Experimental (ENR-02). */
export const enrich = verb({
  name: "enrich",
  summary: "Adds merchant data to a message",
  requirements: ["ENR-01"],
  params: EnrichParams,
  result: z.object({ enrichmentId: z.string(), messageId: z.string() }),
  example: {},
  run(work, params) {
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
  },
});

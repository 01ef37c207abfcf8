import * as z from "zod";
import { linkTo } from "../../model/links.ts";
import { merchantOf } from "../../model/merchants.ts";
import { Id, verbParams } from "../fields.ts";
import type { Of } from "../schema.ts";
import { verb } from "../verbs/verb.ts";
import { messageToEnrich } from "./defaults.ts";

export const EnrichParams = verbParams({
  messageId: Id.optional(),
  transactionId: Id.optional(),
}).describe("The message to enrich, or its transaction. Default: the latest message.");
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
    const { name, trade: category, city, state, country } = merchantOf(descriptor);
    const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    const logo = { href: `https://logos.example/${slug}.png`, type: "image/png" };
    const id = random.id("enrichment");
    const order = { accountId: message.accountId, resource: transaction.id };
    work.announce("enrichment.merchant.created", order, {
      id,
      createdAt: work.now(),
      merchant: { name, category },
      location: {
        ...{ address: `${1 + random.below(200)} Main Street`, city, state, country },
        postalCode: random.digits(5),
        phoneNumber: `+353 1 555 ${random.digits(4)}`,
      },
      _links: {
        message: linkTo("transaction-messages", message.id),
        merchant: { href: `https://${slug}.example/`, title: name },
        "merchant-logo": { ...logo, title: `${name} logo` },
      },
    });
    return { enrichmentId: id, messageId: message.id };
  },
});

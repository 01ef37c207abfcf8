import type { Session } from "../run/session.ts";
import type { Delivery } from "../wire/exchange.ts";
import { authorize, clear, type PostedPurchase, type PurchaseStep, post } from "./purchases.ts";

const MERCHANT = "VELOWERK ZUERICH";
const AMOUNT = 103.91;
const PARTS = [34.19, 69.72] as const;

/** A purchase that the network cleared in two parts, with a bank posting for each part. */
export interface PurchaseInParts {
  readonly purchase: PurchaseStep;
  /** The purchase after its authorization and after each clearing. */
  readonly cleared: readonly (PurchaseStep & { readonly messageId: string })[];
  readonly postings: readonly PostedPurchase[];
  /** The deliveries for all postings. */
  readonly deliveries: readonly Delivery[];
}

export function purchaseInParts(session: Session): Promise<PurchaseInParts> {
  return session.share("scenario: a purchase clears in parts", async (own) => {
    const begun = await authorize(own, { amount: AMOUNT, merchant: MERCHANT });
    const first = await clear(own, begun, { amount: PARTS[0] });
    const purchase = await clear(own, begun);
    const postings: PostedPurchase[] = [];
    for (const amount of PARTS) {
      postings.push(await post(own, purchase, { amount, merchant: MERCHANT }));
    }
    const cleared = [begun, first, purchase].map((step) => {
      return { ...step, messageId: step.result.messageId };
    });
    const deliveries = postings.flatMap((one) => one.deliveries);
    return { purchase, cleared, postings, deliveries };
  });
}

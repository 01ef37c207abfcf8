import type { Session } from "../run/session.ts";
import type { Delivery } from "../wire/exchange.ts";
import { driveAndWait } from "./act.ts";
import {
  authorize,
  isCleared,
  type PostedPurchase,
  type PurchaseStep,
  post,
  read,
} from "./purchases.ts";

const MERCHANT = "VELOWERK ZUERICH";
const AMOUNT = 103.91;
const PARTS = [34.19, 69.72] as const;

/** A purchase that the network cleared in two parts, with a bank posting for each part. */
interface PurchaseInParts {
  readonly purchase: PurchaseStep;
  readonly postings: readonly PostedPurchase[];
  /** The deliveries for all postings. */
  readonly deliveries: readonly Delivery[];
}

export function purchaseInParts(session: Session): Promise<PurchaseInParts> {
  return session.share("scenario: a purchase clears in parts", async (own) => {
    const begun = await authorize(own, { amount: AMOUNT, merchant: MERCHANT });
    const { transactionId } = begun;
    const clear = (part: { amount?: number }) =>
      driveAndWait(own, "clear", { transactionId, ...part }, ({ messageId }) => (deliveries) => {
        return isCleared(deliveries, transactionId, messageId);
      });
    await clear({ amount: PARTS[0] });
    const last = await clear({});
    const purchase = { ...begun, ...last, ...(await read(own, transactionId)) };
    const postings: PostedPurchase[] = [];
    for (const amount of PARTS) {
      postings.push(await post(own, purchase, { amount, merchant: MERCHANT }));
    }
    return { purchase, postings, deliveries: postings.flatMap(({ deliveries }) => deliveries) };
  });
}

import type { MeasuredEvent } from "../validation/libraries/library.ts";

/** The event of every delivery. */
export const EVENT = "transaction.updated" satisfies MeasuredEvent;

/** How deliveries are signed. */
export type Signature = "none" | "standard-webhooks" | "github";

/** The key of every signature. */
export const SECRET = Buffer.from("benchmark-secret-of-32-bytes-...");

import type { Session } from "../run/session.ts";
import { Aborted, Skip } from "../run/skip.ts";
import type { Delivery } from "../wire/exchange.ts";
import { hasVerb } from "./act.ts";
import { enroll } from "./cards.ts";

/** Repeats a verb. A refusal is correct too: nothing may change. */
export async function unlessRefused(repeat: () => Promise<unknown>): Promise<void> {
  try {
    await repeat();
  } catch (error) {
    if (error instanceof Skip && !(error instanceof Aborted)) return;
    throw error;
  }
}

/**
 * The deliveries since the first `since`, once those of a later enrollment have arrived: by then an
 * undue delivery would have arrived too.
 */
export async function deliveriesAfterNext(
  session: Session,
  since: number,
): Promise<readonly Delivery[]> {
  if (hasVerb(session, "enroll")) await enroll(session);
  else if (hasVerb(session, "settle")) await session.drive("settle", undefined);
  return (await session.deliveries()).slice(since);
}

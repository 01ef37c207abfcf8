import { TxfeedError } from "../errors.ts";
import { answers, tooLarge } from "./answers.ts";
import { eventNameIn } from "./event-name.ts";
import { isJson } from "./media-type.ts";
import type { Outcome } from "./report.ts";
import type { Answer, DeliveryRequest, Incoming, Verify } from "./request.ts";

/** A delivery whose body is JSON; what the JSON says is still to be judged. */
export interface Received {
  /** What the header `webhook-event-type` says. */
  readonly event: string;
  readonly text: string;
  readonly body: unknown;
  /** ISO 8601. */
  readonly receivedAt: string;
}

/** What a delivery came to, with its answer. */
export interface Settled {
  readonly event: string | null;
  readonly outcome: Outcome;
  readonly answer: Answer;
  readonly error?: unknown;
}

/** What lets a delivery in. */
export interface Gate {
  readonly limitBytes?: number;
  readonly verify?: Verify;
  /** The clock, in milliseconds since 1970. */
  readonly now?: () => number;
}

/** The longest body unless another limit is set. */
export const LIMIT_BYTES = 1_048_576;

// RFC 8259, 8.1: JSON is UTF-8. Guessing at broken bytes would change what was verified. A byte
// order mark is passed over, as the decoder does unless told.
const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Takes a delivery in: method and content type before its body is read, verification before
 * anything looks at the bytes, then the event's name and the JSON.
 *
 * Rejects with the TxfeedError of `readBody` where a framework has read the body before: nothing
 * that is received can be right then.
 */
export async function takeIn(
  { request, readBody }: Incoming,
  { limitBytes = LIMIT_BYTES, verify, now = Date.now }: Gate,
): Promise<Received | Settled> {
  if (request.method !== "POST") return refused(answers.notPost);
  if (!isJson(request.headers.get("content-type"))) return refused(answers.notJsonByType);
  let rawBody: Uint8Array | "too-large";
  try {
    rawBody = await readBody(limitBytes);
  } catch (error) {
    if (error instanceof TxfeedError && error.code !== "body-incomplete") throw error;
    return refused(answers.brokenOff, error);
  }
  if (rawBody === "too-large") return refused(tooLarge(limitBytes));
  try {
    // Only `true` is: a verifier that returns what it decoded has not been asked the question.
    if (verify && (await verify(request, rawBody)) !== true) {
      return { event: null, outcome: "unverified", answer: answers.unverified };
    }
  } catch (error) {
    return { event: null, outcome: "failed", answer: answers.failed, error };
  }
  return parse(request, rawBody, now);
}

function parse(
  request: DeliveryRequest,
  rawBody: Uint8Array,
  now: () => number,
): Received | Settled {
  const event = eventNameIn(request);
  if (!event) return refused(answers.notNamed);
  let text: string;
  try {
    text = utf8.decode(rawBody);
  } catch {
    return { ...refused(answers.notUtf8), event };
  }
  try {
    const receivedAt = new Date(now()).toISOString();
    return { event, text, body: JSON.parse(text), receivedAt };
  } catch {
    return { ...refused(answers.notJson), event };
  }
}

function refused(answer: Answer, error?: unknown): Settled {
  const settled = { event: null, outcome: "refused", answer } as const;
  return error === undefined ? settled : { ...settled, error };
}

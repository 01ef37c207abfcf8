import { isUtf8 } from "node:buffer";
import { type ContractOptions, type Finding, readEvent } from "../contract/index.ts";
import { TxfeedError } from "../errors.ts";
import { DEFAULT_LIMIT_BYTES, isJson } from "../webhooks/parse-delivery.ts";
import {
  type DeliveryRequest,
  type DeliveryResponse,
  eventNameIn,
  type Receive,
} from "../webhooks/request.ts";
import { contractViolation, responses, tooLarge } from "../webhooks/responses.ts";
import type { CaptureFile } from "./capture-file.ts";
import { parseJson, withoutEvent, withoutJson } from "./envelope.ts";

/** A delivery that came and is in the capture. */
export interface Arrival {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** Its event's name; empty where it has none. */
  readonly name: string;
  /** The parsed body; undefined where it is not JSON. */
  readonly body: unknown;
  readonly findings: readonly Finding[];
}

/** What a listener tells of, and what it works with. */
export interface ListenerOptions extends ContractOptions {
  readonly capture: Pick<CaptureFile, "append">;
  readonly onArrival: (arrival: Arrival) => void;
  /** Called with what was answered before there was a delivery to keep. */
  readonly onRefusal: (answer: DeliveryResponse, why: string) => void;
  readonly now?: () => Date;
}

/** No other header is kept: authorization and signatures do not belong in a capture. */
const KEPT_HEADERS = ["webhook-event-type", "content-type"];

/**
 * Receives deliveries into a capture, those that break the contract too. Each is answered as a
 * receiver of a service does, and only when it is in the file.
 */
export function listenerFor(options: ListenerOptions): Receive {
  const { capture, onArrival, onRefusal, now = () => new Date() } = options;
  const refuse = (answer: DeliveryResponse, why: string): DeliveryResponse => {
    onRefusal(answer, why);
    return answer;
  };
  return async ({ request, readBody }) => {
    if (request.method !== "POST") return refuse(responses.notPost, "deliveries come by POST");
    let bytes: Uint8Array | "too-large";
    try {
      bytes = await readBody(DEFAULT_LIMIT_BYTES);
    } catch (error) {
      if (error instanceof TxfeedError && error.code !== "body-incomplete") throw error;
      return refuse(responses.brokenOff, "the body did not come in full");
    }
    if (bytes === "too-large") {
      return refuse(
        tooLarge(DEFAULT_LIMIT_BYTES),
        `the body has more than ${DEFAULT_LIMIT_BYTES} bytes`,
      );
    }
    const receivedAt = now().toISOString();
    const text = new TextDecoder().decode(bytes);
    const parsed = isUtf8(bytes) ? parseJson(text) : { problem: "not UTF-8" };
    const isParsed = "value" in parsed;
    const name = eventNameIn(request);
    const { answer, findings } = answerTo(request, name, parsed, options);
    await capture.append({ receivedAt, headers: kept(request), text, isJson: isParsed });
    onArrival({ receivedAt, name, body: isParsed ? parsed.value : undefined, findings });
    return answer;
  };
}

function answerTo(
  request: DeliveryRequest,
  name: string,
  parsed: ReturnType<typeof parseJson>,
  options: ContractOptions,
): { answer: DeliveryResponse; findings: readonly Finding[] } {
  const type = request.headers.get("content-type");
  if (!isJson(type)) {
    const findings = [withoutJson(name || "delivery", `content-type ${type ?? "missing"}`)];
    return { answer: responses.notJsonByType, findings };
  }
  if (name === "") {
    const findings = [withoutEvent(request.headers.get("webhook-event-type")?.trim() || undefined)];
    return { answer: responses.notNamed, findings };
  }
  if ("problem" in parsed) {
    const findings = [withoutJson(name, parsed.problem)];
    return { answer: responses.notJson, findings };
  }
  const { ok, findings } = readEvent(name, parsed.value, options);
  if (ok) return { answer: responses.accepted, findings };
  return { answer: contractViolation(name, findings), findings };
}

function kept({ headers }: DeliveryRequest): Record<string, string> {
  const values = KEPT_HEADERS.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== null));
}

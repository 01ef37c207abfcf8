import { isUtf8 } from "node:buffer";
import { type ContractOptions, type Finding, readEvent } from "../contract/index.ts";
import { hasCode } from "../errors.ts";
import { contentCoding, DEFAULT_LIMIT_BYTES, isJson } from "../webhooks/parse-delivery.ts";
import {
  type DeliveryRequest,
  type DeliveryResponse,
  eventNameIn,
  type Receive,
} from "../webhooks/request.ts";
import { contractViolation, encodedBody, responses, tooLarge } from "../webhooks/responses.ts";
import type { CaptureFile } from "./capture-file.ts";
import { parseJson, withoutEvent, withoutJson } from "./envelope.ts";

/** A delivery that was written to the capture. */
export interface Arrival {
  /** ISO 8601. */
  readonly receivedAt: string;
  /** The event's name; empty if the delivery has none. */
  readonly name: string;
  /** The parsed body; undefined if it is not JSON. */
  readonly body: unknown;
  readonly findings: readonly Finding[];
}

/** The options of a listener. */
interface ListenerOptions extends ContractOptions {
  readonly capture: Pick<CaptureFile, "append">;
  readonly onArrival: (arrival: Arrival) => void;
  /** Called with the response to a request that is not a delivery. */
  readonly onRefusal: (response: DeliveryResponse, reason: string) => void;
  readonly now?: () => Date;
}

/** The headers in a capture. Authorization and signatures do not belong there. */
const KEPT_HEADERS = ["webhook-event-type", "content-type"];

/**
 * Receives deliveries and appends them to a capture, including those that break the contract. It
 * responds as `createReceiver` does, after the delivery was written.
 */
export function listenerFor(options: ListenerOptions): Receive {
  const { capture, onArrival, onRefusal, now = () => new Date() } = options;
  const refuse = (response: DeliveryResponse, reason: string): DeliveryResponse => {
    onRefusal(response, reason);
    return response;
  };
  return async ({ request, readBody }) => {
    if (request.method !== "POST") return refuse(responses.notPost, "deliveries must use POST");
    const coding = contentCoding(request);
    if (coding !== undefined) {
      return refuse(encodedBody(coding), `the content-encoding is ${coding}, not identity`);
    }
    let bytes: Uint8Array | "too-large";
    try {
      bytes = await readBody(DEFAULT_LIMIT_BYTES);
    } catch (error) {
      if (hasCode(error, "body-consumed")) throw error;
      return refuse(responses.brokenOff, "the body is incomplete");
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
    const { response, findings } = responseTo(request, name, parsed, options);
    await capture.append({ receivedAt, headers: recorded(request), text, isJson: isParsed });
    onArrival({ receivedAt, name, body: isParsed ? parsed.value : undefined, findings });
    return response;
  };
}

function responseTo(
  request: DeliveryRequest,
  name: string,
  parsed: ReturnType<typeof parseJson>,
  options: ContractOptions,
): { response: DeliveryResponse; findings: readonly Finding[] } {
  const type = request.headers.get("content-type");
  if (!isJson(type)) {
    const findings = [withoutJson(name || "delivery", `content-type ${type ?? "missing"}`)];
    return { response: responses.notJsonByType, findings };
  }
  if (name === "") {
    const findings = [withoutEvent(request.headers.get("webhook-event-type")?.trim() || undefined)];
    return { response: responses.notNamed, findings };
  }
  if ("problem" in parsed) {
    const findings = [withoutJson(name, parsed.problem)];
    return { response: responses.notJson, findings };
  }
  const { ok, findings } = readEvent(name, parsed.value, options);
  if (ok) return { response: responses.accepted, findings };
  return { response: contractViolation(name, findings), findings };
}

function recorded({ headers }: DeliveryRequest): Record<string, string> {
  const values = KEPT_HEADERS.map((name) => [name, headers.get(name)] as const);
  return Object.fromEntries(values.filter((entry): entry is [string, string] => entry[1] !== null));
}

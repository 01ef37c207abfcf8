import type { RecordedDelivery } from "../contract/history/delivery.ts";
import type { ContractOptions } from "../contract/networks.ts";
import { type EventReading, readEvent } from "../contract/validate.ts";
import { ignoreErrors } from "./ignore-errors.ts";
import type { ParsedDelivery } from "./parse-delivery.ts";
import type { Hooks } from "./report.ts";

/** Judges a delivery by the contract and tells the hooks what was found. */
export type Validate = (received: Omit<ParsedDelivery, "deliveryId">) => Promise<EventReading>;

/** Makes what judges deliveries. */
export function validateWith(options: ContractOptions & Hooks): Validate {
  const onFinding = ignoreErrors(options.onFinding);
  const onQuarantine = ignoreErrors(options.onQuarantine);
  return async (received) => {
    const reading = readEvent(received.event, received.body, options);
    if (!reading.ok) await onQuarantine(recorded(received), reading.findings);
    else for (const finding of reading.findings) void onFinding(finding, recorded(received));
    return reading;
  };
}

function recorded({
  event,
  body,
  receivedAt,
}: Omit<ParsedDelivery, "deliveryId">): RecordedDelivery {
  return { headers: { "webhook-event-type": event }, body, receivedAt };
}

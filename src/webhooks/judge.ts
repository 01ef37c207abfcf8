import type { RecordedDelivery } from "../contract/history/delivery.ts";
import type { ContractOptions } from "../contract/networks.ts";
import { type EventReading, readEvent } from "../contract/validate.ts";
import { harmless } from "./harmless.ts";
import type { Received } from "./intake.ts";
import type { Hooks } from "./report.ts";

/** Judges a delivery by the contract and tells the hooks what was found. */
export type Judge = (received: Omit<Received, "deliveryId">) => Promise<EventReading>;

/** Makes what judges deliveries. */
export function judgeWith(options: ContractOptions & Hooks): Judge {
  const onFinding = harmless(options.onFinding);
  const onQuarantine = harmless(options.onQuarantine);
  return async (received) => {
    const reading = readEvent(received.event, received.body, options);
    if (!reading.ok) await onQuarantine(recorded(received), reading.findings);
    else for (const finding of reading.findings) void onFinding(finding, recorded(received));
    return reading;
  };
}

function recorded({ event, body, receivedAt }: Omit<Received, "deliveryId">): RecordedDelivery {
  return { headers: { "webhook-event-type": event }, body, receivedAt };
}

import type { DeliveryRequest } from "./request.ts";

/**
 * Reads the event's name off a delivery's head. It is empty where there is no header, or several:
 * HTTP joins those by commas, and taken for the name of an unknown event they would be dropped.
 */
export function eventNameIn({ headers }: Pick<DeliveryRequest, "headers">): string {
  const name = headers.get("webhook-event-type")?.trim() ?? "";
  return name.includes(",") ? "" : name;
}

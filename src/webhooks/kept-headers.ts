import type { DeliveryRequest } from "./request.ts";

const KEPT = [
  ...["webhook-id", "webhook-timestamp", "webhook-event-type"],
  ...["user-agent", "traceparent", "tracestate"],
];

/**
 * Creates the function that selects the headers to store. It selects by name, because the others
 * may contain secrets.
 */
export function createKeptHeaders(
  more: readonly string[] = [],
): (headers: DeliveryRequest["headers"]) => Record<string, string> {
  const names = [...new Set([...KEPT, ...more.map((name) => name.toLowerCase())])];
  return (headers) => {
    const kept: Record<string, string> = {};
    for (const name of names) {
      const value = headers.get(name);
      if (value !== null) kept[name] = value;
    }
    return kept;
  };
}

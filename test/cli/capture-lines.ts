import { readFileSync } from "node:fs";
import { ROOT } from "../document.ts";

/** The value of a contract example such as `transaction.created/pending-network-a`. */
export function example(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(`${ROOT}spec/examples/${name}.json`, "utf8")).value;
}

/** A line of a capture. */
export function delivery(name: string, body: unknown, more: object = {}): string {
  return JSON.stringify({ ...more, headers: { "webhook-event-type": name }, body });
}

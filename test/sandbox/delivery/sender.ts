/**
 * Runs a sandbox's deliveries in a program that can be killed. Announces events one after the other
 * and prints each event's number when its change is committed.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { Harness } from "./harness.ts";

/** The sender's command-line argument, as JSON. */
export interface SenderSettings {
  readonly file: string;
  readonly url: string;
  /** The number of the first event. The sender runs until it is killed. */
  readonly from: number;
  /** The number of resources, used in turn. */
  readonly resources: number;
}

const { file, url, from, resources }: SenderSettings = JSON.parse(process.argv[2] ?? "");
const harness = new Harness({ file, clock: "real" });
await harness.control.addEndpoint({ url });
for (let n = from; ; n += 1) {
  harness.announce(n, { resource: `resource-${n % resources}` });
  process.stdout.write(`${n}\n`);
  await nextTurn();
}

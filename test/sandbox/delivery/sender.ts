/**
 * A sandbox's deliveries as a program that can be killed: it announces events one after the other,
 * and prints the number of each once the change is through.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { Harness } from "./harness.ts";

/** What the sender is told on its command line, as JSON. */
export interface SenderSettings {
  readonly file: string;
  readonly url: string;
  /** The number of the first event. It goes on until it is killed. */
  readonly from: number;
  /** How many resources the events are of, in turn. */
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

import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { listen } from "../../src/listen.ts";
import { createSandbox, Refusal, type WorldName } from "../../src/sandbox/index.ts";
import { type CallResult, readyCalls, type ScriptCall } from "../../src/world/script.ts";
import { scripts } from "../../src/world/scripts.ts";

/** The program's command-line argument, as JSON. */
export interface LogOptions {
  readonly seed: number;
  readonly world: WorldName;
  /** The file for the state. The sandbox restarts on it after each script. */
  readonly data?: string;
  /** Whether to add an unreliable receiver and every kind of fault. */
  readonly isTroubled?: boolean;
}

const { isTroubled = false, ...options }: LogOptions = JSON.parse(process.argv[2] ?? "");

const start = () => createSandbox({ ...options, clock: "frozen", validate: true });
let sandbox = await start();
if (isTroubled) {
  const receiver = createServer(async (message, response) => {
    message.resume();
    await wait(Math.random() * 10);
    response.writeHead(Math.random() < 0.3 ? 500 : 204).end();
  });
  const url = await listen(receiver, { host: "127.0.0.1", port: 0 });
  receiver.unref();
  await sandbox.addEndpoint({ url });
  await sandbox.addEndpoint({ url: `${url}/unordered`, ordered: false });
  const rates = { rate: 0.3 };
  const kinds = ["duplicate", "reorder", "drop", "delay"] as const;
  const api = [{ kind: "500" as const, rate: 0.5 }];
  await sandbox.setFaults({ api, deliveries: kinds.map((kind) => ({ kind, ...rates })) });
}

/** Plays the calls of a script, up to one that does not apply. */
async function play(calls: readonly ScriptCall[]): Promise<void> {
  const ready = readyCalls(calls, new Map(), sandbox.networks);
  let turn = ready.next();
  while (!turn.done) {
    const call = turn.value;
    const done =
      "advance" in call
        ? await sandbox.advance(call.advance)
        : await sandbox.trigger(call.verb, call.params);
    // Requests may arrive at any time.
    if (isTroubled) await fetch(`${sandbox.baseUrl}/transactions`);
    turn = ready.next(done as unknown as CallResult);
  }
}

for (const { steps } of Object.values(scripts)) {
  try {
    await play(steps.flatMap(({ calls }) => calls));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
  await sandbox.advance("7h");
  if (!options.data) continue;
  await sandbox.close();
  sandbox = await start();
}
await sandbox.advance("30d");
for (const event of await sandbox.events({ limit: 1_000_000 })) console.log(JSON.stringify(event));
console.log(JSON.stringify(sandbox.accounts));
await sandbox.close();

import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { listen } from "../../src/listen.ts";
import { createSandbox, Refusal, type VerbName, type WorldName } from "../../src/sandbox/index.ts";

/** The program's command-line argument, as JSON. */
export interface LogOptions {
  readonly seed: number;
  readonly world: WorldName;
  /** The file for the state. The sandbox restarts on it after each clock change. */
  readonly data?: string;
  /** Whether to add an unreliable receiver and every kind of fault. */
  readonly isTroubled?: boolean;
}

const { isTroubled = false, ...options }: LogOptions = JSON.parse(process.argv[2] ?? "");

type Step = string | readonly [verb: VerbName, params?: object];

const SCRIPT: readonly Step[] = [
  ["enroll", { cardNumber: "4000000000004242" }],
  ["sca-pass"],
  ["link-start", { accounts: [{ mask: "4242", type: "checking" }, { mask: "0077" }] }],
  ["link-complete", { by: "polling" }],
  "1h",
  ["purchase", { amount: 12.5 }],
  ["purchase", { amount: 80, currency: "USD", billingCurrency: "EUR" }],
  ["clear-partial"],
  "7s",
  ["bank-post", { amount: 9.9, description: "KIOSK 8" }],
  ["late-card-data"],
  ["enrich"],
  "90m",
  ["clear"],
  ["purchase", { amount: 33 }],
  ["bank-post"],
  ["rematch"],
  ["sca-fail"],
  "1d12h",
  ["feed-submit", { expectedCardCount: 3 }],
  ["feed-accept", { cards: 3 }],
  ["purchase", { result: "DECLINED" }],
  ["consent-expire"],
  ["disconnect"],
  ["bank-post", { amount: 5 }],
  "3d",
  ["recover"],
  ["bank-post", { amount: 15, description: "MERCADO" }],
  ["bank-post", { amount: 15, description: "MERCADO" }],
  ["retire-duplicate"],
  ["upgrade"],
  ["provider-remove"],
  ["deactivate"],
  "30d",
];

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
for (const step of SCRIPT) {
  if (typeof step === "string") {
    await sandbox.advance(step);
    if (options.data) {
      await sandbox.close();
      sandbox = await start();
    }
    continue;
  }
  const [verb, params = {}] = step;
  try {
    await sandbox.trigger(verb, params as never);
  } catch (error) {
    // Verbs that do not apply are part of the script.
    if (!(error instanceof Refusal)) throw error;
  }
  // Requests may arrive at any time.
  if (isTroubled) await fetch(`${sandbox.baseUrl}/transactions`);
}
for (const event of await sandbox.events({ limit: 1_000_000 })) console.log(JSON.stringify(event));
console.log(JSON.stringify(sandbox.accounts));
await sandbox.close();

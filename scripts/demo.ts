/**
 * `npm run demo`: runs the conformance checks against the mock, starts the sandbox on a free port,
 * plays one purchase until it is settled, prints each webhook as it arrives, and stops everything.
 * The report is written to a new temporary folder.
 */
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { conformance } from "../conformance/cli/conformance.ts";
import { startDeliveryServer } from "../src/cli/delivery-server.ts";
import { startMock } from "../src/cli/prism.ts";
import { styleFor } from "../src/cli/terminal.ts";
import { eventNames } from "../src/contract/index.ts";
import { createSandbox, type Sandbox } from "../src/sandbox/index.ts";
import { createReceiver, standardWebhooks } from "../src/webhooks/index.ts";
import { type CallResult, type ReadyCall, readyCalls } from "../src/world/script.ts";
import { scripts } from "../src/world/scripts.ts";
import { runScript, ScriptError } from "./run-script.ts";

const style = styleFor(process.stdout);
const NAME_WIDTH = Math.max(...eventNames.map((name) => name.length));

const STORY = scripts["purchase-cleared-by-network"];

async function main(): Promise<number> {
  parseArgs();
  const passed = await checkMock();
  const received = await playPurchase();
  const webhooks = `received ${received} webhooks, each signed and valid`;
  console.log(style.good(`✓ the mock passed ${passed} requirements; ${webhooks}`));
  return 0;
}

/** Runs the mock profile against the mock, prints the matrix, and returns how many passed. */
async function checkMock(): Promise<number> {
  const mock = await startMock();
  try {
    const report = join(await mkdtemp(join(tmpdir(), "txfeed-")), "report.json");
    const values = { profile: "mock", "report-json": report };
    const status = await conformance.run({ positionals: [mock.url], values });
    if (status !== 0) throw new ScriptError([`demo: the mock does not pass, see ${report}`]);
    return JSON.parse(await readFile(report, "utf8")).summary.passed;
  } finally {
    await mock.stop();
  }
}

/** Plays the purchase, prints its webhooks, and returns how many arrived. */
async function playPurchase(): Promise<number> {
  await using sandbox = await createSandbox({ clock: "frozen", validate: true });
  const secret = `whsec_${btoa("the demo's own secret")}`;
  let received = 0;
  const receiver = createReceiver({
    on: Object.fromEntries(
      eventNames.map((name) => [
        name,
        ({ body }: { body: object }) => {
          received += 1;
          console.log(`    ${name.padEnd(NAME_WIDTH)}  ${style.dim(summaryOf(body))}`);
        },
      ]),
    ),
    verify: standardWebhooks({ secrets: secret }),
  });
  const errors: unknown[] = [];
  const { receive } = receiver;
  const onError = (error: unknown) => errors.push(error);
  const server = await startDeliveryServer({ host: "127.0.0.1", port: 0, receive, onError });
  try {
    const { id } = await sandbox.addEndpoint({ url: server.url, secret });
    console.log(`sandbox on ${sandbox.baseUrl}, its webhooks to ${server.url}\n`);
    const sent = await play(sandbox);
    await sandbox.removeEndpoint(id);
    if (errors.length > 0 || received < sent) {
      throw new ScriptError([`demo: ${sent} events were sent, but ${received} were received`]);
    }
    return received;
  } finally {
    await server.stop();
  }
}

/** Plays the story, and returns the number of events sent. */
async function play(sandbox: Sandbox): Promise<number> {
  const { networks } = await sandbox.status();
  const results = new Map<string, CallResult>();
  let sent = 0;
  for (const { sentence, ...step } of STORY.steps) {
    console.log(`  ${style.bold(sentence)}`);
    const calls = readyCalls(step.calls, results, networks);
    let turn = calls.next();
    while (!turn.done) {
      const done = await carryOut(sandbox, turn.value);
      sent += done.events.length;
      turn = calls.next(done);
    }
    await sandbox.settle();
    await sandbox.advance("9h");
    console.log();
  }
  return sent;
}

async function carryOut(sandbox: Sandbox, call: ReadyCall): Promise<CallResult> {
  if ("verb" in call) return (await sandbox.trigger(call.verb, call.params)) as CallResult;
  await sandbox.advance(call.advance);
  return { result: {}, events: [] };
}

/** Summarizes an event's body. */
function summaryOf(body: object): string {
  const fields = body as Record<string, unknown>;
  const superseded = fields["supersededMessageIds"];
  const parts = [
    fields["status"] ?? fields["messageType"] ?? fields["confidence"],
    fields["transactionAmount"] ?? fields["amount"] ?? fields["score"],
    "transactionSettledAmount" in fields && `settled ${fields["transactionSettledAmount"]}`,
    Array.isArray(superseded) && superseded.length > 0 && `${superseded.length} superseded`,
  ];
  return parts.filter((part) => part !== undefined && part !== false).join(", ");
}

// `process.exit` emits an exit event, which stops the mock.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => process.exit(1));
}

await runScript(
  {
    name: "demo",
    summary: "checks the mock, then plays a purchase on a sandbox until it is settled",
  },
  main,
);

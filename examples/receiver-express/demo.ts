/** `npm start`: plays a purchase in the sandbox, and shows what arrives at the receiver. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { createSandbox } from "txfeed/sandbox";

const WEBHOOK_SECRET = `whsec_${btoa("the secret of an example")}`;
const folder = await mkdtemp(join(tmpdir(), "receiver-express-"));
const DATABASE = join(folder, "feed.db");
const sandbox = await createSandbox({ clock: "frozen" });
const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
const receiver = spawn(process.execPath, ["receiver.ts"], {
  cwd: import.meta.dirname,
  env: {
    ...{ ...process.env, PORT: "0", DATABASE, WEBHOOK_SECRET },
    ...{ TXFEED_BASE_URL: sandbox.baseUrl, TXFEED_ACCOUNT_ID: accountId },
    ...{ TXFEED_CLIENT_ID: clientId, TXFEED_CLIENT_SECRET: clientSecret },
  },
  stdio: ["ignore", "pipe", "inherit"],
});
const closed = once(receiver, "close");
const lines = createInterface(receiver.stdout).on("line", (line) => console.log(`  ${line}`));

/** Triggers verbs, and waits until the receiver has handled their events. */
async function play(): Promise<"played"> {
  const [line] = await once(lines, "line");
  const url = `http://127.0.0.1:${/\d+$/.exec(line)}`;
  await sandbox.addEndpoint({ url: `${url}/webhooks`, secret: WEBHOOK_SECRET });
  await sandbox.setFaults({ deliveries: [{ kind: "duplicate" }] });
  for (const verb of ["purchase", "bank-post", "clear"] as const) {
    console.log(`the next day: ${verb}; the sandbox sends each delivery twice`);
    await sandbox.advance("1d");
    await sandbox.trigger(verb);
    await sandbox.settle();
    const isIdle = async () => (await (await fetch(`${url}/healthz`)).json()).inbox.waiting === 0;
    while (!(await isIdle())) await wait(50);
  }
  return "played";
}

/** Compares the stored transactions with the last one that was sent. */
async function check(): Promise<boolean> {
  const database = new DatabaseSync(DATABASE);
  const rows = database.prepare("SELECT event FROM card_transaction").all();
  database.close();
  const stored = rows.map(({ event }) => JSON.parse(String(event)).body);
  const sent = await sandbox.events({ name: "transaction.updated" });
  return isDeepStrictEqual(stored, [sent.at(-1)?.body]);
}

const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
try {
  const isPlayed = (await Promise.race([play(), closed, interrupted])) === "played";
  receiver.kill("SIGTERM");
  const [status] = await closed;
  const isRight = isPlayed && status === 0 && (await check());
  console.log(isRight ? "✓ the settled transaction is stored, once" : "✗ stopped or not stored");
  process.exitCode = isRight ? 0 : 1;
} finally {
  receiver.kill("SIGTERM");
  await sandbox.close();
  await rm(folder, { recursive: true });
}

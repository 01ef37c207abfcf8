/**
 * Closes a busy sandbox: hanging receivers, open event streams, clients with keep-alive
 * connections, and pending calls. Prints how those calls ended. The process then has nothing left
 * to do.
 */
import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { listen } from "../../src/listen.ts";
import { createSandbox } from "../../src/sandbox/index.ts";

const hanging = createServer((message) => void message.resume());
const url = await listen(hanging, { host: "127.0.0.1", port: 0 });
hanging.unref();

const sandbox = await createSandbox({ webhooks: [{ url }, { url, ordered: false }] });
await sandbox.trigger("link-start");
await sandbox.trigger("link-complete", { by: "polling" });
for (let count = 0; count < 5; count += 1) await sandbox.trigger("purchase");

const agent = new Agent({ keepAlive: true, maxSockets: 10 });
const ended: Promise<string>[] = [];

/** Sends a request. Resolves when the response head arrives or the connection ends. */
async function send(path: string, { method = "GET", body = "" } = {}): Promise<void> {
  const headers = { "content-type": "application/json" };
  const sent = request(sandbox.baseUrl + path, { method, agent, headers });
  sent.on("error", () => undefined).end(body);
  const [response] = await once(sent, "response").catch(() => []);
  response?.resume().on("error", () => undefined);
}

for (let count = 0; count < 3; count += 1) await send("/_sandbox/events/stream");
for (let count = 0; count < 3; count += 1) await send("/_sandbox/status");
await sandbox.setFaults({ api: [{ kind: "latency", delayMs: 3_600_000, times: 1 }] });
void send("/transactions");
while ((await sandbox.faults()).api.length > 0) await nextTurn();
void send("/_sandbox/clock/advance", { method: "POST", body: '{"by":"1h"}' });
const pending = [sandbox.advance("3d"), sandbox.settle()];
for (const call of pending) {
  ended.push(
    call.then(
      () => "resolved",
      () => "rejected",
    ),
  );
}
await sandbox.readClock();
const closings = [sandbox.close(), sandbox.close()];
await Promise.all(closings);
await sandbox.close();
console.log((await Promise.all(ended)).join(" "));

/** Sends deliveries at a steady rate from a separate process, and measures their responses. */
import { createHmac, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { serveJob } from "../child.ts";
import { measuredPayloads } from "../payloads.ts";
import { EVENT, SECRET } from "../receiver/delivery.ts";
import { template } from "../template.ts";

export interface SenderJob {
  readonly port: number;
  readonly deliveries: number;
  readonly deliveriesASecond: number;
}

const bodyText = template(JSON.stringify(measuredPayloads[EVENT].body));
const agent = new Agent({ keepAlive: true });

/** Sends a delivery. Resolves to the time until its response, in milliseconds. */
function send(port: number, n: number): Promise<number> {
  const body = bodyText(n);
  const id = `${randomUUID()}-${n}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  const hmac = createHmac("sha256", SECRET).update(`${id}.${timestamp}.${body}`);
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "webhook-event-type": EVENT,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${hmac.digest("base64")}`,
  };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const start = performance.now();
  const sent = request({ port, host: "127.0.0.1", method: "POST", agent, headers }, (response) => {
    response.resume().once("end", () => {
      if (response.statusCode === 202) resolve(performance.now() - start);
      else reject(new Error(`unexpected status ${response.statusCode} of a delivery`));
    });
  });
  sent.once("error", reject).end(body);
  return promise;
}

serveJob<SenderJob, number[]>(async ({ port, deliveries, deliveriesASecond }) => {
  const start = performance.now();
  const durations: Promise<number>[] = [];
  for (let n = 0; n < deliveries; n += 1) {
    const early = start + (n / deliveriesASecond) * 1000 - performance.now();
    if (early > 0) await sleep(early);
    durations.push(send(port, n));
  }
  return Promise.all(durations);
});

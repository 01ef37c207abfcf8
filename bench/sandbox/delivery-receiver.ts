/**
 * Receives deliveries in a separate process, like an integrator's server, and records when each
 * arrived. It sends its port first, and the arrivals on request.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The id of a body, and the time at which it was complete, by the monotonic clock. */
export type Arrival = readonly [id: string, ms: number];

let arrivals: Arrival[] = [];

const server = createServer((request, response) => {
  const chunks: Uint8Array[] = [];
  request.on("data", (chunk: Uint8Array) => chunks.push(chunk));
  request.on("end", () => {
    const ms = Number(process.hrtime.bigint()) / 1e6;
    const { id } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as { id: string };
    arrivals.push([id, ms]);
    response.writeHead(204).end();
  });
});
process.on("message", () => {
  process.send?.(arrivals);
  arrivals = [];
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));

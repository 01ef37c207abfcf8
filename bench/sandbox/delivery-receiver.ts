/**
 * Receives deliveries in a process of its own, as an integrator's server does, and remembers when
 * each was there. It tells its port first, and what came when it is asked.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The id of a body, and when it was there as a whole, by the machine's monotonic clock. */
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

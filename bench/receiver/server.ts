/** Runs one server, so that each has warm code and a heap of its own, as in production. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ServerName, servers } from "./servers.ts";

/** Replies to every message with its CPU time, user and system, in milliseconds. */
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1000);
});

const [, , name, file = ""] = process.argv;
const server = createServer(await servers[name as ServerName].create(file));
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));

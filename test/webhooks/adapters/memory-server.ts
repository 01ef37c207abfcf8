/**
 * A server process for `memory.integration.test.ts`. It sends its URL, and answers each message
 * with its peak memory use since the previous one.
 */
import { recorder } from "./recorder.ts";
import { type Serve, serveExpress, serveFastify, serveNode } from "./servers.ts";

const servers: Record<string, Serve> = {
  "node:http": serveNode,
  Express: serveExpress,
  Fastify: serveFastify,
};

let mostBytes = process.memoryUsage.rss();
setInterval(() => {
  mostBytes = Math.max(mostBytes, process.memoryUsage.rss());
}, 2).unref();

const serve = servers[process.argv[2] ?? ""];
if (!serve) throw new Error(`no such server: ${process.argv[2]}`);
const { url } = await serve(recorder().receiver);
process.on("message", () => {
  const most = Math.max(mostBytes, process.memoryUsage.rss());
  mostBytes = process.memoryUsage.rss();
  process.send?.(most);
});
process.on("disconnect", () => process.exit());
process.send?.(url);

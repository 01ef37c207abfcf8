import { runConformance } from "../../conformance/run.ts";

/**
 * Runs the suite against the address given, and prints by how much the process grew. With a number
 * of seconds it receives deliveries for so long, and prints first where.
 */

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };
const [, , baseUrl = "", seconds] = process.argv;
const rss = () => process.memoryUsage.rss();

const before = rss();
let most = before;
const watching = setInterval(() => {
  most = Math.max(most, rss());
}, 5);
const webhooks = { host: "127.0.0.1", port: 0, collectSeconds: Number(seconds) };
const target = {
  ...{ baseUrl, credentials, profile: "full" as const },
  ...(seconds !== undefined && { webhooks }),
};
const { summary, faults, brokenOff, refusals } = await runConformance(target, {
  onListening: (url) => console.log(url),
});
clearInterval(watching);
const toMb = (bytes: number) => Math.round(bytes / 2 ** 20);
const grownMb = toMb(Math.max(most, rss()) - before);
const memory = { beforeMb: toMb(before), mostMb: toMb(most), grownMb };
console.log(
  JSON.stringify({ ...memory, summary, failed: summary.failed, faults, brokenOff, refusals }),
);

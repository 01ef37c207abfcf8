import { runConformance } from "../../conformance/run/run.ts";

/**
 * Runs the suite against a URL and prints the growth of the process's memory. With a number of
 * seconds, it first prints its receiver's URL and collects deliveries for that time.
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
const { summary, suiteErrors, brokenOff, refusals } = await runConformance(target, {
  onListening: (url) => console.log(url),
});
clearInterval(watching);
const toMb = (bytes: number) => Math.round(bytes / 2 ** 20);
const grownMb = toMb(Math.max(most, rss()) - before);
const memory = { beforeMb: toMb(before), mostMb: toMb(most), grownMb };
console.log(
  JSON.stringify({ ...memory, summary, failed: summary.failed, suiteErrors, brokenOff, refusals }),
);

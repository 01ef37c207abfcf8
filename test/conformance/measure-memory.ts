import { runConformance } from "../../conformance/run/run.ts";

/** Runs the suite against a URL and prints the growth of the process's memory. */

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };
const [, , baseUrl = ""] = process.argv;
const rss = () => process.memoryUsage.rss();

const before = rss();
let most = before;
const watching = setInterval(() => {
  most = Math.max(most, rss());
}, 5);
const target = { baseUrl, credentials, profile: "full" as const };
const { summary, suiteErrors, brokenOff } = await runConformance(target);
clearInterval(watching);
const grownMb = Math.round((Math.max(most, rss()) - before) / 2 ** 20);
console.log(JSON.stringify({ grownMb, failed: summary.failed, suiteErrors, brokenOff }));

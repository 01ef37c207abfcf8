import { runConformance } from "../../conformance/run.ts";

/** Runs the suite against the address given, and prints by how much the process grew. */

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };
const [, , baseUrl = ""] = process.argv;
const rss = () => process.memoryUsage.rss();

const before = rss();
let most = before;
const watching = setInterval(() => {
  most = Math.max(most, rss());
}, 5);
const target = { baseUrl, credentials, profile: "full" } as const;
const { summary, faults, brokenOff } = await runConformance(target);
clearInterval(watching);
const grownMb = Math.round((Math.max(most, rss()) - before) / 2 ** 20);
console.log(JSON.stringify({ grownMb, failed: summary.failed, faults, brokenOff }));

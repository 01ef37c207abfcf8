import { undiciTransport } from "txfeed/client/undici";
import { useClient } from "./client.ts";
import { facts } from "./facts.ts";
import { useExports } from "./other-exports.ts";
import { useSandbox } from "./sandbox.ts";

const [, , origin = ""] = process.argv;
await useClient(origin);
const transport = undiciTransport();
await useClient(origin, transport);
await transport.close();
await useExports(origin);
await useSandbox();
console.log(JSON.stringify(facts));

import { useClient } from "./client.ts";
import { facts } from "./facts.ts";
import { useExports } from "./other-exports.ts";

declare const process: { readonly argv: readonly string[] };

const [, , origin = ""] = process.argv;
await useClient(origin);
await useExports(origin);
console.log(JSON.stringify(facts));

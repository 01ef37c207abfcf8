/**
 * `npm run mutation`: runs the conformance suite against the sandbox with each single mutation
 * and reports which were caught. The exit status is 1 where one was missed or did nothing, where less than 95 %
 * were caught by name, or where anything was found without a fault.
 */
import { runScript } from "../scripts/program.ts";
import { main } from "./run.ts";

await runScript("teeth", main);

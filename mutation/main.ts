/**
 * `npm run mutation`: runs the conformance suite against the sandbox with each single mutation, and
 * reports which were caught. The exit status is 1 if a mutation was missed or had no effect, if
 * less than 95 % were caught by name, or if the unmodified sandbox had a finding.
 */
import { runScript } from "../scripts/run-script.ts";
import { main } from "./run.ts";

await runScript("teeth", main);

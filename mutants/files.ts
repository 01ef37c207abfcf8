import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The verbs, http and delivery code of the sandbox: not its page, SDK, control API or scripts. */
const MUTATED = [
  "src/sandbox/{http,delivery}/*.ts",
  "src/sandbox/{jobs,problems,request-body,scheduler}.ts",
  "src/world/{activity,enrollment,verbs}/*.ts",
  "src/world/{unit-of-work,job-handlers,linked-cards}.ts",
  "src/model/**/*.ts",
];

/** The mutated files, sorted. */
export function mutatedFiles(): readonly string[] {
  return globSync(MUTATED, { cwd: ROOT }).toSorted();
}

/** The requirement groups that some files touch, by the beginning of their paths. */
const GROUPS: readonly (readonly [path: string, groups: string])[] = [
  ["src/sandbox/http/token", "AUTH"],
  ["src/sandbox/http/authorization", "AUTH"],
  ["src/sandbox/http/keys", "AUTH PAGE"],
  ["src/sandbox/http/page", "PAGE EP"],
  ["src/sandbox/http/listing", "PAGE EP"],
  ["src/sandbox/http/resource", "EP AUTH BLK"],
  ["src/sandbox/problems", "ERR AUTH"],
  ["src/sandbox/request-body", "AUTH"],
  ["src/sandbox/http/", "EP AUTH PAGE"],
  ["src/sandbox/delivery/", "WHK"],
  ["src/world/enrollment/bank-account", "BAC BLK"],
  ["src/world/enrollment/bank-link", "BLK SUB"],
  ["src/world/enrollment/feed", "NBF SUB"],
  ["src/world/enrollment/", "SUB BLK"],
  ["src/world/linked-cards", "SUB BLK"],
  ["src/world/activity/enrichment", "ENR"],
  ["src/world/activity/message", "MSG TXN"],
  ["src/world/activity/match", "MAT TXN"],
  ["src/world/activity/rematch", "MAT TXN"],
  ["src/world/activity/retirement", "BTX MAT"],
  ["src/world/activity/posting", "BTX TXN"],
  ["src/world/activity/bank-post", "BTX TXN MAT"],
  ["src/world/activity/", "TXN MSG"],
  ["src/model/matching/", "MAT TXN"],
  ["src/model/bank-account", "BLK BAC"],
  ["src/model/bank-transaction", "BTX"],
  ["src/model/card-subscription", "SUB"],
  ["src/model/network-bulk-feed", "NBF"],
  ["src/model/transaction-match", "MAT"],
  ["src/model/", "TXN MSG"],
];

/** The requirement groups that a file touches; undefined for all. */
export function groupsOf(file: string): readonly string[] | undefined {
  const [, groups] = GROUPS.find(([path]) => file.startsWith(path)) ?? [];
  return groups?.split(" ");
}

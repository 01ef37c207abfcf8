import { join } from "node:path";
import { ROOT, versionOf } from "../package-tarball.ts";

/** Where the package is to run. */
export interface Runtime {
  readonly name: string;
  readonly version: string;
  /** The npm package that brings it, with its name here; none where the checkout has it. */
  readonly package?: readonly [name: string, spec: string];
  /** @param dir The folder that the runtimes' packages are installed in. */
  readonly program: (dir: string) => string;
  /** What its file uses. */
  readonly uses: string;
  /** The file of `consumer/` that it runs, and what stands before it. */
  readonly args: readonly string[];
}

const bin = (name: string) => (dir: string) => join(dir, "node_modules/.bin", name);

const ANYWHERE = "client, client/mock, client/sdk, contract, webhooks, fixtures";
const ON_NODE = `client by fetch and by client/undici${ANYWHERE.slice("client".length)}, sandbox`;

/** The runtimes, each of a version that we chose. */
export const RUNTIMES: readonly Runtime[] = [
  {
    name: "Node 22",
    version: "22.23.3",
    package: ["node", "22.23.3"],
    program: bin("node"),
    uses: ON_NODE,
    args: ["--disable-warning=ExperimentalWarning", "node.ts"],
  },
  {
    name: "Node 24",
    version: versionOf("node"),
    program: () => join(ROOT, "node_modules/node/bin/node"),
    uses: ON_NODE,
    args: ["node.ts"],
  },
  {
    name: "Bun",
    version: "1.4.5",
    package: ["bun", "1.4.5"],
    program: bin("bun"),
    uses: ANYWHERE,
    args: ["--no-install", "anywhere.ts"],
  },
  {
    name: "Deno",
    version: "2.9.6",
    package: ["deno", "2.9.6"],
    program: bin("deno"),
    uses: ANYWHERE,
    // It needs the network and nothing else.
    args: ["run", "--no-prompt", "--cached-only", "--allow-net=127.0.0.1", "anywhere.ts"],
  },
];

/** A Node.js that is too old: the package says which one it needs. */
export const OLD_NODE = {
  name: "Node 20",
  version: "20.20.2",
  package: ["old-node", "npm:node@20.20.2"],
  program: (dir: string) => join(dir, "node_modules/old-node/bin/node"),
} as const;

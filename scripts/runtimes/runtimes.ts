import { join } from "node:path";
import { ROOT, versionOf } from "../package-tarball.ts";

/** A JavaScript runtime. */
export interface Runtime {
  readonly name: string;
  readonly version: string;
  /** The npm package with its alias; undefined if the checkout has the runtime. */
  readonly package?: readonly [name: string, spec: string];
  /** @param dir The folder with the packages of the runtimes. */
  readonly program: (dir: string) => string;
  /** The exports that its consumer uses. */
  readonly uses: string;
  /** Arguments, and the file of `consumer/` to run. */
  readonly args: readonly string[];
}

const bin = (name: string) => (dir: string) => join(dir, "node_modules/.bin", name);

const ANYWHERE = "client, client/mock, client/sdk, contract, webhooks, fixtures";
const ON_NODE = `client by fetch and by client/undici${ANYWHERE.slice("client".length)}, sandbox`;

/** The supported runtimes, at pinned versions. */
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
    // It needs only network access.
    args: ["run", "--no-prompt", "--cached-only", "--allow-net=127.0.0.1", "anywhere.ts"],
  },
];

/** An unsupported Node.js: the package must name the required version. */
export const OLD_NODE = {
  name: "Node 20",
  version: "20.20.2",
  package: ["old-node", "npm:node@20.20.2"],
  program: (dir: string) => join(dir, "node_modules/old-node/bin/node"),
} as const;

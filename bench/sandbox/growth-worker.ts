/** Measures sandboxes with histories of different lengths, side by side in one process. */
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFeedClient } from "../../src/client/index.ts";
import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import { Engine } from "../../src/sandbox/engine.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { inThePast, populate } from "../../src/sandbox/seed-data/index.ts";
import { openDatabase } from "../../src/sandbox/store/database.ts";
import { serveJob } from "../child.ts";
import { rotate } from "../measure.ts";

export interface GrowthJob {
  /** The numbers of transactions. */
  readonly sizes: readonly number[];
  readonly rounds: number;
}

/** Milliseconds of each round, by what was measured and by size. */
export type Growth = Readonly<Record<"start" | "page" | "purchase", number[][]>>;

const DAY_MS = 86_400_000;
const PER_CARD = 100;
const REPEATS = 20;

/** Writes the data of a sandbox with a number of purchases, of which the bank settles half. */
function writeHistory(file: string, transactions: number): void {
  const settings = { networks: DEFAULT_NETWORKS, validate: false };
  const engine = new Engine(openDatabase(file), { ...settings, seed: 1, clock: "real" });
  populate(engine, "empty");
  const accountId = engine.store.accounts()[0]?.accountId;
  const stepMs = Math.floor((199 * DAY_MS) / transactions);
  engine.commit((work) =>
    inThePast(work, { days: 200, accountId, runsJobs: false }, (world) => {
      for (let made = 0; made < transactions; made += PER_CARD) {
        world.run("open-subaccount", {});
        const { cardId } = world.run("enroll", {});
        world.run("sca-pass", {});
        world.run("link-complete", {});
        for (let count = 0; count < PER_CARD; count += 1) {
          const { transactionId } = world.run("purchase", { cardId, amount: 5 + count });
          if (count % 2 === 0) world.run("bank-post", { transactionId });
          world.advance(`${stepMs}ms`);
        }
      }
    }),
  );
  engine.store.database.close();
}

async function measured<T>(times: number[][], place: number, run: () => Promise<T>): Promise<T> {
  const startMs = performance.now();
  const result = await run();
  times[place]?.push(performance.now() - startMs);
  return result;
}

/** Requests pages, and makes purchases whose webhooks it receives. */
async function measureRequests(sandbox: Sandbox, growth: Growth, place: number): Promise<void> {
  const [account] = sandbox.accounts;
  const client = createFeedClient({ ...account, baseUrl: sandbox.baseUrl });
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end());
  });
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  const { port } = receiver.address() as AddressInfo;
  const { id } = await sandbox.addEndpoint({ url: `http://127.0.0.1:${port}/` });
  for (let count = 0; count < REPEATS; count += 1) {
    await measured(growth.page, place, () =>
      client.transactions.list({ limit: 100 }).toArray({ max: 100 }),
    );
    await measured(growth.purchase, place, async () => {
      await sandbox.trigger("purchase", {});
      await sandbox.settle();
    });
  }
  await sandbox.removeEndpoint(id);
  receiver.close();
}

serveJob(async ({ sizes, rounds }: GrowthJob): Promise<Growth> => {
  const folder = await mkdtemp(join(tmpdir(), "txfeed-growth-"));
  const none = () => sizes.map((): number[] => []);
  const growth = { start: none(), page: none(), purchase: none() };
  try {
    for (const size of sizes) writeHistory(join(folder, `${size}.db`), size);
    const places = sizes.map((_, place) => place);
    for (let round = 0; round < rounds; round += 1) {
      for (const place of rotate(places, round)) {
        const data = join(folder, `${sizes[place]}.db`);
        const sandbox = await measured(growth.start, place, () => createSandbox({ data }));
        await measureRequests(sandbox, growth, place);
        await sandbox.close();
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return growth;
});

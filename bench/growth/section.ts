import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { startPostgres } from "../../test/support/postgres.ts";
import { median, rotate } from "../measure.ts";
import { atMost, ratioText, type SectionReport, type Table, type Target } from "../report.ts";
import type { Section } from "../section.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import type { Fill, GrowthStore } from "./store.ts";
import { measureStore, type Speeds } from "./workload.ts";

/** How much slower a large inbox may be than a small one. */
const LIMIT = 1.5;

interface Case {
  readonly title: string;
  readonly fill: Fill;
  /** Whether this is what the following cases are compared with. */
  readonly isBaseline?: true;
}

function casesOf(isQuick: boolean): readonly Case[] {
  const scale = isQuick ? 100 : 1;
  const text = (count: number) => count.toLocaleString("en");
  const parked = (count: number) => ({
    title: `${text(count)} stored in other lanes`,
    fill: { others: count, waiting: 0, quarantined: 0 },
  });
  const lane = (waiting: number, quarantined: number) => ({
    title: `one lane of ${text(waiting)}, ${text(quarantined)} in quarantine`,
    fill: { others: 0, waiting, quarantined },
  });
  return [
    { ...parked(1000), isBaseline: true },
    parked(100_000 / scale),
    parked(1_000_000 / scale),
    { ...lane(1000, 0), isBaseline: true },
    lane(50_000 / scale, 0),
    lane(1000, 50_000 / scale),
  ];
}

/** How receipt and handling slow down when many deliveries are stored. */
export const growth: Section = async ({ processes, isQuick }) => {
  const server = await startPostgres();
  // Not in the folder for temporary files, which may be in memory.
  const folder = await mkdtemp(join(import.meta.dirname, "../../node_modules/.growth-"));
  try {
    let files = 0;
    const reports = [
      await measure("Postgres", processes, isQuick, async () =>
        openPostgres(await server.createDatabase()),
      ),
      await measure("SQLite", processes, isQuick, async () =>
        openSqlite(join(folder, `${++files}.db`)),
      ),
    ];
    return {
      tables: reports.flatMap(({ tables }) => tables),
      targets: reports.flatMap(({ targets }) => targets),
    };
  } finally {
    await server.remove();
    await rm(folder, { recursive: true, force: true });
  }
};

/** Measures all cases in turn, each in a database of its own. */
async function measure(
  name: string,
  rounds: number,
  isQuick: boolean,
  open: () => Promise<GrowthStore>,
): Promise<SectionReport> {
  const cases = casesOf(isQuick);
  const speeds = cases.map((): Speeds[] => []);
  const stores: GrowthStore[] = [];
  try {
    for (const { fill } of cases) {
      const store = await open();
      stores.push(store);
      await store.fill(fill);
    }
    // The first round warms up code.
    for (let round = 0; round <= rounds; round += 1) {
      for (const [at, { fill }] of rotate([...cases.entries()], round)) {
        const store = stores[at];
        if (!store) continue;
        const speed = await measureStore(store, isQuick ? 200 : 2000, fill);
        if (round > 0) speeds[at]?.push(speed);
      }
    }
  } finally {
    for (const store of stores) await store.close();
  }
  return reportOf(name, cases, speeds);
}

function reportOf(
  name: string,
  cases: readonly Case[],
  speeds: readonly (readonly Speeds[])[],
): SectionReport {
  const rows: string[][] = [];
  const targets: Target[] = [];
  let baseline: readonly Speeds[] = [];
  for (const [at, { title, isBaseline }] of cases.entries()) {
    const own = speeds[at] ?? [];
    if (isBaseline) baseline = own;
    const middle = (of: (speed: Speeds) => number) => median(own.map(of));
    /** How many times slower than the small case, as the median of the rounds. */
    const ratio = (of: (speed: Speeds) => number) =>
      median(own.map((speed, round) => of(baseline[round] ?? speed) / of(speed)));
    const received = ratio(({ receivedASecond }) => receivedASecond);
    const handled = ratio(({ handledASecond }) => handledASecond);
    rows.push([
      title,
      middle(({ receivedASecond }) => receivedASecond).toFixed(0),
      ratioText(received),
      middle(({ handledASecond }) => handledASecond).toFixed(0),
      ratioText(handled),
      `${middle(({ healthMs }) => healthMs).toFixed(1)} ms`,
    ]);
    if (isBaseline) continue;
    targets.push(
      atMost(`${name}, ${title}: receipt, times slower`, LIMIT, received, ratioText),
      atMost(`${name}, ${title}: handling, times slower`, LIMIT, handled, ratioText),
    );
  }
  const table: Table = {
    title: `Growth of an inbox on ${name}`,
    columns: ["received/s", "times slower", "handled/s", "times slower", "health()"],
    rows,
    notes: [
      "Other lanes: half of the deliveries wait for a retry, half are in quarantine.",
      "One lane: all measured deliveries are of that lane.",
    ],
  };
  return { tables: [table], targets };
}

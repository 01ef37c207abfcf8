import { setImmediate } from "node:timers/promises";
import { createFeedClient } from "../../src/client/index.ts";
import { runInChild, serveJob } from "../child.ts";
import { atMost } from "../report.ts";
import type { Section } from "../section.ts";
import { feedOptions } from "./clients.ts";
import { CARDS_A_PAGE, PAGES, type PageStyle, pageLink } from "./responses.ts";
import { withService } from "./section.ts";

const STYLES: readonly PageStyle[] = ["offset", "cursor"];
const FEW_PAGES = 100;
const COLLECTIONS = 3;
const LIMIT_BYTES = 1e6;

interface Job {
  readonly origin: string;
  readonly style: PageStyle;
}

/** Heap in use during a walk, in bytes, after garbage collection. */
interface Heap {
  readonly afterFew: number;
  readonly atEnd: number;
  readonly durationMs: number;
}

/** Collects several times, because fetch releases objects in stages. */
async function inUse(): Promise<number> {
  const collect = globalThis.gc;
  if (!collect) throw new Error("measuring memory requires --expose-gc");
  for (let turn = 0; turn < COLLECTIONS; turn += 1) {
    await setImmediate();
    collect();
  }
  return process.memoryUsage().heapUsed;
}

async function measure({ origin, style }: Job): Promise<Heap> {
  const feed = createFeedClient(feedOptions(origin));
  const cards = feed.cards.list(
    style === "offset" ? { limit: CARDS_A_PAGE } : { from: pageLink(style, 0) },
  );
  // Allocate compiled code and module state before measuring.
  await cards.toArray({ max: FEW_PAGES * CARDS_A_PAGE });
  const start = performance.now();
  let walked = 0;
  let afterFew = 0;
  let atEnd = 0;
  for await (const _ of cards) {
    walked += 1;
    // At the last card, the walk still has all its state.
    if (walked === FEW_PAGES * CARDS_A_PAGE) afterFew = await inUse();
    if (walked === PAGES * CARDS_A_PAGE) atEnd = await inUse();
  }
  if (atEnd === 0) throw new Error(`the walk ended after ${walked} cards`);
  return { afterFew, atEnd, durationMs: performance.now() - start };
}

/** Memory of a walk over many pages. */
export const walk: Section = async () => {
  const heaps = await withService(async (origin) => {
    const measured: (Heap & { readonly style: PageStyle })[] = [];
    for (const style of STYLES) {
      const job: Job = { origin, style };
      const heap = await runInChild<Heap>(new URL(import.meta.url), job, ["--expose-gc"]);
      measured.push({ ...heap, style });
    }
    return measured;
  });
  const growth = ({ afterFew, atEnd }: Heap) => atEnd - afterFew;
  const few = `heap after ${FEW_PAGES}`;
  const all = `after ${PAGES.toLocaleString("en")}`;
  return {
    tables: [
      {
        title: `Walking ${PAGES.toLocaleString("en")} pages of ${CARDS_A_PAGE} cards`,
        columns: [few, all, "growth", "a page"],
        rows: heaps.map((heap) => [
          `by ${heap.style}`,
          megabytesText(heap.afterFew),
          megabytesText(heap.atEnd),
          growthText(growth(heap)),
          `${(heap.durationMs / PAGES).toFixed(2)} ms`,
        ]),
      },
    ],
    targets: heaps.map((heap) =>
      atMost(
        `memory of ten times the pages, by ${heap.style}`,
        LIMIT_BYTES,
        growth(heap),
        growthText,
      ),
    ),
  };
};

function megabytesText(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}

function growthText(bytes: number): string {
  return `${bytes < 0 ? "-" : "+"}${megabytesText(Math.abs(bytes))}`;
}

if (import.meta.main) serveJob(measure);

import { eventNames } from "../contract/index.ts";
import { suggestion } from "../nearest.ts";
import { counted, type TextStyle } from "../text.ts";
import type { Delivery, DeliveryFilter, Inbox } from "../webhooks/index.ts";
import { EXIT } from "./command.ts";
import type { Output } from "./output.ts";
import type { Progress } from "./progress.ts";
import {
  type ListedRow,
  problemsOf,
  renderDelivery,
  renderStatus,
  renderTable,
} from "./queue-text.ts";

/** The verbs of `txfeed queue`. */
export type Verb = "status" | "list" | "show" | "replay" | "drop";

/** A call of `txfeed queue`. */
export interface QueueCall {
  readonly verb: Verb;
  readonly filter: DeliveryFilter;
  /** Empty to select by the filter only. */
  readonly ids: readonly number[];
  readonly isDryRun: boolean;
  readonly isCheck: boolean;
  readonly isJson: boolean;
}

/** Where a verb writes. */
export interface QueueOutput {
  readonly out: Output;
  /** Reports a line on the standard error. */
  readonly warn: (line: string) => void;
  readonly style: TextStyle;
  readonly progress: Progress;
}

/** The methods of an inbox that the command calls. */
export type OperatedInbox = Pick<Inbox, "status" | "list" | "count" | "replay" | "drop">;

type Run = (inbox: OperatedInbox, call: QueueCall, output: QueueOutput) => Promise<number>;

/** How many deliveries a table has. */
const TABLE_SIZE = 50;

/** How many deliveries with their bodies are in memory at a time. */
const PAGE_SIZE = 500;

const RUNS: Readonly<Record<Verb, Run>> = { status, list, show, replay: change, drop: change };

/**
 * Runs a verb on an inbox.
 *
 * @returns the exit status.
 */
export const runVerb: Run = (inbox, call, output) => RUNS[call.verb](inbox, call, output);

async function status(
  ...[inbox, { isCheck, isJson }, { out, style }]: Parameters<Run>
): Promise<number> {
  const found = await inbox.status();
  await out.write(isJson ? `${JSON.stringify(found)}\n` : renderStatus(found, style));
  return isCheck && problemsOf(found).length > 0 ? EXIT.found : EXIT.ok;
}

async function list(
  ...[inbox, { filter, isJson }, { out, warn, style, progress }]: Parameters<Run>
): Promise<number> {
  const { limit = TABLE_SIZE, ...unlimited } = filter;
  const selected = { ...filter, limit };
  if (isJson) {
    let shown = 0;
    for await (const page of pagesIn(inbox, selected)) {
      shown += page.length;
      await out.write(page.map((delivery) => `${JSON.stringify(delivery)}\n`).join(""));
      if (out.isClosed) return EXIT.ok;
    }
    // Without the flag, a program may take the first ones for all.
    const total = filter.limit === undefined && shown === limit ? await inbox.count(unlimited) : 0;
    if (total > shown) warn(shareOf(shown, total));
    return EXIT.ok;
  }
  const rows = await rowsIn(inbox, selected, progress);
  const total = rows.length < limit ? rows.length : await inbox.count(unlimited);
  const last = total === 0 ? nothingIn(filter) : shareOf(rows.length, total);
  await out.write(`${renderTable(rows, style)}${last}\n`);
  return EXIT.ok;
}

/** Says how many deliveries of all are listed. */
function shareOf(shown: number, total: number): string {
  const deliveries = counted(total, "delivery", "deliveries");
  if (shown >= total) return deliveries;
  return `the first ${shown.toLocaleString("en-US")} of ${deliveries}; --limit ${total} lists all`;
}

async function show(
  ...[inbox, { ids, isJson }, { out, warn, style }]: Parameters<Run>
): Promise<number> {
  const found = await inbox.list({ ids });
  const texts = found.map((delivery) =>
    isJson ? `${JSON.stringify(delivery)}\n` : renderDelivery(delivery, style),
  );
  await out.write(texts.join(isJson ? "" : "\n"));
  return reportMissing(ids, found, warn);
}

/** Replays or drops deliveries. */
async function change(
  ...[inbox, { verb, ids, filter, isDryRun, isJson }, output]: Parameters<Run>
): Promise<number> {
  const { out, warn, style, progress } = output;
  const selected = ids.length > 0 ? { ...filter, ids } : filter;
  const stored = ids.length > 0 ? await rowsIn(inbox, { ids }, progress) : [];
  const preview = isDryRun ? await rowsIn(inbox, selected, progress) : [];
  const isReplay = verb === "replay";
  if (!isDryRun) progress.step(isReplay ? "replaying deliveries" : "dropping deliveries");
  const changed = async () => (isReplay ? inbox.replay(selected) : inbox.drop(selected));
  const count = isDryRun ? preview.length : await changed();
  progress.clear();
  if (isJson) {
    const would = isDryRun ? { ids: preview.map(({ id }) => id) } : {};
    const missing = missingIn(ids, stored);
    await out.write(`${JSON.stringify({ verb, dryRun: isDryRun, count, ...would, missing })}\n`);
    return reportMissing(ids, stored, warn);
  }
  const deliveries = counted(count, "delivery", "deliveries");
  const done = isReplay ? "replayed, for the next worker that polls" : "dropped";
  const summary = isDryRun
    ? `${verb} would change ${deliveries}; nothing was changed`
    : `${style.good("✓")} ${deliveries} ${done}`;
  const last = count === 0 ? nothingIn(selected) : summary;
  const hidden = preview.length - TABLE_SIZE;
  const more = hidden > 0 ? `  and ${hidden.toLocaleString("en-US")} more\n\n` : "";
  await out.write(`${renderTable(preview.slice(0, TABLE_SIZE), style)}${more}${last}\n`);
  return reportMissing(ids, stored, warn);
}

/** The deliveries that a filter selects, page by page. */
async function* pagesIn(
  inbox: OperatedInbox,
  { limit = Number.POSITIVE_INFINITY, ...filter }: DeliveryFilter,
): AsyncGenerator<readonly Delivery[]> {
  let after = 0;
  for (let left = limit; left > 0; ) {
    const wanted = Math.min(left, PAGE_SIZE);
    const page = await inbox.list({ ...filter, after, limit: wanted });
    if (page.length > 0) yield page;
    if (page.length < wanted) return;
    left -= page.length;
    after = page.at(-1)?.id ?? after;
  }
}

async function rowsIn(
  inbox: OperatedInbox,
  filter: DeliveryFilter,
  progress: Progress,
): Promise<ListedRow[]> {
  const rows: ListedRow[] = [];
  for await (const page of pagesIn(inbox, filter)) {
    rows.push(...page.map(({ body: _body, headers: _headers, ...row }) => row));
    progress.show(() => `reading: ${counted(rows.length, "delivery", "deliveries")}`);
  }
  progress.clear();
  return rows;
}

/** Says that a filter selects nothing, with advice if the event is unknown. */
function nothingIn({ limit: _limit, ...filter }: DeliveryFilter): string {
  if (Object.keys(filter).length === 0) return "the inbox has no deliveries";
  const { event } = filter;
  if (event === undefined || eventNames.some((name) => name === event)) {
    return "no delivery is selected";
  }
  const advice = suggestion(event, eventNames, "the contract has no such event");
  return `no delivery is selected; --event ${event}: ${advice}`;
}

type Id = Pick<Delivery, "id">;

function missingIn(ids: readonly number[], stored: readonly Id[]): number[] {
  const found = new Set(stored.map(({ id }) => id));
  return ids.filter((id) => !found.has(id));
}

function reportMissing(
  ids: readonly number[],
  stored: readonly Id[],
  warn: QueueOutput["warn"],
): number {
  const missing = missingIn(ids, stored);
  if (missing.length === 0) return EXIT.ok;
  const which = missing.length === 1 ? "is no delivery" : "are no deliveries";
  warn(`there ${which} ${missing.join(", ")}: handled, dropped, or never stored`);
  return EXIT.found;
}

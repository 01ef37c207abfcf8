import { counted, printable, shortened, type TextStyle } from "../text.ts";
import type { Delivery, InboxStatus } from "../webhooks/index.ts";

/** A delivery without its content, because a table may have many. */
export type ListedRow = Omit<Delivery, "body" | "headers">;

/** How long a due lane may wait for a worker, in milliseconds. Workers poll each second. */
const LAG_MS = 60_000;

/** The width of a reason in a table; `show` prints all of it. */
const REASON_WIDTH = 40;

/** Describes what needs an operator, the most urgent first; nothing if all is well. */
export function problemsOf(status: InboxStatus): string[] {
  const { quarantined, stalled, lagMs } = status;
  const lanes = counted(stalled, "lane is stalled", "lanes are stalled");
  const held = counted(quarantined, "delivery is", "deliveries are");
  const look = "txfeed queue list --state quarantined";
  return [
    ...(stalled > 0 ? [`${lanes}: a worker ended or hangs, and no other took over`] : []),
    ...(lagMs !== null && lagMs > LAG_MS
      ? [`deliveries have waited ${durationOf(lagMs)} for a worker: start a receiver, or more`]
      : []),
    ...(quarantined > 0 ? [`${held} in quarantine; see ${look}`] : []),
  ];
}

/** Renders the status, with what needs an operator last. */
export function renderStatus(status: InboxStatus, style: TextStyle): string {
  const { waiting, quarantined, running, delayed, stalled, oldestAgeMs } = status;
  const oldest = oldestAgeMs === null ? "" : `the first was received ${agoOf(oldestAgeMs)}`;
  const rows: [string, number, string][] = [
    ["waiting", waiting, oldest],
    ["quarantined", quarantined, "not handled until they are replayed"],
    ["running lanes", running, "a worker handles them"],
    ["delayed lanes", delayed, "the first delivery failed and waits for its retry"],
    ["stalled lanes", stalled, "their worker ended or hangs"],
  ];
  const counts = rows.map(([, count]) => count.toLocaleString("en-US"));
  const width = Math.max(...counts.map(({ length }) => length));
  const lines = rows.map(([name, count, note], at) => {
    const number = counts[at]?.padStart(width);
    const explained = count > 0 && note !== "" ? `   ${style.dim(note)}` : "";
    return `  ${name.padEnd(13)}   ${number}${explained}`;
  });
  const problems = problemsOf(status).map((text) => `${style.bad("✗")} ${text}`);
  const last = problems.length > 0 ? problems : [`${style.good("✓")} nothing needs attention`];
  return [...lines, "", ...last, ""].join("\n");
}

const HEADINGS = ["ID", "STATE", "RECEIVED", "EVENT", "LANE", "FAILURES", "REASON"];

/** Renders a table of deliveries with an empty line at its end; nothing for none. */
export function renderTable(deliveries: readonly ListedRow[], style: TextStyle): string {
  if (deliveries.length === 0) return "";
  const rows = deliveries.map((one) => [
    String(one.id),
    one.state,
    one.receivedAt.replace(/\.\d+Z$/, "Z"),
    one.event,
    one.lane ?? "-",
    String(one.failures),
    shortened(one.reason ?? "", REASON_WIDTH),
  ]);
  const texts = [HEADINGS, ...rows.map((row) => row.map(printable))];
  const widths = HEADINGS.map((_, at) => Math.max(...texts.map((row) => row[at]?.length ?? 0)));
  const lines = texts.map((row, index) => {
    const cells = row.map((cell, at) => {
      const isNumber = HEADINGS[at] === "ID" || HEADINGS[at] === "FAILURES";
      return isNumber ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0);
    });
    const line = `  ${cells.join("  ")}`.trimEnd();
    return index === 0 ? style.dim(line) : line;
  });
  return [...lines, "", ""].join("\n");
}

/** Renders everything about a delivery. */
export function renderDelivery(delivery: Delivery, style: TextStyle): string {
  const { id, state, event, lane, receivedAt, key, deliveryId, failures, reason } = delivery;
  const age = agoOf(Math.max(0, Date.now() - Date.parse(receivedAt)));
  const facts: [string, string][] = [
    ["event", event],
    ["lane", lane ?? "none"],
    ["received", `${receivedAt} (${age})`],
    ["delivery id", deliveryId ?? "none"],
    ["key", key ?? "none: never a duplicate"],
    ["failures", String(failures)],
    ["reason", reason ?? "none"],
  ];
  const headers = Object.entries(delivery.headers);
  const paint = state === "quarantined" ? style.bad : style.warn;
  const body = readable(delivery.body).split("\n");
  return [
    `${style.bold(`delivery ${id}`)}  ${paint(state)}`,
    ...aligned(facts, style),
    "",
    style.bold("headers"),
    ...(headers.length > 0 ? aligned(headers, style) : ["  none"]),
    "",
    style.bold("body"),
    ...body.map((line) => `  ${printable(line)}`),
    "",
  ].join("\n");
}

function aligned(rows: readonly [string, string][], style: TextStyle): string[] {
  const names = rows.map(([name]) => printable(name));
  const width = Math.max(...names.map(({ length }) => length));
  return rows.map(
    ([, value], at) => `  ${style.dim((names[at] ?? "").padEnd(width))}  ${printable(value)}`,
  );
}

/** Indents JSON. Numbers keep their digits, which a number of JavaScript may not have. */
function readable(body: string): string {
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  const keep = (_name: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === "number" && source !== undefined ? rawJSON(source) : value;
  try {
    return JSON.stringify(JSON.parse(body, keep), null, 2);
  } catch {
    return body;
  }
}

/** Formats an age: "45 s ago". */
const agoOf = (ms: number) => `${durationOf(ms)} ago`;

/** Formats a duration: "45 s", "12 min", "3 h", "2 days". */
function durationOf(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400).toLocaleString("en-US")} days`;
}

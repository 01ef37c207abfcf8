import type { Finding } from "../contract/index.ts";
import { memberOf, valueAt } from "../contract/pointer.ts";
import { counted, printable, shortened } from "../text.ts";
import { CaptureFile } from "./capture-file.ts";
import { type Command, EXIT, portIn, requiredIn } from "./command.ts";
import { NETWORKS_FLAG, networksIn } from "./contract-flags.ts";
import { startDeliveryServer } from "./delivery-server.ts";
import { LEVELS, shortMessageOf } from "./finding-groups.ts";
import { LEVEL_MARKS, paintOf } from "./findings-report.ts";
import { JSON_LINES_FLAG } from "./format.ts";
import { type Arrival, listenerFor } from "./listener.ts";
import { outputTo, warn } from "./output.ts";
import { interrupted, styleFor } from "./terminal.ts";
import { isOk, renderTally, Tally } from "./validation.ts";

/** `txfeed listen`: records deliveries until it is interrupted. */
export const listen: Command = {
  name: "listen",
  positionals: [],
  summary: "receives deliveries, validates them and appends them to a capture",
  notes: [
    "The capture is for validate and history. It keeps two headers: webhook-event-type and",
    "content-type.",
  ],
  flags: {
    port: { type: "string", value: "N", help: "port to listen on, 0 for a free one (required)" },
    out: { type: "string", value: "FILE", help: "append deliveries to FILE (required)" },
    host: { type: "string", value: "HOST", help: "address to listen on (default: 127.0.0.1)" },
    networks: NETWORKS_FLAG,
    json: JSON_LINES_FLAG,
  },
  examples: [
    {
      command: "txfeed listen --port 4040 --out capture.ndjson",
      does: "record deliveries until Ctrl-C",
    },
    {
      command: "txfeed listen --port 4040 --out capture.ndjson --json",
      does: "print each delivery for a program",
    },
  ],
  run: async ({ values }) => {
    const port = portIn(listen, requiredIn(listen, values, "port"));
    const file = requiredIn(listen, values, "out");
    const networks = networksIn(listen, values);
    const capture = await CaptureFile.open(file);
    const style = styleFor(process.stdout);
    // Recording continues even if the reader of the output closes it.
    const out = outputTo(process.stdout);
    const print = (line: string) => void out.write(`${line}\n`).catch(() => undefined);
    const isJson = values.json === true;
    /** Prints a line of text, or the same as a line of JSON. */
    const report = (text: () => string, record: Readonly<Record<string, unknown>>) =>
      print(isJson ? JSON.stringify(record) : text());
    const tally = new Tally();
    const receive = listenerFor({
      networks,
      capture,
      onArrival: (arrival) => {
        const ok = isOk(arrival.findings, { isStrict: false });
        tally.add({ subject: arrival.name, ok, findings: arrival.findings });
        const { receivedAt, name: event, findings } = arrival;
        const record = { type: "delivery", receivedAt, event, ok, findings };
        report(() => renderArrival(arrival, style), record);
      },
      onRefusal: ({ status }, reason) =>
        report(() => style.dim(`· refused with ${status}: ${reason}`), {
          ...{ type: "refusal", status, reason },
        }),
    });
    const server = await startDeliveryServer({
      host: String(values.host ?? "127.0.0.1"),
      port,
      receive,
      onError: (error) => warn(`txfeed: ${error instanceof Error ? error.message : error}`),
    });
    const ended = interrupted();
    const repaired = `the last line of ${file} was incomplete; it was kept and terminated`;
    if (capture.isRepaired) report(() => repaired, { type: "repair", message: repaired });
    report(() => `listening on ${server.url}, writing to ${file}; press Ctrl-C to stop`, {
      ...{ type: "listening", url: server.url, out: file },
    });
    await ended;
    await server.stop();
    await capture.close();
    const summary = `${renderTally(tally, style, "delivery", "deliveries")}, in ${file}`;
    const { payloads: deliveries, ok, withErrors, withWarnings, notices } = tally;
    const record = { type: "summary", deliveries, ok, withErrors, withWarnings, notices };
    await out.write(`${isJson ? JSON.stringify(record) : summary}\n`);
    return tally.ok < tally.payloads ? EXIT.found : EXIT.ok;
  },
};

const MAX_MESSAGE_LENGTH = 100;
const WIDEST_EVENT = "networkbulkfeed.statechanged".length;
const ID_LENGTH = 8;

/** Renders a line: time, event, resource and result. */
function renderArrival(arrival: Arrival, style: ReturnType<typeof styleFor>): string {
  const { receivedAt, name, body, findings } = arrival;
  const worst = LEVELS.find((wanted) => findings.some(({ level }) => level === wanted));
  const time = receivedAt.slice("2025-03-04T".length, -1);
  const event = printable(name || "(no event)").padEnd(WIDEST_EVENT);
  const id = printable(resourceIn(body)).padEnd(ID_LENGTH);
  const [first] = findings;
  const result = first
    ? `${counted(findings.length, "finding")}: ${first.requirement} ${messageOf(first, name)}`
    : "ok";
  const mark = worst ? paintOf(worst, style)(LEVEL_MARKS[worst]) : style.good("✓");
  return `${mark} ${style.dim(time)}  ${event}  ${id}  ${shortened(result, MAX_MESSAGE_LENGTH)}`;
}

function messageOf(finding: Finding, name: string): string {
  const path = finding.path === "" ? "" : `${finding.path} `;
  return printable(path + shortMessageOf(finding, name));
}

/** The first characters of the id of the resource. */
function resourceIn(body: unknown): string {
  const own = ["id", "matchId", "bankLinkId", "bankAccountId"].map((name) => memberOf(body, name));
  const id = [...own, valueAt(body, ["metadata", "resourceId"])].find(
    (value) => typeof value === "string",
  );
  return String(id ?? "").slice(0, ID_LENGTH);
}

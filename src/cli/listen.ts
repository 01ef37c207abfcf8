import type { Finding } from "../contract/index.ts";
import { memberOf, valueAt } from "../contract/pointer.ts";
import { counted, printable, shortened } from "../text.ts";
import { CaptureFile } from "./capture-file.ts";
import { type Command, EXIT, portIn, requiredIn } from "./command.ts";
import { NETWORKS_FLAG, networksIn } from "./contract-flags.ts";
import { startDeliveryServer } from "./delivery-server.ts";
import { shortMessageOf } from "./finding-groups.ts";
import { LEVEL_MARKS, paintOf } from "./findings-report.ts";
import { interrupted } from "./interrupted.ts";
import { type Arrival, listenerFor } from "./listener.ts";
import { outputTo } from "./output.ts";
import { styleFor } from "./style.ts";
import { renderTally, Tally } from "./tally.ts";

/** `txfeed listen`: receives deliveries into a capture, until it is interrupted. */
export const listen: Command = {
  name: "listen",
  positionals: [],
  summary: "receives deliveries, judges each as it comes, and appends it to a capture",
  notes: [
    "The capture is for validate and history. It keeps no header but the event's name and the",
    "content-type.",
  ],
  flags: {
    port: { type: "string", value: "N", help: "the port; 0 for a free one" },
    out: { type: "string", value: "FILE", help: "the capture; it is appended to" },
    host: { type: "string", value: "HOST", help: "the address to listen on; 127.0.0.1 unless set" },
    networks: NETWORKS_FLAG,
  },
  run: async ({ values }) => {
    const port = portIn(listen, requiredIn(listen, values, "port"));
    const file = requiredIn(listen, values, "out");
    const networks = networksIn(listen, values);
    const capture = await CaptureFile.open(file);
    const style = styleFor(process.stdout);
    // Who reads along may leave: the capture goes on.
    const out = outputTo(process.stdout);
    const say = (line: string) => void out.write(`${line}\n`).catch(() => undefined);
    const tally = new Tally();
    const receive = listenerFor({
      networks,
      capture,
      onArrival: (arrival) => {
        const ok = arrival.findings.every(({ level }) => level !== "error");
        tally.add({ subject: arrival.name, ok, findings: arrival.findings });
        say(renderArrival(arrival, style));
      },
      onRefusal: ({ status }, why) => say(style.dim(`· refused with ${status}: ${why}`)),
    });
    const server = await startDeliveryServer({
      host: String(values.host ?? "127.0.0.1"),
      port,
      receive,
      onError: (error) =>
        console.error(`txfeed: ${error instanceof Error ? error.message : error}`),
    });
    if (capture.isRepaired) say(`${file} ended within a line: that line is ended now, and kept`);
    say(`listening on ${server.url}, deliveries go to ${file}; Ctrl-C stops it`);
    await interrupted();
    await server.stop();
    await capture.close();
    await out.write(`${renderTally(tally, style, "delivery", "deliveries")}, in ${file}\n`);
    return tally.ok < tally.payloads ? EXIT.found : EXIT.ok;
  },
};

const LONGEST_MESSAGE = 100;
const WIDEST_EVENT = "networkbulkfeed.statechanged".length;
const ID_LENGTH = 8;

/** A line: when, the event, the resource, and what was found. */
function renderArrival(arrival: Arrival, style: ReturnType<typeof styleFor>): string {
  const { receivedAt, name, body, findings } = arrival;
  const worst = (["error", "warning", "notice"] as const).find((wanted) =>
    findings.some(({ level }) => level === wanted),
  );
  const time = receivedAt.slice("2025-03-04T".length, -1);
  const event = printable(name || "(no event)").padEnd(WIDEST_EVENT);
  const id = printable(resourceIn(body)).padEnd(ID_LENGTH);
  const [first] = findings;
  const said = first
    ? `${counted(findings.length, "finding")}: ${first.requirement} ${shownIn(first, name)}`
    : "ok";
  const mark = worst ? paintOf(worst, style)(LEVEL_MARKS[worst]) : style.good("✓");
  return `${mark} ${style.dim(time)}  ${event}  ${id}  ${shortened(said, LONGEST_MESSAGE)}`;
}

function shownIn(finding: Finding, name: string): string {
  const path = finding.path === "" ? "" : `${finding.path} `;
  return printable(path + shortMessageOf(finding, name));
}

/** The beginning of the id of what a delivery is about. */
function resourceIn(body: unknown): string {
  const own = ["id", "matchId", "bankLinkId", "bankAccountId"].map((name) => memberOf(body, name));
  const id = [...own, valueAt(body, ["metadata", "resourceId"])].find(
    (value) => typeof value === "string",
  );
  return String(id ?? "").slice(0, ID_LENGTH);
}

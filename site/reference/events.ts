import { type EventName, eventNames } from "../../generated/events.ts";
import { variants } from "../../src/fixtures/index.ts";
import { code, join, link, type Page, section, table } from "../page.ts";
import { bodyOf, eventsByName, type Operation } from "./contract.ts";
import { fieldTable } from "./fields.ts";
import { jsonExamples } from "./json-examples.ts";
import { eventPath } from "./paths.ts";
import type { Places } from "./places.ts";
import { relatedTo } from "./related.ts";
import { requirementLinks, requirementTable, withRequirementLinks } from "./requirement-links.ts";
import { resourcePages } from "./resource-names.ts";
import { statesBefore, transitionsOf } from "./state-tables.ts";

/** The address of the receiver in the examples. */
export const RECEIVER_URL = "http://127.0.0.1:3000";

/** A page for each event. */
export function eventPages(places: Places): Page[] {
  return eventNames.map((name) => {
    const event = eventsByName.get(name);
    if (!event) throw new Error(`the document has no event ${name}`);
    const page = eventPath(name);
    const { schema = {}, examples } = bodyOf(event);
    const requirements = event["x-requirements"] ?? [];
    for (const id of requirements) places.add(id, { page, anchor: "", label: name });
    const text = join(
      withRequirementLinks(event.description),
      `The header \`webhook-event-type\` is \`${name}\` (${requirementLinks(["WHK-01"])}).`,
      section("Example", exampleOf(name, event)),
      section("Fields", fieldTable(page, schema, places)),
      section("Sent when", sendingTable(name)),
      section("Fixtures", fixturesOf(name)),
      section("Example payloads", ...jsonExamples(examples)),
      section("Requirements of the whole event", requirementTable(requirements)),
      section("Related", relatedTo(event.tags, page)),
    );
    return { path: page, title: name, description: `${event.summary}.`, text };
  });
}

/** A receiver with a handler of the event, and a delivery with curl. */
function exampleOf(name: string, event: Operation): string {
  const bodies = bodyOf(event).examples.map(([, { value }]) => JSON.stringify(value));
  const shortest = bodies.toSorted((a, b) => a.length - b.length)[0] ?? "{}";
  const receiver = `import { createServer } from "node:http";
import { createReceiver } from "txfeed/webhooks";
import { toNodeHandler } from "txfeed/webhooks/node";

const receiver = createReceiver({
  on: { "${name}": ({ body }) => console.log(body) },
});
createServer(toNodeHandler(receiver)).listen(3000);
`;
  const curl = `curl -i ${RECEIVER_URL} -H "webhook-event-type: ${name}" \\
  -H "content-type: application/json" -d '${shortest}'`;
  return join(
    code("ts", receiver),
    "Send it an example payload. The receiver validates it, prints it and responds with 204:",
    code("sh", curl),
  );
}

/** The variants that `make` of txfeed/fixtures builds. */
function fixturesOf(name: EventName): string {
  const names = variants[name].map((variant) => `\`${variant}\``);
  return `\`make("${name}", {}, { variant })\` of ${link("txfeed/fixtures", "reference/api/fixtures")} builds a valid payload. The variants: ${names.join(", ")}.`;
}

/** The transitions that send an event, from the state tables. */
function sendingTable(name: EventName): string {
  const rows = [...resourcePages.values()].flatMap(({ name: resource, path, tag }) => {
    return transitionsOf(resource)
      .filter(({ sends }) => sends.includes(name))
      .map((row) => [
        link(tag, path, "states"),
        `\`${row.trigger}\``,
        `${statesBefore(row)} → \`${row.to}\``,
        requirementLinks([row.requirement]),
      ]);
  });
  return table(["Resource", "Trigger", "States", "Requirement"], rows);
}

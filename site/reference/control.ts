import { controlDocument } from "../../src/sandbox/control/document.ts";
import { escapeHtml, join, link, type Page, section, table } from "../page.ts";

/** The page of the sandbox's control API: every call, and every verb. */
export function controlPage(): Page {
  const calls = Object.entries(controlDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({
      isVerb: path.startsWith("/verbs/"),
      row: [`\`${method.toUpperCase()} /_sandbox${path}\``, escapeHtml(summary)],
    })),
  );
  const rowsOf = (verbs: boolean) => calls.filter(({ isVerb }) => isVerb === verbs);
  const text = join(
    `A running sandbox is controlled over HTTP, below \`/_sandbox\`. It requires no credentials. The guide of the ${link("sandbox", "guides/sandbox", "the-control-api")} has examples, ${link("`txfeed/sandbox/control`", "reference/api/sandbox/control")} is the typed client, and \`/_sandbox/openapi.json\` of a sandbox is the OpenAPI document with the fields of each call.`,
    section(
      "Calls",
      table(
        ["Call", "What it does"],
        rowsOf(false).map(({ row }) => row),
      ),
    ),
    section(
      "Verbs",
      "The body is a JSON object with the parameters. `npm run -s txfeed -- trigger VERB --help` lists them.",
      table(
        ["Call", "What it does"],
        rowsOf(true).map(({ row }) => row),
      ),
    ),
  );
  const description = "Every call of the sandbox's control API.";
  return { path: "reference/control", title: "Control API", description, text };
}

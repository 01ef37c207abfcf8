import { existsSync, readFileSync } from "node:fs";
import { counted, wrapped } from "../../src/text.ts";
import { checks } from "../checks/index.ts";
import { RESULT_FIELDS, type Verb, verbs } from "../driver.ts";
import { needFor } from "../verbs/drive.ts";

const HEAD = `// @ts-check
// A driver for \`txfeed conformance\`: it triggers events in your system. Uncomment the verbs that
// you implement; all are optional. Try them against your system:
//   npx txfeed driver check BASE_URL --driver ./FILE

/**
 * @param {import("txfeed/conformance").DriverContext} context
 * @returns {import("txfeed/conformance").Driver}
 */
export default function driver({ baseUrl, networks }) {
  // Calls your system's test API. Replace it.
  /** @type {(verb: string, params?: object) => Promise<any>} */
  const call = async (verb, params = {}) => {
    const response = await fetch(\`\${baseUrl}/test/\${verb}\`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(params),
    });
    if (!response.ok) throw new Error(\`\${verb}: \${response.status} \${await response.text()}\`);
    const text = await response.text();
    return text === "" ? {} : JSON.parse(text);
  };

  return {`;

const TAIL = `  };
}
`;

/**
 * Renders a driver's skeleton: JavaScript with types, whose verbs are comments until they are
 * implemented.
 *
 * @param file Its name, for its first comment.
 */
export function renderSkeleton(file: string): string {
  const documented = documentation();
  const members = verbs.map((verb) => renderVerb(verb, documented.get(verb)));
  return [HEAD.replace("FILE", file), members.join("\n\n"), TAIL].join("\n");
}

/** The width of the text of a comment. */
const DOC_WIDTH = 90;

interface VerbDocs {
  readonly lines: readonly string[];
  /** The names of the parameters. */
  readonly params: readonly string[];
  /** Whether the verb may be called without parameters. */
  readonly isOptional: boolean;
}

/** Reads the documentation of the verbs from the declaration of the interface `Driver`. */
function documentation(): Map<string, VerbDocs> {
  // The package has only the declarations.
  const files = ["../driver.ts", "../driver.d.ts"].map((name) => new URL(name, import.meta.url));
  const file = files.find((url) => existsSync(url));
  const text = file ? readFileSync(file, "utf8") : "";
  const [, members = ""] = text.split("export interface Driver {\n");
  const [, ...commented] = members.split("/**");
  return new Map(
    commented.flatMap((member): [string, VerbDocs][] => {
      const [doc = "", code = ""] = member.split("*/");
      const [, verb = ""] = /^\s*(\w+)\?\(/.exec(code) ?? [];
      const [params = ""] = code.slice(code.indexOf("(") + 1).split("): Promise<");
      const lines = doc
        .replace(/\{@link (\w+)\}/g, "$1")
        .trim()
        .split("\n")
        .map((line) => line.replace(/^\s*\* ?/, ""));
      const fields = params.slice(params.indexOf("{") + 1);
      const names = [...fields.matchAll(/(?<!\w)(\w+)\??:/g)].map(([, name = ""]) => name);
      return verb ? [[verb, { lines, params: names, isOptional: /^\w+\?:/.test(params) }]] : [];
    }),
  );
}

const UNDOCUMENTED: VerbDocs = { lines: [], params: [], isOptional: false };

function renderVerb(verb: Verb, docs: VerbDocs = UNDOCUMENTED): string {
  const { lines, params, isOptional } = docs;
  const { requirements, claims } = needFor(verb, checks);
  const amount = claims.length === 0 ? "" : `${counted(claims.length, "claim")} of `;
  const need = `Helps to decide ${amount}${requirements.join(", ")}.`;
  const advice = requirements.length === 0 ? [] : ["", ...wrapped(need, DOC_WIDTH)];
  const fields = Object.keys(RESULT_FIELDS[verb]);
  const given = params.length === 0 ? "" : `{ ${params.join(", ")} }`;
  const called = `await call("${verb}"${given && `, ${given}`})`;
  const body =
    fields.length === 0
      ? [`  ${called};`]
      : [`  const { ${fields.join(", ")} } = ${called};`, `  return { ${fields.join(", ")} };`];
  return [
    "    /**",
    ...[...lines, ...advice].map((line) => `     * ${line}`.trimEnd()),
    "     */",
    `    // async ${verb}(${given && isOptional ? `${given} = {}` : given}) {`,
    ...body.map((line) => `    // ${line}`),
    "    // },",
  ].join("\n");
}

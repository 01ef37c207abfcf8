import { formats } from "../../src/contract/formats.ts";
import { withBanner } from "./banner.ts";
import { CheckWriter, formatTest } from "./check-writer.ts";
import { answerSchemas, type Document, eventSchemas } from "./document.ts";
import { seal } from "./seal.ts";

const HELPERS = `
import { formats } from "./formats.ts";
const { ${Object.keys(formats).map((name) => `"${name}": ${formatTest(name)}`)} } = formats;
export const BROKEN = 0, HOLDS = 1, UNUSUAL = 2;
let a, b, c, unusual, configured = {};
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const path = /^\\/([^/\\s].*)?$/u, lineEnd = /[\\n\\r\\u2028\\u2029]/;
function isPath(text) {
  const second = text.charCodeAt(1);
  if (text.charCodeAt(0) !== 47) return false;
  return second > 47 && second < 128 ? !lineEnd.test(text) : path.test(text);
}
function isUpperCase(text) {
  let found = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 97 && code <= 122) return false;
    if (code >= 65 && code <= 90) found = true;
  }
  return found;
}
function isNumbered(text, prefix, digits) {
  if (text.length !== prefix.length + digits || !text.startsWith(prefix)) return false;
  for (let i = prefix.length; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}
function begin(networks) {
  unusual = false;
  const { a: first, b: second, c: third } = networks;
  if (configured.a === first && configured.b === second && configured.c === third) return;
  configured = { a: first, b: second, c: third };
  // A code that the contract takes for none is no value of a network field either.
  [a, b, c] = [first, second, third].map((one) => (isUpperCase(String(one)) ? one : NaN));
}
const verdict = (holds) => (holds ? (unusual ? UNUSUAL : HOLDS) : BROKEN);
`;

/**
 * Renders a check of each event's payload and each operation's answer. It tells whether the shape
 * holds and nothing more, in a tenth of the time that parsing takes. It holds exactly where AJV's
 * validators do, which tell what is wrong.
 */
export function renderCheck(document: Document): Promise<string> {
  const writer = new CheckWriter(document.components.schemas);
  const check = (name: string, starts: [key: string, schema: string][]) => {
    const branches = [...Map.groupBy(starts, ([, schema]) => schema)].map(([schema, keys]) => {
      const test = writer.test({ $ref: `#/components/schemas/${schema}` }, "body", schema);
      const labels = keys.map(([key]) => `case ${JSON.stringify(key)}:`).join(" ");
      return `${labels} return verdict(${test});`;
    });
    return `export function ${name}(key, body, networks) {
      begin(networks);
      switch (key) { ${branches.join("\n")} }
      return BROKEN;
    }`;
  };
  const checks = [
    check("checkEvent", eventSchemas(document)),
    check("checkAnswer", answerSchemas(document)),
  ];
  const used = [...writer.functions].map(([name, body]) => `function ${name}(value) { ${body} }`);
  return seal([HELPERS, ...used, ...checks].join("\n"), "check.js");
}

/** Renders the types of the sealed module. */
export function renderCheckTypes(): string {
  return withBanner(`
import type { EventName } from "./events.ts";
import type { AnswerBodies } from "./operations.ts";

/** The codes of the networks: what stands for them in the contract are placeholders. */
interface Networks {
  readonly a: string;
  readonly b: string;
  readonly c: string;
}

/** The payload has another shape. */
export const BROKEN: 0;
/** The payload has the shape, and every value is one that the contract shows. */
export const HOLDS: 1;
/** The payload has the shape, and somewhere a value that an open set does not show. */
export const UNUSUAL: 2;

/** Whether a body has the shape of an event; of a name that is none, nothing has. */
export function checkEvent(name: EventName, body: unknown, networks: Networks): 0 | 1 | 2;

/** Whether a body has the shape of an operation's 200 answer. */
export function checkAnswer(
  operation: keyof AnswerBodies,
  body: unknown,
  networks: Networks,
): 0 | 1 | 2;
`);
}

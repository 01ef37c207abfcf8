import { Validator } from "ata-validator";
import { compileEach, type Library, type Schema } from "./library.ts";

const LEAP_DAY = "(?:\\d\\d(?:[2468][048]|[13579][26]|0[48])|(?:[02468][048]|[13579][26])00)-02-29";
const LONG_MONTH = "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])";
const SHORT_MONTH = "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)";
const FEBRUARY = "02-(?:0[1-9]|1\\d|2[0-8])";
const DAY = `(?:${LEAP_DAY}|\\d{4}-(?:${LONG_MONTH}|${SHORT_MONTH}|${FEBRUARY}))`;
const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d";

/**
 * The formats as patterns, because ata throws when it reports an error of a custom format. Its own
 * `date` accepts 30 February, and its `date-time` accepts any zone.
 */
const PATTERNS: Readonly<Record<string, string>> = {
  date: `^${DAY}$`,
  "date-time": `^${DAY}T${TIME}\\.\\d{3}Z$`,
  "date-time-local": `^${DAY}T${TIME}(?:\\.\\d+)?$`,
};

function withPatterns(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema), (_key, node: Schema) => {
    const pattern = PATTERNS[node?.format ?? ""];
    return pattern ? { type: node.type, pattern } : node;
  });
}

/** ata, compiled at run time. */
export const ata: Library = {
  name: "ata-validator",
  setUp: async (schemas) =>
    compileEach(schemas, (schema) => {
      const validator = new Validator(withPatterns(schema));
      return (body) => {
        const result = validator.validate(body);
        return result.valid ? 0 : result.errors.length;
      };
    }),
};

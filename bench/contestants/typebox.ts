import { Set as setFormat } from "typebox/format";
import { Compile } from "typebox/schema";
import { type Contestant, eachEvent } from "./contestant.ts";
import { formats } from "./formats.ts";

/** TypeBox: it compiles JSON Schema as it is, and tells errors on a second look. */
export const typebox: Contestant = {
  name: "typebox",
  setUp: async (schemas) => {
    for (const [name, test] of Object.entries(formats)) setFormat(name, test);
    return eachEvent(schemas, (schema) => {
      const compiled = Compile(schema as Record<string, unknown>);
      return (body) => (compiled.Check(body) ? 0 : compiled.Errors(body)[1].length);
    });
  },
};

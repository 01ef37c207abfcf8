import { Set as setFormat } from "typebox/format";
import { Compile } from "typebox/schema";
import { formats } from "./formats.ts";
import { compileEach, type Library } from "./library.ts";

/** TypeBox, which compiles JSON Schema. It collects errors in a second pass. */
export const typebox: Library = {
  name: "typebox",
  setUp: async (schemas) => {
    for (const [name, test] of Object.entries(formats)) setFormat(name, test);
    return compileEach(schemas, (schema) => {
      const compiled = Compile(schema as Record<string, unknown>);
      return (body) => (compiled.Check(body) ? 0 : compiled.Errors(body)[1].length);
    });
  },
};

import { Ajv2020 } from "ajv/dist/2020.js";
import { formats } from "./formats.ts";
import { compileEach, type Library } from "./library.ts";

/** AJV, compiled at run time. */
export const ajv: Library = {
  name: "ajv",
  setUp: async (schemas) => {
    const compiler = new Ajv2020({ formats });
    return compileEach(schemas, (schema) => {
      const validate = compiler.compile(schema);
      return (body) => (validate(body) ? 0 : (validate.errors?.length ?? 1));
    });
  },
};

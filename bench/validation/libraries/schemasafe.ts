import { type Schema, validator } from "@exodus/schemasafe";
import { formats } from "./formats.ts";
import { compileEach, type Library } from "./library.ts";

export const schemasafe: Library = {
  name: "@exodus/schemasafe",
  setUp: async (schemas) =>
    compileEach(schemas, (schema) => {
      const validate = validator(schema as Schema, { includeErrors: true, formats });
      return (body) => (validate(body as never) ? 0 : (validate.errors?.length ?? 1));
    }),
};

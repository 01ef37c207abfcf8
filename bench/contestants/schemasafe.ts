import { type Schema, validator } from "@exodus/schemasafe";
import { type Contestant, eachEvent } from "./contestant.ts";
import { formats } from "./formats.ts";

export const schemasafe: Contestant = {
  name: "@exodus/schemasafe",
  setUp: async (schemas) =>
    eachEvent(schemas, (schema) => {
      const validate = validator(schema as Schema, { includeErrors: true, formats });
      return (body) => (validate(body as never) ? 0 : (validate.errors?.length ?? 1));
    }),
};
